//! Bzip2, HDF5 filter 307: one bzip2 stream.
//!
//! Parameters: the block size in units of 100,000 bytes, 1 to 9; none means 9. As in the plugin, a stream that is
//! longer than the chunk is stored all the same.
//!
//! HDF5 registered filters, id 307 (PyTables' `H5Zbzip2.c`).

use ::bzip2::{Action, Compress, Compression, Decompress, Status};

use super::{Context, Element, Filter, failure, misuse};
use crate::error::Result;

/// The id registered with HDF5.
pub const ID: u32 = 307;

/// The filter.
#[derive(Debug, Clone, Copy)]
pub struct Bzip2;

/// The block size where none is given.
const DEFAULT_BLOCK: u32 = 9;

/// Bytes that decoding asks for at first and when it needs more than expected of the input's size.
const STEP: usize = 256 << 10;

impl Bzip2 {
    fn block_size(&self, parameters: &[u32]) -> Result<u32> {
        match parameters {
            [] => Ok(DEFAULT_BLOCK),
            [block @ 1..=9] => Ok(*block),
            _ => Err(failure(
                self,
                format!("its parameters are {parameters:?} instead of a block size from 1 to 9"),
            )),
        }
    }
}

impl Filter for Bzip2 {
    fn id(&self) -> u32 {
        ID
    }

    fn name(&self) -> &'static str {
        "bzip2"
    }

    fn encode(&self, parameters: &[u32], input: &[u8], out: &mut Vec<u8>, _: &Context) -> Result<()> {
        let level = Compression::new(self.block_size(parameters)?);
        let mut stream = Compress::new(level, 0);
        out.clear();
        // The bound that bzip2's manual gives; enough for the whole stream.
        out.reserve(input.len() + input.len() / 100 + 600);
        let mut rest = input;
        loop {
            let before = stream.total_in();
            let status = stream
                .compress_vec(rest, out, Action::Finish)
                .map_err(|error| failure(self, error.to_string()))?;
            let taken = usize::try_from(stream.total_in() - before).unwrap_or(usize::MAX);
            rest = rest.get(taken..).unwrap_or_default();
            match status {
                Status::StreamEnd => return Ok(()),
                Status::MemNeeded => return Err(failure(self, "no memory")),
                _ if out.len() == out.capacity() => out.reserve(STEP),
                _ => {}
            }
        }
    }

    fn decode(&self, _: &[u32], input: &[u8], out: &mut Vec<u8>, context: &Context) -> Result<()> {
        let mut stream = Decompress::new(false);
        let limit = context.chunk_size;
        out.clear();
        out.reserve(limit.min(input.len().saturating_mul(4).max(STEP)));
        let mut rest = input;
        loop {
            let (before_in, before_out) = (stream.total_in(), out.len());
            let status = stream
                .decompress_vec(rest, out)
                .map_err(|error| failure(self, format!("damaged bzip2 stream: {error}")))?;
            if out.len() > limit {
                break;
            }
            let taken = usize::try_from(stream.total_in() - before_in).unwrap_or(usize::MAX);
            rest = rest.get(taken..).unwrap_or_default();
            match status {
                Status::StreamEnd => return Ok(()),
                Status::MemNeeded => return Err(failure(self, "no memory")),
                _ if out.len() == out.capacity() => {
                    // One byte more than the limit tells a stream that is too long from one that just fits.
                    let room = limit.saturating_add(1).saturating_sub(out.len());
                    out.reserve_exact(room.min(out.len().max(STEP)));
                }
                _ if taken == 0 && out.len() == before_out => {
                    return Err(failure(self, "the bzip2 stream ends too early"));
                }
                _ => {}
            }
        }
        Err(failure(self, format!("more than the {limit} bytes expected")))
    }

    fn working_parameters(&self, visible: &[u32], _: Element, _: &[u64]) -> Result<Vec<u32>> {
        match visible {
            [] | [1..=9] => Ok(visible.to_vec()),
            _ => Err(misuse(
                self,
                "takes one parameter: the block size, 1 to 9 (9 where none is given)",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn limits() {
        let data = vec![7; 3_000_000];
        let mut encoded = Vec::new();
        Bzip2
            .encode(&[1], &data, &mut encoded, &Context::of_bytes(data.len()))
            .unwrap();
        assert!(encoded.len() < 200);
        let mut out = Vec::new();
        Bzip2
            .decode(&[1], &encoded, &mut out, &Context::of_bytes(data.len()))
            .unwrap();
        assert_eq!(out, data);
        assert!(
            Bzip2
                .decode(
                    &[1],
                    &encoded,
                    &mut Vec::new(),
                    &Context::of_bytes(data.len() - 1)
                )
                .is_err()
        );
        assert!(
            Bzip2
                .decode(
                    &[1],
                    &encoded[..encoded.len() - 1],
                    &mut out,
                    &Context::of_bytes(data.len())
                )
                .is_err()
        );
        let mut small = Vec::new();
        assert!(
            Bzip2
                .decode(&[1], &encoded, &mut small, &Context::of_bytes(1000))
                .is_err()
        );
        assert!(small.capacity() < 10_000);
    }

    #[test]
    fn block_sizes_are_checked() {
        for parameters in [&[0][..], &[10], &[1, 2]] {
            assert!(
                Bzip2
                    .encode(parameters, b"x", &mut Vec::new(), &Context::of_bytes(1))
                    .is_err()
            );
        }
    }

    proptest! {
        #[test]
        fn round_trip(data in proptest::collection::vec(any::<u8>(), 0..3000), block in 1u32..=9) {
            let (mut encoded, mut decoded) = (vec![1; 10], vec![2; 5000]);
            Bzip2.encode(&[block], &data, &mut encoded, &Context::of_bytes(data.len())).unwrap();
            Bzip2.decode(&[block], &encoded, &mut decoded, &Context::of_bytes(data.len())).unwrap();
            prop_assert_eq!(decoded, data);
        }

        #[test]
        fn garbage_is_an_error(data in proptest::collection::vec(any::<u8>(), 0..300)) {
            let framed = [b"BZh9\x31\x41\x59\x26\x53\x59", &data[..]].concat();
            prop_assert!(Bzip2.decode(&[9], &data, &mut Vec::new(), &Context::of_bytes(1000)).is_err());
            prop_assert!(Bzip2.decode(&[9], &framed, &mut Vec::new(), &Context::of_bytes(1000)).is_err());
        }
    }
}
