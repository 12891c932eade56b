//! CRC-32 and Adler-32, before the data: the checksums of zlib.

use crate::checksum::checksum32::{Bound, Location};
use crate::codec::facts::CodecFacts;
use crate::{BoundCodec, ChunkType, Codec, Outcome};
use ncutils_model::CodecSpec;

/// A codec of one of zlib's checksums.
#[derive(Debug, Clone, Copy)]
pub struct ZlibChecksum {
    /// Its names in version 2 and 3.
    names: [&'static str; 2],
    checksum: fn(&[u8]) -> u32,
}

/// The CRC-32 codec.
pub const CRC32: ZlibChecksum = ZlibChecksum {
    names: ["crc32", "numcodecs.crc32"],
    checksum: libdeflater::crc32,
};

/// The Adler-32 codec.
pub const ADLER32: ZlibChecksum = ZlibChecksum {
    names: ["adler32", "numcodecs.adler32"],
    checksum: libdeflater::adler32,
};

impl Codec for ZlibChecksum {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            zarr2: Some(self.names[0]),
            zarr3: Some(self.names[1]),
            parameters_help: "location",
            filter_in_zarr2: true,
            is_checksum: true,
            same_configuration: Some(|a, b| Location::same(a, b, Location::Start)),
            ..CodecFacts::named(self.names[0])
        }
    }

    fn bind(&self, spec: &CodecSpec, _: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        Ok(Box::new(Bound {
            checksum: self.checksum,
            location: Location::parse(spec, Location::Start)?,
        }))
    }
}
