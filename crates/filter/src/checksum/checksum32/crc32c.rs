//! CRC-32C, after the data. It is a codec of Zarr version 3 itself.

use crate::checksum::checksum32::{Bound, Location};
use crate::zarr_only::zarr_configuration::same;
use crate::{BoundCodec, ChunkType, Codec, Outcome, Program};
use ncutils_model::{CodecSpec, Configuration, ZarrVersion};

/// The CRC-32C codec.
#[derive(Debug, Clone, Copy)]
pub struct Crc32c;

impl Codec for Crc32c {
    fn parameters_help(&self) -> &str {
        "location"
    }

    fn name(&self) -> &str {
        "crc32c"
    }

    fn zarr_name(&self, _: ZarrVersion) -> Option<&str> {
        Some("crc32c")
    }

    fn zarr_aliases(&self, version: ZarrVersion) -> &[&str] {
        match version {
            ZarrVersion::V2 => &[],
            ZarrVersion::V3 => &["numcodecs.crc32c"],
        }
    }

    fn is_checksum(&self) -> bool {
        true
    }

    fn known_to(&self, program: Program) -> bool {
        match program {
            Program::Tensorstore => true,
        }
    }

    fn is_filter_in_zarr2(&self) -> bool {
        true
    }

    fn bind(&self, spec: &CodecSpec, _: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        Ok(Box::new(Bound {
            checksum: crc32c::crc32c,
            location: Location::parse(spec, Location::End)?,
        }))
    }

    /// Zarr's own codec has no configuration.
    fn renamed_configuration(&self, configuration: &Configuration, to: ZarrVersion) -> Configuration {
        match to {
            ZarrVersion::V2 => configuration.clone(),
            ZarrVersion::V3 => Configuration::new(),
        }
    }

    fn same_configuration(&self, a: &CodecSpec, b: &CodecSpec) -> bool {
        let location = |spec| Location::parse(spec, Location::End);
        same(location(a), location(b))
    }
}
