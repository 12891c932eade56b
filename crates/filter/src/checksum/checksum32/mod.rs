//! Codecs of Zarr that add a checksum of 32 bits: CRC-32, CRC-32C and Adler-32.
//!
//! | file | codec | place of the checksum |
//! | --- | --- | --- |
//! | `crc32_and_adler32` | CRC-32 (ISO 3309, zlib) | before the data |
//! | | Adler-32 (RFC 1950) | before the data |
//! | `crc32c` | CRC-32C (Castagnoli, RFC 3720) | after the data |
//!
//! The checksum is little-endian. numcodecs' configuration has a member `location`, `"start"` or `"end"`; without it the
//! place is as above. Decoding verifies and removes the checksum.
//!
//! numcodecs, `Checksum32`; Zarr version 3, the codec `crc32c`.

mod crc32_and_adler32;
mod crc32c;

pub use crc32_and_adler32::{ADLER32, CRC32};
pub use crc32c::Crc32c;

use crate::codec::room::copied;
use crate::zarr_only::zarr_configuration::{configuration, member, same};
use crate::{BoundCodec, ChunkShape, ContentLength, EncodedTest, Outcome};
use ncutils_model::CodecSpec;

/// Bytes of a checksum.
const SIZE: usize = 4;

/// Where the checksum is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Location {
    Start,
    End,
}

impl Location {
    /// The place that a spec tells; `default` if it does not.
    fn parse(spec: &CodecSpec, default: Self) -> Outcome<Self> {
        let (_, configuration) = configuration(spec, &["location"])?;
        let Some(value) = member(configuration, "location") else {
            return Ok(default);
        };
        match value.as_str() {
            Some("start") => Ok(Self::Start),
            Some("end") => Ok(Self::End),
            _ => Err(format!("its member location is {value}")),
        }
    }

    /// True if two specs tell the same place.
    fn same(a: &CodecSpec, b: &CodecSpec, default: Self) -> bool {
        same(Self::parse(a, default), Self::parse(b, default))
    }
}

/// A checksum and its place.
struct Bound {
    checksum: fn(&[u8]) -> u32,
    location: Location,
}

impl Bound {
    /// The bytes beside the checksum, which fits them.
    fn verified<'a>(&self, input: &'a [u8]) -> Outcome<&'a [u8]> {
        let parts = match self.location {
            Location::Start => input.split_first_chunk::<SIZE>(),
            Location::End => input.split_last_chunk::<SIZE>().map(|(data, sum)| (sum, data)),
        };
        let (stored, data) = parts.ok_or("too short for a checksum")?;
        let (stored, found) = (u32::from_le_bytes(*stored), (self.checksum)(data));
        match stored == found {
            true => Ok(data),
            false => Err(format!(
                "damaged data: its checksum is {found:08x} instead of {stored:08x}"
            )),
        }
    }
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        let checksum = (self.checksum)(input).to_le_bytes();
        out.clear();
        out.reserve(input.len() + SIZE);
        match self.location {
            Location::Start => {
                out.extend_from_slice(&checksum);
                out.extend_from_slice(input);
            }
            Location::End => {
                out.extend_from_slice(input);
                out.extend_from_slice(&checksum);
            }
        }
        Ok(())
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        copied(self.verified(input)?, limit, out)
    }

    fn decode_unverified(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        let data = match self.location {
            Location::Start => input.split_first_chunk::<SIZE>().map(|(_, data)| data),
            Location::End => input.split_last_chunk::<SIZE>().map(|(data, _)| data),
        };
        let data = data.filter(|data| data.len() <= limit);
        let data = data.ok_or("not the bytes of a chunk and its checksum")?;
        out.clear();
        out.extend_from_slice(data);
        Ok(())
    }

    fn test_encoded<'a>(&self, input: &'a [u8], _: ContentLength) -> Outcome<EncodedTest<'a>> {
        self.verified(input).map(EncodedTest::Checksum)
    }

    fn exact_encoded_size(&self, input_len: usize) -> Option<usize> {
        input_len.checked_add(SIZE)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        input_len.saturating_add(SIZE)
    }
}
