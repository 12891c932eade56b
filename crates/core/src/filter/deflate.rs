//! Deflate, HDF5 filter 1: a zlib stream (RFC 1950).
//!
//! Parameters: zlib's level, 0 to 9. It says how hard to try when encoding and nothing about the stream, so it is
//! stored as the user gave it, while libdeflate's level follows from [`LEVELS`].
//!
//! The encoder never gives up: libhdf5 too stores a stream that is longer than the chunk.
//!
//! HDF5 file format specification, IV.A.2.l, filter 1.

use std::cell::RefCell;

use flate2::{Compress, FlushCompress, Status};
use libdeflater::{CompressionLvl, Compressor, DecompressionError, Decompressor};

use super::pipeline::room;
use super::{Context, Element, Filter, failure, misuse};
use crate::error::Result;

/// The id registered with HDF5.
pub const ID: u32 = 1;

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
/// | 2 | 5 | −9.5 % | 243 ms |
/// | 3 | 5 | −8.2 % | 243 ms |
/// | 4 | 5 | −3.3 % | 243 ms |
/// | 5 | 5 | −2.1 % | 243 ms |
/// | 6 | 7 | −1.2 % | 335 ms |
/// | 7 | 7 | −0.9 % | 335 ms |
/// | 8 | 10 | −3.7 % | 1755 ms |
/// | 9 | 10 | −3.7 % | 1755 ms |
///
/// Level 6 would be half a percent smaller than 5, for a fifth more time. Level 4 takes a tenth less time, but loses what a
/// lazy search finds: of 420 arrays with structure (ramps, saws, waves, steps, patterns, random walks; shuffled and not) it is
/// more than 2 % larger than zlib 4 on 53; 5 is on 34, 6 on 35. Levels 8 and 9 are slower than 7 and no smaller on the
/// fields. Level 10 takes about as long as zlib 9 does. See also `MISLED_LEVELS`.
pub const LEVELS: [i32; 10] = [0, 3, 5, 5, 5, 5, 7, 7, 10, 10];

/// The longest input whose beginning is looked at: see [`encoder`].
const SMALL: usize = 128 << 10;

/// The longest input that is worth the near-optimal level, which takes four times zlib's time, where it begins with equal bytes:
/// only that is never larger than zlib then.
const TINY: usize = 16 << 10;

/// The level of zlib-rs that stands for each zlib level where libdeflate would be misled.
///
/// Measured on 60 shuffled fields of numbers rounded to 7 to 12 bits of mantissa and on packed time series, in 16 to
/// 128 KiB: on average 1 to 12 % smaller than zlib at levels up to 5, equal at 6 and 7, and as fast or faster. libdeflate at
/// level 6 is up to 25 % larger on these, and at its near-optimal level takes four times zlib's time.
const MISLED_LEVELS: [u32; 10] = [0, 4, 7, 7, 7, 7, 7, 8, 8, 8];

/// From this level on libdeflate does not guess.
const NEAR_OPTIMAL: i32 = 10;

/// The most that deflate can expand, bytes of output for one of input: 258 bytes for two bits.
const EXPANSION: usize = 1032;

thread_local! {
    static COMPRESSORS: RefCell<[Option<Compressor>; 13]> = const { RefCell::new([const { None }; 13]) };
    static MISLED: RefCell<[Option<Compress>; 10]> = const { RefCell::new([const { None }; 10]) };
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

/// How an input is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoder {
    Libdeflate(i32),
    ZlibRs(u32),
}

/// The encoder for `input` at a zlib level.
///
/// libdeflate's faster levels choose the shortest match worth coding from the variety of the first 4 KiB. Where that is a
/// plane of few different bytes (rounded and then shuffled numbers) they overlook short matches in the whole first block,
/// which in small inputs is most of them.
fn encoder(level: usize, input: &[u8]) -> Encoder {
    const GUESSED_FROM: usize = 4096;
    // With 46 different bytes libdeflate looks for matches of 4 anyway, and with 80 for those of 3.
    const RICH: usize = 46;
    let usual = Encoder::Libdeflate(LEVELS[level]);
    if !(1..NEAR_OPTIMAL).contains(&LEVELS[level]) || !(GUESSED_FROM + 1..=SMALL).contains(&input.len()) {
        return usual;
    }
    let (beginning, rest) = input.split_at(GUESSED_FROM);
    match variety(beginning) {
        n if n >= RICH || variety(rest) <= 2 * n => usual,
        1 if input.len() <= TINY => Encoder::Libdeflate(NEAR_OPTIMAL),
        _ => Encoder::ZlibRs(MISLED_LEVELS[level]),
    }
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

    /// Encodes an input that would mislead libdeflate.
    fn encode_misled(&self, level: u32, input: &[u8], out: &mut Vec<u8>) -> Result<()> {
        // What is stored costs five bytes in 16 KiB, and the stream's frame few.
        out.resize(input.len() + input.len() / 1024 + 64, 0);
        MISLED.with_borrow_mut(|compressors| {
            let slot = compressors.get_mut(level as usize);
            let slot = slot.ok_or_else(|| failure(self, format!("no level {level}")))?;
            let compressor = slot.get_or_insert_with(|| Compress::new(flate2::Compression::new(level), true));
            compressor.reset();
            let status = compressor
                .compress(input, out, FlushCompress::Finish)
                .map_err(|error| failure(self, error.to_string()))?;
            if status != Status::StreamEnd {
                return Err(failure(self, "an output larger than its bound"));
            }
            out.truncate(compressor.total_out() as usize);
            Ok(())
        })
    }
}

