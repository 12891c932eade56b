//! Cuts a chunk into runs, each of which one kind of deflate block suits.
//!
//! A shuffled chunk is a sequence of planes, one for each byte of the numbers. The planes of the lowest bytes hardly repeat anything,
//! and a search for repeats spends most of its time on them for nothing. They come first in little-endian numbers, last in
//! big-endian ones:
//!
//! ```text
//! float32, little-endian   │ noise  │ values, none repeated │ some order │ order │
//!                          └─ stored ┘└─ literals ───────────┘└─ matches ─────────┘
//! ```
//!
//! A plane is judged in pieces, and a chunk without planes in blocks. Equal pieces side by side are one run. The result depends on the
//! chunk alone, so it is the same for any number of threads.

use std::cell::RefCell;
use std::ops::Range;

use crate::codec::chunk_type::ChunkType;
use crate::deflate::byte_counts::{byte_counts, entropy};
use crate::deflate::libdeflate::libdeflate;
use crate::deflate::literal_blocks::append_literals;
use crate::deflate::repeats::Repeats;

/// Smallest plane or block, in bytes, that is judged. To judge a smaller one takes as long as compressing it.
const SMALLEST: usize = 16 << 10;

/// Largest piece, in bytes.
const LARGEST: usize = 256 << 10;

/// Largest element, in bytes, whose planes are judged.
const LARGEST_ELEMENT: usize = 16;

/// Bytes are noise if codes of different lengths save fewer than one in this many of them.
const GAIN: f64 = 200.0;

/// What matches must save, as a share of the bits of literals, so that they are searched for. An encoder that codes literals alone is
/// as good else: of 90 planes of 26 fields, those that save less became at most 0.2 % larger without matches, those that save
/// more 0.7 % to a hundred times.
const LEAST_SAVING: f32 = 0.005;

/// The same for noise, which is stored twelve times as fast as it is searched.
const LEAST_SAVING_OF_NOISE: f32 = 0.01;

/// What matches must save where a trial decides otherwise.
const CLEAR_SAVING: f32 = 0.02;

/// Bits of a byte, on average, below which a trial decides. Codes of whole bits then waste much, and so do matches that libdeflate takes
/// although they cost more than literals: of two values, literals alone are 15 % larger, of rain, most of which is zero, 12 % smaller.
const SIMPLE: f64 = 4.2;

/// Bytes of a trial.
const TRIAL: usize = 16 << 10;

/// Bytes of a piece that are judged by their neighbours. A piece is looked at in its middle alone, and runs are looked for everywhere.
const PART: usize = 32 << 10;

/// The share of bytes that equal the one before them, beyond chance, from which on there are runs.
const MOST_RUNS: f64 = 0.03;

thread_local! {
    static REPEATS: RefCell<Option<Repeats>> = const { RefCell::new(None) };
    static TRIALS: RefCell<(Vec<u8>, Vec<u8>)> = const { RefCell::new((Vec::new(), Vec::new())) };
}

/// The kind of blocks that suit bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blocks {
    /// Bytes as they are.
    Stored,
    /// Codes of single bytes.
    Literals,
    /// Codes of bytes and of repeats.
    Matches,
}

/// The kind of blocks that suit a piece. `level` is libdeflate's.
pub(crate) fn blocks_for(level: i32, piece: &[u8]) -> Blocks {
    if is_one_byte(piece) {
        return Blocks::Matches;
    }
    let mut counts = [0; 256];
    for part in piece.chunks(PART) {
        let of_part = byte_counts(part);
        if has_runs(part, &of_part) {
            return Blocks::Matches;
        }
        counts
            .iter_mut()
            .zip(&of_part)
            .for_each(|(sum, count)| *sum += count);
    }
    let saving = REPEATS.with_borrow_mut(|repeats| {
        let repeats = repeats.get_or_insert_default();
        repeats.saving(piece, &counts)
    });
    if saving >= CLEAR_SAVING {
        return Blocks::Matches;
    }
    let bits = entropy(&counts);
    if is_uniform(bits, piece.len()) {
        return match saving < LEAST_SAVING_OF_NOISE {
            true => Blocks::Stored,
            false => Blocks::Matches,
        };
    }
    let repeats = match bits < SIMPLE * piece.len() as f64 {
        true => !literals_win(level, piece),
        false => saving >= LEAST_SAVING,
    };
    match repeats {
        true => Blocks::Matches,
        false => Blocks::Literals,
    }
}

