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
//! A plane is judged in pieces, and so is a chunk without planes. Pieces side by side of the same kind are one run. The result depends
//! on the chunk alone, so it is the same for any number of threads.

use std::ops::Range;

use crate::codec::chunk_type::ChunkType;
use crate::deflate::blocks::repeated_byte::repeated_byte;
use crate::deflate::encoder::{Search, is_misled_by_first_plane};
use crate::deflate::judge::{Blocks, Judge, with_judge};

/// Smallest plane or block, in bytes, that is judged. To judge a smaller one takes as long as compressing it, and the header of its
/// own codes takes what they save.
const SMALLEST: usize = 4 << 10;

/// How far matches reach back, in bytes (RFC 1951, 2).
const WINDOW: usize = 32 << 10;

/// Largest piece, in bytes.
const LARGEST: usize = 256 << 10;

/// Largest element, in bytes, whose planes are judged.
const LARGEST_ELEMENT: usize = 16;

/// A part of a chunk, and the kind of its blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeflateRun {
    pub blocks: Blocks,
    pub range: Range<usize>,
    /// True if repeats are searched quickly.
    pub is_quick: bool,
}

impl DeflateRun {
    /// All of a chunk, which is not judged.
    pub fn of_matches(input: &[u8]) -> Self {
        Self {
            blocks: Blocks::Matches,
            range: 0..input.len(),
            is_quick: false,
        }
    }

