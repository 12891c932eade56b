//! CRC-32C, after the data. It is a codec of Zarr version 3 itself.

use crate::checksum::checksum32::{Bound, Location};
use crate::codec::facts::CodecFacts;
use crate::{BoundCodec, ChunkType, Codec, Outcome, Program};
use ncutils_model::{CodecSpec, Configuration, ZarrVersion};

/// The CRC-32C codec.
#[derive(Debug, Clone, Copy)]
pub struct Crc32c;

impl Codec for Crc32c {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            zarr2: Some("crc32c"),
            zarr3: Some("crc32c"),
            parameters_help: "location",
            zarr3_aliases: &["numcodecs.crc32c"],
            filter_in_zarr2: true,
            is_checksum: true,
            known_to: &Program::ALL,
            same_configuration: Some(|a, b| Location::same(a, b, Location::End)),
            renamed_configuration: Some(renamed),
            ..CodecFacts::named("crc32c")
        }
    }

    fn bind(&self, spec: &CodecSpec, _: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        Ok(Box::new(Bound {
            checksum: crc32c::crc32c,
            location: Location::parse(spec, Location::End)?,
        }))
    }
}

/// Zarr's own codec has no configuration.
fn renamed(configuration: &Configuration, to: ZarrVersion) -> Configuration {
    match to {
        ZarrVersion::V2 => configuration.clone(),
        ZarrVersion::V3 => Configuration::new(),
    }
}
