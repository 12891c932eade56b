//! Finds the parts of a chunk that no encoder can shorten.
//!
//! A shuffled chunk is a sequence of planes, one for each byte of the numbers. The planes of the lowest bytes are mostly
//! noise, and an encoder spends most of its time on them for nothing. They come first in little-endian numbers, last in
//! big-endian ones:
//!
//! ```text
//! float32, little-endian   │ noise │ noise │ some order │ order │
//!                          └─ stored ──────┘└─ compressed ──────┘
//! ```
//!
//! The result depends on the chunk alone, so it is the same for any number of threads.

use std::cell::RefCell;
use std::ops::Range;

use libdeflater::{CompressionLvl, Compressor};

use crate::codec::chunk_type::ChunkType;
use crate::deflate::byte_counts::{byte_counts, entropy};

/// Smallest plane, in bytes, that is judged. A trial on a smaller one takes as long as compressing it.
const SMALLEST: usize = 16 << 10;

/// Largest element, in bytes, whose planes are judged.
const LARGEST_ELEMENT: usize = 16;

/// Number of pieces of a plane that are compressed for a trial.
const PIECES: usize = 3;

/// Smallest and largest piece of a plane, in bytes. A larger one finds no more, as deflate looks back 32 KiB.
const PIECE: Range<usize> = 4096..34 << 10;

/// A plane is noise if fewer than one in this many of its bytes can be saved.
const GAIN: usize = 200;

/// The level of a trial. Repetitions are found at any level.
const TRIAL_LEVEL: i32 = 1;

thread_local! {
    static TRIAL: RefCell<Option<(Compressor, Vec<u8>)>> = const { RefCell::new(None) };
}

/// The planes of shuffled chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Planes {
    /// Number of planes: the size of an element, in bytes.
    count: usize,
    /// Elements of a row: the distance, in bytes, at which a plane may repeat itself.
    row: usize,
}

impl Planes {
    /// The planes of chunks of type `chunk`.
    pub fn of(chunk: &ChunkType) -> Self {
        Self {
            count: chunk.element_size,
            row: chunk
                .shape
                .last()
                .map_or(1, |row| usize::try_from(*row).unwrap_or(usize::MAX)),
        }
    }

    /// Length of each plane of a chunk of `size` bytes. `None` if its elements have no planes that are judged.
    pub fn length(self, size: usize) -> Option<usize> {
        (2..=LARGEST_ELEMENT)
            .contains(&self.count)
            .then(|| size / self.count)
            .filter(|length| *length > 0)
    }

    /// The part of `input` that is worth compressing: all but the planes of noise at its beginning and at its end.
    pub fn worth_compressing(self, input: &[u8]) -> Range<usize> {
        let all = 0..input.len();
        if !(2..=LARGEST_ELEMENT).contains(&self.count) {
            return all;
        }
        let plane = input.len() / self.count;
        if plane < SMALLEST {
            return all;
        }
        let is_noise = |bytes: &&[u8]| self.is_noise(bytes);
        let front = input
            .chunks_exact(plane)
            .take(self.count)
            .take_while(is_noise)
            .count();
        if front == self.count {
            // Bytes past the last whole element are stored too.
            return input.len()..input.len();
        }
        let back = input
            .rchunks_exact(plane)
            .take(self.count - front)
            .take_while(is_noise)
            .count();
        front * plane..input.len() - back * plane
    }

    fn is_noise(self, plane: &[u8]) -> bool {
        let length = self.row.saturating_mul(5) / 2;
        let length = length.clamp(PIECE.start, PIECE.end).min(plane.len());
        let places = (0..PIECES).map(|n| (plane.len() - length) / (PIECES - 1) * n);
        let mut pieces = places.filter_map(|at| plane.get(at..at + length));
        pieces.all(has_no_repetitions) && is_uniform(plane)
    }
}

/// True if compressing a piece saves less than [`GAIN`] allows.
fn has_no_repetitions(piece: &[u8]) -> bool {
    TRIAL.with_borrow_mut(|slot| {
        let (compressor, out) = match slot {
            Some(trial) => trial,
            None => {
                let Ok(level) = CompressionLvl::new(TRIAL_LEVEL) else {
                    return false;
                };
                slot.insert((Compressor::new(level), Vec::new()))
            }
        };
        // Output that does not fit saves nothing.
        out.resize(piece.len() - piece.len() / GAIN, 0);
        compressor.deflate_compress(piece, out).is_err()
    })
}

/// True if the bytes of a plane are so evenly distributed that codes of different lengths save less than [`GAIN`]
/// allows.
fn is_uniform(plane: &[u8]) -> bool {
    let total = plane.len() as f64;
    let entropy = entropy(&byte_counts(plane));
    // The entropy of a sample is lower than that of its source, by about half a bit for each value.
    let missing = 255.0 / 2.0 * std::f64::consts::LOG2_E;
    entropy + missing > 8.0 * total * (1.0 - 1.0 / GAIN as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NumberClass;
    use crate::shuffle::shuffle;
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

    fn planes(count: usize, row: u64) -> Planes {
        Planes::of(&ChunkType::of_numbers(
            NumberClass::Float,
            count,
            Endian::Little,
            &[100, row],
        ))
    }

    #[test]
    fn planes_of_noise_at_either_end_are_left_out() {
        let plane = 40_000;
        let order = vec![7; plane];
        let noise = noise(plane);
        for (planes_of, worth) in [
            ([&noise, &noise, &order, &order], 2..4),
            ([&order, &order, &order, &noise], 0..3),
            ([&noise, &order, &noise, &noise], 1..2),
            ([&order, &noise, &order, &order], 0..4),
            ([&noise, &noise, &noise, &noise], 4..4),
        ] {
            let input = planes_of.map(Vec::as_slice).concat();
            let found = planes(4, 400).worth_compressing(&input);
            assert_eq!(found, worth.start * plane..worth.end * plane);
        }
    }

    #[test]
    fn a_plane_that_repeats_its_rows_is_no_noise() {
        for row in [100, 1000, 9000] {
            let repeated = noise(row).repeat(90_000 / row);
            let found = planes(2, row as u64).worth_compressing(&repeated.repeat(2));
            assert_eq!(found, 0..2 * repeated.len(), "{row}");
        }
    }

    #[test]
    fn a_plane_with_a_hole_between_the_pieces_is_no_noise() {
        let mut plane = noise(100_000);
        plane[20_000..24_000].fill(0);
        let found = planes(2, 10).worth_compressing(&plane.repeat(2));
        assert_eq!(found, 0..200_000);
    }

    #[test]
    fn small_planes_and_single_bytes_are_not_judged() {
        assert_eq!(planes(4, 10).worth_compressing(&noise(40_000)), 0..40_000);
        assert_eq!(planes(1, 10).worth_compressing(&noise(80_000)), 0..80_000);
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
        assert_eq!(planes(4, 1000).worth_compressing(&shuffled), 200_000..400_000);
    }
}
