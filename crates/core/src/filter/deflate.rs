//! Deflate, HDF5 filter 1: a zlib stream (RFC 1950).
//!
//! Parameters: zlib's level, 0 to 9. It says how hard to try when encoding and nothing about the stream, so it is
//! stored as the user gave it, while libdeflate's level follows from [`LEVELS`].
//!
//! The encoder never gives up: libhdf5 too stores a stream that is longer than the chunk.
//!
//! HDF5 file format specification, IV.A.2.l, filter 1.

use std::cell::RefCell;

use libdeflater::{CompressionLvl, Compressor, DecompressionError, Decompressor};

use super::{Context, Element, Filter, failure, misuse};
use crate::error::Result;

/// The filter.
#[derive(Debug, Clone, Copy)]
pub struct Deflate;

/// The libdeflate level that stands for each zlib level.
///
/// Measured on 15 fields (float32 smooth, turbulent, masked, mostly zero, rounded to 12 bits, noise; float64; packed
/// int16; times; class numbers; text) cut to 16 KiB, 64 KiB, 256 KiB and 1 MiB, shuffled; libdeflate 1.26 against
/// zlib 1.3. Mean size against zlib's, and the libdeflate level's time for all of it (level 1: 157 ms):
///
/// | zlib level | libdeflate level | size | time |
/// | --- | --- | --- | --- |
/// | 0 | 0 | = | 13 ms |
/// | 1 | 3 | −5.9 % | 218 ms |
/// | 2 | 6 | −6.4 % | 270 ms |
/// | 3 | 6 | −4.7 % | 270 ms |
/// | 4 | 6 | −3.8 % | 270 ms |
/// | 5 | 6 | −1.9 % | 270 ms |
/// | 6 | 7 | −1.2 % | 335 ms |
/// | 7 | 7 | −0.9 % | 335 ms |
/// | 8 | 10 | −3.7 % | 1755 ms |
/// | 9 | 10 | −3.7 % | 1755 ms |
///
/// Levels 8 and 9 of libdeflate are slower than 7 and no smaller on such data. Level 10 takes about as long as zlib 9
/// does. Small inputs may need [`SMALL_LEVEL`] instead.
pub const LEVELS: [i32; 10] = [0, 3, 6, 6, 6, 6, 7, 7, 10, 10];

/// The level for small inputs whose beginning is not like the rest: libdeflate's faster levels choose the shortest match
/// worth coding from the variety of the first 4 KiB. Where that is a plane of equal bytes (rounded and then shuffled
/// numbers) they overlook short matches in the whole first block: 28 % more than zlib on 16 KiB, 4 % on 64 KiB. The
/// near-optimal level does without that guess.
const SMALL_LEVEL: i32 = 10;

/// From here on the first block's loss no longer counts.
const SMALL: usize = 128 << 10;

/// The most that deflate can expand, bytes of output for one of input: 258 bytes for two bits.
const EXPANSION: usize = 1032;

thread_local! {
    static COMPRESSORS: RefCell<[Option<Compressor>; 13]> = const { RefCell::new([const { None }; 13]) };
    static DECOMPRESSOR: RefCell<Option<Decompressor>> = const { RefCell::new(None) };
}

/// How many different bytes there are.
fn variety(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    for byte in bytes {
        seen[usize::from(*byte)] = true;
    }
    seen.iter().filter(|seen| **seen).count()
}

/// Whether libdeflate's guess at the beginning of `input` would spoil a notable part of it.
fn beginning_misleads(input: &[u8]) -> bool {
    const GUESSED_FROM: usize = 4096;
    // With 80 different bytes libdeflate looks for the shortest matches anyway.
    const RICH: usize = 80;
    if input.len() > SMALL || input.len() <= GUESSED_FROM {
        return false;
    }
    let (beginning, rest) = input.split_at(GUESSED_FROM);
    let variety_there = variety(beginning);
    variety_there < RICH && variety(rest) > 2 * variety_there
}

impl Deflate {
    fn level(&self, parameters: &[u32]) -> Result<usize> {
        match parameters {
            [level @ 0..=9] => Ok(*level as usize),
            _ => Err(failure(
                self,
                format!("its parameters are {parameters:?} instead of a level from 0 to 9"),
            )),
        }
    }
}

impl Filter for Deflate {
    fn id(&self) -> u32 {
        1
    }

