//! The encoder of what repeats: libdeflate, or zlib-rs for inputs that mislead libdeflate.
//!
//! libdeflate's faster levels estimate the minimum useful match length from the number of different bytes in the first
//! 4 KiB. If these belong to a plane of few different bytes (numbers rounded, then shuffled), short matches are missed
//! in the whole first block. In a small input, that is most of it.

use std::cell::RefCell;

use flate2::{Compress, FlushCompress, Status};

use crate::Outcome;
use crate::deflate::blocks::fixed_codes::{self, append_fixed};
use crate::deflate::libdeflate::libdeflate;

/// The libdeflate level for each zlib level.
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
///
/// Levels 8 and 9 were measured on 20 arrays (fields as above; steps, saws, patterns, random walks), cut to the same
/// lengths, shuffled and not, against zlib 1.2.13:
///
/// | zlib level | libdeflate level | mean size | largest | zlib's time / libdeflate's |
/// | --- | --- | --- | --- | --- |
/// | 8 | 9 | −0.7 % | +3 % | 3.5 |
/// | 9 | 9 | −0.3 % | +5 % | 6.5 |
/// | 9 | 10 | −2.0 % | +15 % | 2.6; on shuffled fields of full precision 0.7 |
///
/// Level 6 would be half a percent smaller than 5, and take a fifth more time. Level 4 takes a tenth less time, but
/// lacks a lazy search. On 420 structured arrays (ramps, saws, waves, steps, patterns, random walks; shuffled and not),
/// level 4 is more than 2 % larger than zlib 4 on 53, level 5 on 34, level 6 on 35. Level 10 is slower than zlib 9 on
/// the fields that are copied most, so no level has it. See also `MISLED_LEVELS`.
pub const LEVELS: [i32; 10] = [0, 3, 5, 5, 5, 5, 7, 7, 9, 9];

/// The libdeflate level for the rest of a chunk whose planes of noise are stored, where `LEVELS` has `LAZY`.
///
/// Measured on 100 fields of 361 x 720 numbers with noise in the last 15 of 32 bits and 40 of 64: the copy takes 6 % and
/// 11 % less time than with the lazy search of level 5, and the file is 0.2 % and 0.3 % larger.
///
/// Of packed temperatures (int16 in hundredths of a degree, 361 x 720), two thirds of the time are the search in the upper plane. Nothing
/// faster is nearly as small. Sizes are shares of the chunk:
///
/// | upper plane | time | size |
/// | --- | --- | --- |
/// | level 5 | 2.24 ms | 8.09 % |
/// | level 4 | 1.88 ms | 8.40 % |
/// | level 3 | 1.53 ms | 8.57 % |
/// | level 2 | 1.23 ms | 8.88 % |
/// | level 1 | 0.89 ms | 9.32 % |
/// | literals and runs | 0.75 ms | 10.82 % |
/// | lower plane, stored | 0.1 ms | 50.00 % |
const BESIDE_NOISE: i32 = 4;

/// Different bytes at the beginning of an input from which on [`BESIDE_NOISE`] is nearly as small as the lazy search. From fewer,
/// libdeflate guesses that only matches of 8 bytes are useful, and level 4 takes longer for an output that is 1 % of the chunk larger.
const GUESSED_WELL: usize = 8;

/// The libdeflate level of a quick search: a hash table without chains.
///
/// Measured on the upper bytes of a noisy field of temperatures and of its cubes: half the time of level 5, and 4.5 % and 2 %
/// larger; the chunks are 0.2 % of their content larger, and smaller than without literal blocks.
const QUICK: i32 = 1;

/// The lowest libdeflate level that searches lazily.
const LAZY: i32 = 5;

/// Maximum length, in bytes, of an input whose beginning is checked.
const SMALL: usize = 128 << 10;

/// Maximum length, in bytes, of an input for the near-optimal level. That level takes four times zlib's time. But if
/// the input begins with equal bytes, only it is never larger than zlib.
const TINY: usize = 16 << 10;

/// The zlib-rs level for each zlib level, for inputs that mislead libdeflate and are not planes of a shuffled chunk.
///
/// Measured on 60 shuffled fields of numbers rounded to 7 to 12 bits of mantissa and on packed time series, in 16 to
/// 128 KiB: on average 1 to 12 % smaller than zlib at levels up to 5, equal at 6 and 7, and as fast or faster. libdeflate at
/// level 6 is up to 25 % larger on these, and at its near-optimal level takes four times zlib's time. At levels 8 and 9,
/// it is up to 18 % larger than zlib, and zlib-rs at level 9 is smaller.
const MISLED_LEVELS: [u32; 10] = [0, 4, 7, 7, 7, 7, 7, 8, 9, 9];

/// The first libdeflate level that searches matches without guessing their minimum length.
const NEAR_OPTIMAL: i32 = 10;

