//! CRC-32, before the data.

use super::super::zarr_configuration::{numcodecs_name, same};
use super::super::{BoundCodec, ChunkType, Codec, Outcome};
use super::{Bound, Location};
use crate::model::{CodecSpec, ZarrVersion};

/// The CRC-32 codec.
#[derive(Debug, Clone, Copy)]
pub struct Crc32;

impl Codec for Crc32 {
    fn parameters_help(&self) -> &str {
        "location"
    }

    numcodecs_name!("crc32");

    fn is_checksum(&self) -> bool {
        true
    }

    fn is_filter_in_zarr2(&self) -> bool {
        true
    }

    fn bind(&self, spec: &CodecSpec, _: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        Ok(Box::new(Bound {
            checksum: libdeflater::crc32,
            location: Location::parse(spec, Location::Start)?,
        }))
    }

    fn same_configuration(&self, a: &CodecSpec, b: &CodecSpec) -> bool {
        let location = |spec| Location::parse(spec, Location::Start);
        same(location(a), location(b))
    }
}