/// True if literals alone take no more bytes than libdeflate of a level does, for a part of a piece.
fn literals_win(level: i32, piece: &[u8]) -> bool {
    TRIALS.with_borrow_mut(|(compressed, literals)| {
        let length = piece.len().min(TRIAL);
        let start = (piece.len() - length) / 2;
        let part = &piece[start..start + length];
        literals.clear();
        append_literals(part, true, literals);
        libdeflate(level, part, 0, compressed).is_ok() && literals.len() <= compressed.len()
    })
}

/// True if bytes equal the one before them more often than by chance: a part of them is one value, such as a mask.
fn has_runs(part: &[u8], counts: &[u64; 256]) -> bool {
    let total = part.len().max(1) as f64;
    let equal = part.iter().zip(&part[1..]).filter(|(a, b)| a == b).count() as f64;
    let by_chance: f64 = counts.iter().map(|count| (*count as f64 / total).powi(2)).sum();
    equal / total > by_chance + MOST_RUNS
}

/// True if all bytes are equal.
pub(crate) fn is_one_byte(piece: &[u8]) -> bool {
    match piece.split_last() {
        // Each byte equals the next.
        Some((_, first)) => first == &piece[1..],
        None => true,
    }
}

/// True if bytes are so evenly distributed that codes of different lengths save less than [`GAIN`] allows.
fn is_uniform(entropy: f64, length: usize) -> bool {
    // The entropy of a sample is lower than that of its source, by about half a bit for each value.
    let missing = 255.0 / 2.0 * std::f64::consts::LOG2_E;
    entropy + missing > 8.0 * length as f64 * (1.0 - 1.0 / GAIN)
}

/// A part of a chunk, and the kind of its blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    pub blocks: Blocks,
    pub range: Range<usize>,
}

impl Run {
    /// All of a chunk, which is not judged.
    pub fn of_matches(input: &[u8]) -> Self {
        Self {
            blocks: Blocks::Matches,
            range: 0..input.len(),
        }
    }
}

/// The planes of shuffled chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Planes {
    /// Number of planes: the size of an element, in bytes.
    count: usize,
}

impl Planes {
    /// The planes of chunks of type `chunk`.
    pub fn of(chunk: &ChunkType) -> Self {
        Self {
            count: chunk.element_size,
        }
    }

    /// Length of each plane of a chunk of `size` bytes. `None` if its elements have no planes that are judged.
    pub fn length(self, size: usize) -> Option<usize> {
        (2..=LARGEST_ELEMENT)
            .contains(&self.count)
            .then(|| size / self.count)
            .filter(|length| *length > 0)
    }

    /// The runs of a chunk, which follow one another. There is at least one. `level` is libdeflate's.
    pub fn runs(self, level: i32, input: &[u8]) -> Vec<Run> {
        let length = self.length(input.len()).unwrap_or(input.len());
        if length < SMALLEST {
            return vec![Run::of_matches(input)];
        }
        let mut runs: Vec<Run> = Vec::new();
        for plane in (0..input.len()).step_by(length) {
            let end = (plane + length).min(input.len());
            // Bytes past the last whole element go with what is before them.
            let parts = (end - plane).div_ceil(LARGEST);
            let piece = (end - plane).div_ceil(parts);
            for start in (plane..end).step_by(piece) {
                let range = start..(start + piece).min(end);
                let last = runs.last_mut();
                let blocks = match &last {
                    Some(last) if range.len() < SMALLEST => last.blocks,
                    _ => blocks_for(level, &input[range.clone()]),
                };
                match last {
                    Some(last) if last.blocks == blocks => last.range.end = range.end,
                    _ => runs.push(Run { blocks, range }),
                }
            }
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NumberClass;
    use crate::shuffle::shuffle;
    use Blocks::{Literals, Matches, Stored};
    use ncutils_model::Endian;

    /// Random bytes.
    fn noise(length: usize) -> Vec<u8> {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let next = |_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 24) as u8
        };
        (0..length).map(next).collect()
    }

