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
/// does. See also [`RUN`] and [`SMALL_LEVEL`].
pub const LEVELS: [i32; 10] = [0, 3, 6, 6, 6, 6, 7, 7, 10, 10];

/// A run of equal bytes at the beginning of at least this length is encoded by itself. libdeflate's faster levels choose the
/// shortest match worth coding from the variety of the first 4 KiB. Where that is a plane of equal bytes (rounded
/// and then shuffled numbers) they overlook short matches in the whole first block: up to 25 % more than zlib on
/// 16 KiB, 5 % on 64 KiB. With the run apart, inputs of 64 KiB are 6 % smaller than zlib's on average.
const RUN: usize = 1024;

/// The level for small inputs whose beginning is much simpler than the rest, for which a run apart is not enough. The
/// near-optimal level does without that guess, but takes eight times as long as level 6: so only for these.
const SMALL_LEVEL: i32 = 10;

/// The longest input for which [`SMALL_LEVEL`] counts.
const SMALL: usize = 32 << 10;

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
    // With more different bytes libdeflate looks for matches of 5 bytes and less anyway.
    const SIMPLE: usize = 16;
    if input.len() > SMALL || input.len() <= GUESSED_FROM {
        return false;
    }
    let (beginning, rest) = input.split_at(GUESSED_FROM);
    let variety_there = variety(beginning);
    variety_there <= SIMPLE && variety(rest) > 2 * variety_there
}

/// How many bytes at the beginning are equal.
fn leading_run(input: &[u8]) -> usize {
    let Some(first) = input.first() else { return 0 };
    input.iter().position(|byte| byte != first).unwrap_or(input.len())
}

/// Appends a deflate block (RFC 1951, 3.2.6: fixed codes, not the last) for at most `run` times `byte`, so many that the block
/// ends with a whole byte. Returns how many. `run` is [`RUN`] at least.
fn push_run(out: &mut Vec<u8>, byte: u8, run: usize) -> usize {
    let (mut bits, mut n) = (0u32, 0u32);
    let mut push = |value: u32, length: u32| {
        bits |= value << n;
        n += length;
        while n >= 8 {
            out.push(bits as u8);
            bits >>= 8;
            n -= 8;
        }
        n
    };
    // Huffman codes begin with their highest bit, all else with its lowest.
    let code = |value: u32, length: u32| value.reverse_bits() >> (32 - length);
    push(0b010, 3);
    match u32::from(byte) {
        literal @ 0..144 => push(code(0x30 + literal, 8), 8),
        literal => push(code(0x190 + literal - 144, 9), 9),
    };
    // Two short matches may be needed at the end, of 46 bytes together.
    let matches = (run - 1 - 46) / 258;
    let mut partial = 0;
    for _ in 0..matches {
        // Length 258 is symbol 285; distance 1 is five zero bits.
        push(code(0xC5, 8), 8);
        partial = push(0, 5);
    }
    let mut done = 1 + matches * 258;
    // Short matches of 12 to 15 bits fill the last byte of the block, whose end takes 7 bits: length, symbol, extra bits.
    const THREE: (usize, u32, u32) = (3, 257, 0);
    const ELEVEN: (usize, u32, u32) = (11, 265, 1);
    const NINETEEN: (usize, u32, u32) = (19, 269, 2);
    const THIRTY_FIVE: (usize, u32, u32) = (35, 273, 3);
    let short: &[_] = match (partial + 7) % 8 {
        0 => &[],
        1 => &[THIRTY_FIVE],
        2 => &[NINETEEN],
        3 => &[ELEVEN],
        4 => &[THREE],
        5 => &[THREE, THIRTY_FIVE],
        6 => &[THREE, NINETEEN],
        _ => &[THREE, ELEVEN],
    };
    for (length, symbol, extra) in short {
        push(code(symbol - 256, 7), 7);
        push(0, extra + 5);
        done += length;
    }
    let left = push(0, 7);
    debug_assert_eq!(left, 0, "the block ends with a whole byte");
    done
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

    /// Encodes an input that begins with `run` equal bytes: a zlib stream (RFC 1950) whose first block is the run.
    fn encode_run(
        &self,
        compressor: &mut Compressor,
        run: usize,
        input: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        out.clear();
        // A window of 32 KiB, the default effort.
        out.extend([0x78, 0x9C]);
        let done = push_run(out, input[0], run);
        let rest = &input[done..];
        let at = out.len();
        out.resize(at + compressor.deflate_compress_bound(rest.len()), 0);
        let size = compressor
            .deflate_compress(rest, &mut out[at..])
            .map_err(|error| failure(self, error.to_string()))?;
        out.truncate(at + size);
        out.extend(libdeflater::adler32(input).to_be_bytes());
        Ok(())
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
        let small = level > 0 && level < SMALL_LEVEL && beginning_misleads(input);
        if small {
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
            let run = leading_run(input);
            if level > 0 && !small && (RUN..input.len()).contains(&run) {
                return self.encode_run(compressor, run, input, out);
            }
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
        fn round_trip_of_runs(
            byte in any::<u8>(),
            run in 0usize..3000,
            rest in proptest::collection::vec(any::<u8>(), 0..300),
            level in 0u32..=9,
        ) {
            let data = [vec![byte; run], rest].concat();
            let (mut encoded, mut decoded) = (Vec::new(), Vec::new());
            Deflate.encode(&[level], &data, &mut encoded, &context(data.len())).unwrap();
            Deflate.decode(&[level], &encoded, &mut decoded, &context(data.len())).unwrap();
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