impl Filter for Deflate {
    fn id(&self) -> u32 {
        ID
    }

    fn name(&self) -> &'static str {
        "deflate"
    }

    fn encode(&self, parameters: &[u32], input: &[u8], out: &mut Vec<u8>, _: &Context) -> Result<()> {
        let level = match encoder(self.level(parameters)?, input) {
            Encoder::Libdeflate(level) => level,
            Encoder::ZlibRs(level) => return self.encode_misled(level, input, out),
        };
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
            room(out, bound)?;
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

    /// `zlib.compress(b"hello, hello, hello", 0)` of Python.
    const STORED: [u8; 30] = [
        0x78, 0x01, 0x01, 0x13, 0x00, 0xec, 0xff, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x2c, 0x20, 0x68, 0x65, 0x6c,
        0x6c, 0x6f, 0x2c, 0x20, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x44, 0x28, 0x06, 0xd5,
    ];

    #[test]
    fn stored_stream_of_zlib() {
        let mut out = Vec::new();
        Deflate
            .decode(&[0], &STORED, &mut out, &Context::of_bytes(100))
            .unwrap();
        assert_eq!(out, b"hello, hello, hello");
        assert!(
            Deflate
                .decode(&[0], &STORED[..29], &mut out, &Context::of_bytes(100))
                .is_err()
        );
        assert!(
            Deflate
                .decode(&[0], &STORED, &mut out, &Context::of_bytes(18))
                .is_err()
        );
        let mut damaged = STORED;
        damaged[9] ^= 1;
        assert!(
            Deflate
                .decode(&[0], &damaged, &mut out, &Context::of_bytes(100))
                .is_err()
        );
    }

    #[test]
    fn what_follows_the_stream_is_ignored_as_in_libhdf5() {
        let longer = [&STORED[..], &[1, 2, 3]].concat();
        let mut out = Vec::new();
        Deflate
            .decode(&[0], &longer, &mut out, &Context::of_bytes(100))
            .unwrap();
        assert_eq!(out, b"hello, hello, hello");
    }

    #[test]
    fn a_small_input_never_makes_a_large_buffer() {
        let mut out = Vec::new();
        Deflate
            .decode(&[5], &STORED, &mut out, &Context::of_bytes(usize::MAX))
            .unwrap();
        assert!(out.capacity() <= STORED.len() * EXPANSION);
    }

    #[test]
    fn levels_beyond_nine_are_refused() {
        assert!(
            Deflate
                .encode(&[10], b"x", &mut Vec::new(), &Context::of_bytes(1))
                .is_err()
        );
        assert!(
            Deflate
                .encode(&[], b"x", &mut Vec::new(), &Context::of_bytes(1))
                .is_err()
        );
    }

    proptest! {
        #[test]
        fn round_trip(data in proptest::collection::vec(0u8..9, 0..3000), level in 0u32..=9) {
            let (mut encoded, mut decoded) = (vec![1; 10], vec![2; 5000]);
            Deflate.encode(&[level], &data, &mut encoded, &Context::of_bytes(data.len())).unwrap();
            Deflate.decode(&[level], &encoded, &mut decoded, &Context::of_bytes(data.len() + 1)).unwrap();
            prop_assert_eq!(decoded, data);
        }

        #[test]
        fn round_trip_of_what_begins_simply(
            run in 4000usize..5000,
            rest in proptest::collection::vec(any::<u8>(), 0..9000),
            level in 0u32..=9,
        ) {
            let data = [vec![7; run], rest].concat();
            let (mut encoded, mut decoded) = (Vec::new(), Vec::new());
            Deflate.encode(&[level], &data, &mut encoded, &Context::of_bytes(data.len())).unwrap();
            Deflate.decode(&[level], &encoded, &mut decoded, &Context::of_bytes(data.len())).unwrap();
            prop_assert_eq!(decoded, data);
        }

        #[test]
        fn garbage_is_an_error_or_small(data in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut out = Vec::new();
            if Deflate.decode(&[6], &data, &mut out, &Context::of_bytes(1000)).is_ok() {
                prop_assert!(out.len() <= 1000);
            }
        }
    }
}