/// Bytes from which libdeflate estimates.
const GUESSED_FROM: usize = 4096;

/// Different bytes that mislead no more. With 46, libdeflate searches for matches of 4 bytes in any case, and with 80 for matches of 3.
const RICH: usize = 46;

thread_local! {
    static MISLED: RefCell<[Option<Compress>; 10]> = const { RefCell::new([const { None }; 10]) };
}

/// Number of different bytes.
fn variety(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    for byte in bytes {
        seen[usize::from(*byte)] = true;
    }
    seen.iter().filter(|seen| **seen).count()
}

/// True if there are more than `most` different bytes.
fn is_more_various(bytes: &[u8], most: usize) -> bool {
    /// Bytes after which to count again.
    const STEP: usize = 1024;
    let mut seen = [false; 256];
    bytes.chunks(STEP).any(|part| {
        for byte in part {
            seen[usize::from(*byte)] = true;
        }
        seen.iter().filter(|seen| **seen).count() > most
    })
}

/// The bytes that libdeflate estimates from.
fn beginning(input: &[u8]) -> &[u8] {
    &input[..input.len().min(GUESSED_FROM)]
}

/// The number of different bytes at the beginning of an input that misleads libdeflate: what follows has more than twice as many.
fn misleading(input: &[u8]) -> Option<usize> {
    if !(GUESSED_FROM + 1..=SMALL).contains(&input.len()) {
        return None;
    }
    let (beginning, rest) = input.split_at(GUESSED_FROM);
    let n = variety(beginning);
    (n < RICH && is_more_various(rest, 2 * n)).then_some(n)
}

/// True if the planes of `plane` bytes each that make up `input` are to be compressed one by one, as the first of them misleads
/// libdeflate.
///
/// Measured on 168 shuffled arrays of 16 to 128 KiB (rounded to 7 to 12 bits of mantissa: noise, random walks, waves, steps, mostly
/// zero, masked), at level 4: on average 9 % smaller than zlib 4, where zlib 6 is 7 % smaller and takes three times as long. Outputs of
/// a few hundred bytes are up to 90 bytes larger.
pub(crate) fn is_misled_by_first_plane(input: &[u8], plane: usize) -> bool {
    (GUESSED_FROM..input.len()).contains(&plane)
        && misleading(input).is_some_and(|n| !is_more_various(&input[..plane], 2 * n))
}

/// How repeats are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Search {
    /// As the level asks.
    Usual,
    /// As the level asks, or a little less.
    BesideNoise,
    /// In half the time.
    Quick,
}

/// True if a quick search may take the place of that of a level. Higher levels ask for the smallest output.
pub(crate) fn has_quick(level: usize) -> bool {
    (QUICK + 1..=LAZY).contains(&LEVELS[level])
}

/// Puts a deflate stream of `input` into `out`, from byte `start` to the end. What is behind `start` is lost. `level` is zlib's.
pub(crate) fn encode_matches(
    level: usize,
    input: &[u8],
    search: Search,
    start: usize,
    out: &mut Vec<u8>,
) -> Outcome {
    let usual = match (search, LEVELS[level]) {
        (Search::BesideNoise, LAZY) if variety(beginning(input)) >= GUESSED_WELL => BESIDE_NOISE,
        (Search::Quick, _) if has_quick(level) => QUICK,
        (_, usual) => usual,
    };
    if level == 0 {
        return libdeflate(usual, input, start, out);
    }
    if input.len() <= fixed_codes::MOST {
        out.truncate(start);
        append_fixed(input, out);
        return Ok(());
    }
    match misleading(input) {
        None => libdeflate(usual, input, start, out),
        Some(1) if input.len() <= TINY => libdeflate(NEAR_OPTIMAL, input, start, out),
        Some(_) => zlib_rs(MISLED_LEVELS[level], input, start, out),
    }
}

/// [`encode_matches`] by zlib-rs, whose level is `level`.
fn zlib_rs(level: u32, input: &[u8], start: usize, out: &mut Vec<u8>) -> Outcome {
    MISLED.with_borrow_mut(|compressors| {
        // Stored blocks add five bytes per 16 KiB.
        out.resize(start + input.len() + input.len() / 1024 + 64, 0);
        let slot = compressors.get_mut(level as usize);
        let slot = slot.ok_or_else(|| format!("no level {level}"))?;
        let compressor = slot.get_or_insert_with(|| Compress::new(flate2::Compression::new(level), false));
        compressor.reset();
        let status = compressor
            .compress(input, &mut out[start..], FlushCompress::Finish)
            .map_err(|error| error.to_string())?;
        if status != Status::StreamEnd {
            return Err("an output larger than its bound".to_owned());
        }
        out.truncate(start + compressor.total_out() as usize);
        Ok(())
    })
}
