//! CRC-32 and Adler-32, before the data: the checksums of zlib.

use crate::checksum::checksum32::{Bound, Location};
use crate::zarr_only::zarr_configuration::same;
use crate::{BoundCodec, ChunkType, Codec, Outcome};
use ncutils_model::{CodecSpec, ZarrVersion};

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
    fn parameters_help(&self) -> &str {
        "location"
    }

    fn name(&self) -> &str {
        self.names[0]
    }

    fn zarr_name(&self, version: ZarrVersion) -> Option<&str> {
        Some(match version {
            ZarrVersion::V2 => self.names[0],
            ZarrVersion::V3 => self.names[1],
        })
    }

    fn is_checksum(&self) -> bool {
        true
    }

    fn is_filter_in_zarr2(&self) -> bool {
        true
    }

    fn bind(&self, spec: &CodecSpec, _: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        Ok(Box::new(Bound {
            checksum: self.checksum,
            location: Location::parse(spec, Location::Start)?,
        }))
    }

    fn same_configuration(&self, a: &CodecSpec, b: &CodecSpec) -> bool {
        let location = |spec| Location::parse(spec, Location::Start);
        same(location(a), location(b))
    }
}