    fn name(&self) -> &'static str {
        "deflate"
    }

    fn encode(&self, parameters: &[u32], input: &[u8], out: &mut Vec<u8>, _: &Context) -> Result<()> {
        let mut level = LEVELS[self.level(parameters)?];
        if level > 0 && level < SMALL_LEVEL && beginning_misleads(input) {
            level = SMALL_LEVEL;
        }
        COMPRESSORS.with_borrow_mut(|compressors| {
            let Some(slot) = compressors.get_mut(level as usize) else {
                return Err(failure(self, format!("no level {level}")));
            };
            let compressor = match slot {
                Some(compressor) => compressor,
                None => {
                    let level =
                        CompressionLvl::new(level).map_err(|_| failure(self, format!("no level {level}")))?;
                    slot.insert(Compressor::new(level))
                }
            };
            let bound = compressor.zlib_compress_bound(input.len());
            // Not cleared first: what is there already need not be zeroed again.
            out.resize(bound, 0);
            let size = compressor
                .zlib_compress(input, out)
                .map_err(|error| failure(self, error.to_string()))?;
            out.truncate(size);
            Ok(())
        })
    }

    fn decode(&self, _: &[u32], input: &[u8], out: &mut Vec<u8>, context: &Context) -> Result<()> {
        let most = context.chunk_size.min(input.len().saturating_mul(EXPANSION));
        out.resize(most, 0);
        let size = DECOMPRESSOR.with_borrow_mut(|decompressor| {
            let decompressor = decompressor.get_or_insert_with(Decompressor::new);
            decompressor
                .zlib_decompress(input, out)
                .map_err(|error| match error {
                    DecompressionError::BadData => failure(self, "damaged zlib stream"),
                    DecompressionError::InsufficientSpace => failure(
                        self,
                        format!("more than the {} bytes expected", context.chunk_size),
                    ),
                })
        })?;
        out.truncate(size);
        Ok(())
    }

    fn working_parameters(&self, visible: &[u32], _: Element, _: &[u64]) -> Result<Vec<u32>> {
        match visible {
            [0..=9] => Ok(visible.to_vec()),
            _ => Err(misuse(self, "takes one parameter: the level, 0 to 9")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn context(chunk_size: usize) -> Context {
        Context {
            element_size: 1,
            chunk_size,
        }
    }

    /// `zlib.compress(b"hello, hello, hello", 0)` of Python.
    const STORED: [u8; 30] = [
        0x78, 0x01, 0x01, 0x13, 0x00, 0xec, 0xff, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x2c, 0x20, 0x68, 0x65, 0x6c,
        0x6c, 0x6f, 0x2c, 0x20, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x44, 0x28, 0x06, 0xd5,
    ];

    #[test]
    fn stored_stream_of_zlib() {
        let mut out = Vec::new();
        Deflate.decode(&[0], &STORED, &mut out, &context(100)).unwrap();
        assert_eq!(out, b"hello, hello, hello");
        assert!(
            Deflate
                .decode(&[0], &STORED[..29], &mut out, &context(100))
                .is_err()
        );
        assert!(Deflate.decode(&[0], &STORED, &mut out, &context(18)).is_err());
        let mut damaged = STORED;
        damaged[9] ^= 1;
        assert!(Deflate.decode(&[0], &damaged, &mut out, &context(100)).is_err());
    }

    #[test]
    fn what_follows_the_stream_is_ignored_as_in_libhdf5() {
        let longer = [&STORED[..], &[1, 2, 3]].concat();
        let mut out = Vec::new();
        Deflate.decode(&[0], &longer, &mut out, &context(100)).unwrap();
        assert_eq!(out, b"hello, hello, hello");
    }

    #[test]
    fn a_small_input_never_makes_a_large_buffer() {
        let mut out = Vec::new();
        Deflate
            .decode(&[5], &STORED, &mut out, &context(usize::MAX))
            .unwrap();
        assert!(out.capacity() <= STORED.len() * EXPANSION);
    }

    #[test]
    fn levels_beyond_nine_are_refused() {
        assert!(Deflate.encode(&[10], b"x", &mut Vec::new(), &context(1)).is_err());
        assert!(Deflate.encode(&[], b"x", &mut Vec::new(), &context(1)).is_err());
    }

    proptest! {
        #[test]
        fn round_trip(data in proptest::collection::vec(0u8..9, 0..3000), level in 0u32..=9) {
            let (mut encoded, mut decoded) = (vec![1; 10], vec![2; 5000]);
            Deflate.encode(&[level], &data, &mut encoded, &context(data.len())).unwrap();
            Deflate.decode(&[level], &encoded, &mut decoded, &context(data.len() + 1)).unwrap();
            prop_assert_eq!(decoded, data);
        }

        #[test]
        fn garbage_is_an_error_or_small(data in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut out = Vec::new();
            if Deflate.decode(&[6], &data, &mut out, &context(1000)).is_ok() {
                prop_assert!(out.len() <= 1000);
            }
        }
    }
}