    /// How repeats are searched: quickly, or as is `usual` in the chunk.
    pub fn search(&self, usual: Search) -> Search {
        match self.is_quick {
            true => Search::Quick,
            false => usual,
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

    /// The runs of a chunk, which follow one another. There is at least one. `level` is zlib's, 1 to 9.
    pub fn runs(self, level: usize, input: &[u8]) -> Vec<DeflateRun> {
        let plane = self.length(input.len());
        let length = plane.unwrap_or(input.len());
        let mut runs = Runs(Vec::new());
        if length >= SMALLEST {
            with_judge(level, input.len(), |judge| {
                // Bytes past the last whole element are a plane.
                for start in (0..input.len()).step_by(length) {
                    let plane = start..(start + length).min(input.len());
                    match is_copied(input, &plane) {
                        true => runs.add(Blocks::Matches, plane),
                        false => runs.add_pieces(judge, input, plane),
                    }
                }
                runs.join_short_end();
                runs.choose_quick(judge, input, length);
            });
        } else {
            runs.add(Blocks::Matches, 0..input.len());
        }
        match plane {
            Some(plane) => runs.cut_where_misled(input, plane),
            None => runs.0,
        }
    }
}

/// Runs that follow one another. Those beside each other are of different kinds.
struct Runs(Vec<DeflateRun>);

impl Runs {
    fn add(&mut self, blocks: Blocks, range: Range<usize>) {
        match self.0.last_mut() {
            Some(last) if last.blocks == blocks => last.range.end = range.end,
            _ => self.0.push(DeflateRun {
                blocks,
                range,
                is_quick: false,
            }),
        }
    }

    /// Adds a plane, or a chunk without planes, in pieces that are judged.
    fn add_pieces(&mut self, judge: &mut Judge<'_>, input: &[u8], plane: Range<usize>) {
        let pieces = plane.len().div_ceil(LARGEST);
        let length = plane.len().div_ceil(pieces);
        for start in plane.clone().step_by(length) {
            let range = start..(start + length).min(plane.end);
            let piece = &input[range.clone()];
            let blocks = match self.0.last() {
                Some(last) if piece.len() < SMALLEST => blocks_of_rest(last.blocks, piece),
                _ => judge.blocks_for(piece),
            };
            self.add(blocks, range);
        }
    }

    /// Joins a run of one repeated byte at the end with longer matches before it. To find their last block takes longer than to
    /// search that run too.
    fn join_short_end(&mut self) {
        if let [.., before, last] = &mut self.0[..]
            && before.blocks == Blocks::Matches
            && matches!(last.blocks, Blocks::Repeated(_))
            && last.range.len() < before.range.len()
        {
            before.range.end = last.range.end;
            self.0.pop();
        }
    }

    /// Lets repeats be searched quickly where that is nearly as small. Several planes of `length` bytes differ too much for a trial.
    fn choose_quick(&mut self, judge: &mut Judge<'_>, input: &[u8], length: usize) {
        let runs = self.0.iter_mut();
        for run in runs.filter(|run| run.blocks == Blocks::Matches && run.range.len() <= length) {
            run.is_quick = judge.is_quick_enough(&input[run.range.clone()]);
        }
    }

    /// Makes each plane of matches a run of its own where the first of them misleads libdeflate.
    fn cut_where_misled(self, input: &[u8], plane: usize) -> Vec<DeflateRun> {
        let noise = self.0.iter().take_while(|run| run.blocks == Blocks::Stored);
        let behind_noise = &input[noise.last().map_or(0, |run| run.range.end)..];
        if !is_misled_by_first_plane(behind_noise, plane) {
            return self.0;
        }
        let mut cut = Vec::with_capacity(self.0.len());
        for run in self.0 {
            if run.blocks != Blocks::Matches {
                cut.push(run);
                continue;
            }
            for start in run.range.clone().step_by(plane) {
                let range = start..(start + plane).min(run.range.end);
                let blocks = repeated_byte(&input[range.clone()]).map_or(Blocks::Matches, Blocks::Repeated);
                cut.push(DeflateRun {
                    blocks,
                    range,
                    is_quick: run.is_quick,
                });
            }
        }
        cut
    }
}

/// True if a plane equals the one before or behind it, so that matches save one of them. Colours that are grey, and bytes widened to
/// integers of two, are such.
fn is_copied(input: &[u8], plane: &Range<usize>) -> bool {
    let (length, here) = (plane.len(), &input[plane.clone()]);
    let before = plane
        .start
        .checked_sub(length)
        .and_then(|from| input.get(from..plane.start));
    let behind = input.get(plane.end..plane.end + length);
    (SMALLEST..=WINDOW).contains(&length)
        && (before == Some(here) || behind == Some(here))
        && repeated_byte(here).is_none()
}

/// The blocks for bytes past the last whole element, which are too few to be judged: those of the piece `before` them, if they can
/// hold them.
fn blocks_of_rest(before: Blocks, rest: &[u8]) -> Blocks {
    match before {
        Blocks::Repeated(byte) if repeated_byte(rest) != Some(byte) => Blocks::Matches,
        before => before,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::NumberClass;
    use crate::shuffle::shuffle;
    use Blocks::{Literals, Matches, Repeated, Stored};
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

    pub(crate) fn planes(count: usize) -> Planes {
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
                vec![(Stored, 0..2), (Repeated(7), 2..4)],
            ),
            (
                [&order, &values, &values, &noise],
                vec![(Repeated(7), 0..1), (Literals, 1..3), (Stored, 3..4)],
            ),
            (
                [&noise, &order, &noise, &noise],
                vec![(Stored, 0..1), (Repeated(7), 1..2), (Stored, 2..4)],
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
    fn planes_that_are_copies_have_matches() {
        let noise = noise(50_000);
        let (one, other) = (&noise[..5000], &noise[10_000..15_000]);
        assert_eq!(
            runs(4, &[one, other, other, one].concat()),
            [
                (Stored, 0..5000),
                (Matches, 5000..15_000),
                (Stored, 15_000..20_000)
            ]
        );
        assert_eq!(runs(2, &[7; 10_000]), [(Repeated(7), 0..10_000)]);
        // Matches do not reach so far.
        assert_eq!(runs(2, &noise.repeat(2)), [(Stored, 0..100_000)]);
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
            [
                (Repeated(0), 0..200_000),
                (Matches, 200_000..400_000),
                (Stored, 400_000..600_000)
            ]
        );
    }

    #[test]
    fn small_planes_and_chunks_are_not_judged() {
        assert_eq!(runs(4, &noise(16_000)), [(Matches, 0..16_000)]);
        assert_eq!(runs(1, &noise(4_000)), [(Matches, 0..4_000)]);
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
            [
                (Stored, 0..200_000),
                (Matches, 200_000..300_000),
                (Repeated(67), 300_000..400_000)
            ]
        );
    }
}