    fn planes(count: usize) -> Planes {
        Planes::of(&ChunkType::of_numbers(
            NumberClass::Float,
            count,
            Endian::Little,
            &[100, 10],
        ))
    }

    fn runs(count: usize, input: &[u8]) -> Vec<(Blocks, Range<usize>)> {
        let runs = planes(count).runs(5, input);
        assert_eq!(runs.last().map(|run| run.range.end), Some(input.len()));
        assert!(
            runs.windows(2)
                .all(|pair| pair[0].range.end == pair[1].range.start)
        );
        runs.into_iter().map(|run| (run.blocks, run.range)).collect()
    }

    #[test]
    fn each_plane_has_the_blocks_that_suit_it() {
        let plane = 40_000;
        let order = vec![7; plane];
        let noise = noise(plane);
        let values: Vec<u8> = noise.iter().map(|byte| byte & 0x3f).collect();
        for (input, wanted) in [
            (
                [&noise, &noise, &order, &order],
                vec![(Stored, 0..2), (Matches, 2..4)],
            ),
            (
                [&order, &values, &values, &noise],
                vec![(Matches, 0..1), (Literals, 1..3), (Stored, 3..4)],
            ),
            (
                [&noise, &order, &noise, &noise],
                vec![(Stored, 0..1), (Matches, 1..2), (Stored, 2..4)],
            ),
            ([&noise, &noise, &noise, &noise], vec![(Stored, 0..4)]),
        ] {
            let input = input.map(Vec::as_slice).concat();
            let wanted: Vec<_> = wanted
                .into_iter()
                .map(|(blocks, at)| (blocks, at.start * plane..at.end * plane))
                .collect();
            assert_eq!(runs(4, &input), wanted);
        }
    }

    #[test]
    fn a_plane_that_repeats_itself_has_matches() {
        for row in [100, 1000, 9000, 30_000] {
            let repeated = noise(row).repeat(240_000 / row);
            assert_eq!(
                runs(2, &repeated.repeat(2)),
                [(Matches, 0..2 * repeated.len())],
                "{row}"
            );
        }
    }

    #[test]
    fn chunks_without_planes_are_judged_in_blocks() {
        let noise = noise(600_000);
        assert_eq!(runs(1, &noise), [(Stored, 0..600_000)]);
        assert_eq!(runs(20, &noise), [(Stored, 0..600_000)]);
        // A piece that is half a mask has matches.
        let half = [&vec![0; 300_000], &noise[..300_000]].concat();
        assert_eq!(
            runs(1, &half),
            [(Matches, 0..400_000), (Stored, 400_000..600_000)]
        );
    }

    #[test]
    fn small_planes_and_chunks_are_not_judged() {
        assert_eq!(runs(4, &noise(40_000)), [(Matches, 0..40_000)]);
        assert_eq!(runs(1, &noise(10_000)), [(Matches, 0..10_000)]);
        assert_eq!(runs(4, &[]), [(Matches, 0..0)]);
        // Bytes past the last element.
        assert_eq!(runs(3, &noise(300_001)), [(Stored, 0..300_001)]);
    }

    #[test]
    fn numbers_with_noise_in_their_last_bits() {
        let noise = noise(400_000);
        let numbers = noise.chunks_exact(4).enumerate().flat_map(|(n, bytes)| {
            let value = 280.0 + (n as f32 / 900.0).sin();
            let low = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) & 0xffff;
            (value.to_bits() & 0xffff_0000 | low).to_le_bytes()
        });
        let mut shuffled = Vec::new();
        let numbers: Vec<u8> = numbers.collect();
        let codec = crate::test_codec::bound(&shuffle::Shuffle, &[4], numbers.len()).unwrap();
        codec
            .encode(&numbers, crate::ChunkShape::Full, &mut shuffled)
            .unwrap();
        assert_eq!(
            runs(4, &shuffled),
            [(Stored, 0..200_000), (Matches, 200_000..400_000)]
        );
    }
}
