//! Transposes the bits of elements: all lowest bits, then all second bits, and so on.
//!
//! ```text
//! n elements of s bytes, n a multiple of 8  ◄─►  8 s planes of n / 8 bytes
//! bit i % 8 of byte i / 8 of plane 8 b + p is bit p of byte b of element i
//! ```
//!
//! Eight elements make a row of 8 s bytes. A tile of 16 rows is transposed in two steps, for sizes that are powers of two:
//!
//! 1. Its bytes, so that the 16 bytes of a column come together. Interleaving the two halves of 256 bytes four times
//!    does this for a square of 16 by 16.
//! 2. Its bits. Columns of byte b of the eight elements are the rows of 128 matrices of 8 by 8 bits. Three rounds of
//!    exchanges between columns transpose all of them (Warren, Hacker's Delight, 7-3, with columns in place of bytes).
//!
//! Compilers turn both into vector operations of 16 bytes. Processors with AVX-512 do both faster (`avx512.rs`). Rows
//! after the last tile take one matrix at a time.
//!
//! Elements of other sizes are first split into planes of bytes, and then each of these into planes of bits.

use crate::shuffle::avx512;
use crate::shuffle::squares::{self, SQUARE, Square, transpose_square};

/// Rows of eight elements in a tile. A column is a vector of this many bytes.
const ROWS: usize = squares::SIDE;

/// The largest element of the tiles, in bytes.
const LARGEST: usize = 8;

/// Bytes of a tile of elements of [`LARGEST`] bytes. The alignment is that of a cache line.
#[repr(align(64))]
struct Tile([u8; ROWS * 8 * LARGEST]);

/// Exchanges the bits of `b` under `mask` with those of `a` that are `DISTANCE` higher.
#[inline(always)]
fn exchange<const DISTANCE: u32>(a: u64, b: u64, mask: u64) -> (u64, u64) {
    let differ = ((a >> DISTANCE) ^ b) & mask;
    (a ^ (differ << DISTANCE), b ^ differ)
}

/// Transposes eight matrices of 8 by 8 bits. Byte i of word k is row k of matrix i.
#[inline(always)]
fn transpose_matrices([a, b, c, d, e, f, g, h]: [u64; 8]) -> [u64; 8] {
    const LOW_4: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    const LOW_2: u64 = 0x3333_3333_3333_3333;
    const LOW_1: u64 = 0x5555_5555_5555_5555;
    let (a, e) = exchange::<4>(a, e, LOW_4);
    let (b, f) = exchange::<4>(b, f, LOW_4);
    let (c, g) = exchange::<4>(c, g, LOW_4);
    let (d, h) = exchange::<4>(d, h, LOW_4);
    let (a, c) = exchange::<2>(a, c, LOW_2);
    let (b, d) = exchange::<2>(b, d, LOW_2);
    let (e, g) = exchange::<2>(e, g, LOW_2);
    let (f, h) = exchange::<2>(f, h, LOW_2);
    let (a, b) = exchange::<1>(a, b, LOW_1);
    let (c, d) = exchange::<1>(c, d, LOW_1);
    let (e, f) = exchange::<1>(e, f, LOW_1);
    let (g, h) = exchange::<1>(g, h, LOW_1);
    [a, b, c, d, e, f, g, h]
}

/// Exchanges the number of an element within its row with the number of a bit, in a tile of columns. The transposition
/// is its own inverse.
#[inline(always)]
fn transpose_bits<const SIZE: usize>(tile: &mut [u8]) {
    let words = tile.as_chunks_mut::<8>().0;
    // Words of the columns of one element.
    let step = 2 * SIZE;
    let words = &mut words[..8 * step];
    for i in 0..step {
        let rows = std::array::from_fn(|k| u64::from_le_bytes(words[k * step + i]));
        for (k, row) in transpose_matrices(rows).into_iter().enumerate() {
            words[k * step + i] = row.to_le_bytes();
        }
    }
}

/// Splits whole tiles of elements of `SIZE` bytes, at least two, into planes. Returns the number of rows.
#[inline(always)]
fn split_tiles<const SIZE: usize>(input: &[u8], out: &mut [u8]) -> usize {
    let plane = input.len() / (8 * SIZE);
    let mut columns = Tile([0; _]);
    let columns = &mut columns.0[..ROWS * 8 * SIZE];
    for (number, tile) in input.chunks_exact(ROWS * 8 * SIZE).enumerate() {
        for (at, square) in columns.as_chunks_mut::<SQUARE>().0.iter_mut().enumerate() {
            let mut rows = Square([0; _]);
            let pieces = rows.0.as_chunks_mut::<ROWS>().0;
            for (row, piece) in tile.chunks_exact(8 * SIZE).zip(pieces) {
                piece.copy_from_slice(&row[at * ROWS..][..ROWS]);
            }
            transpose_square(&rows.0, square);
        }
        transpose_bits::<SIZE>(columns);
        for (bit, columns) in columns.chunks_exact(ROWS * SIZE).enumerate() {
            for (byte, column) in columns.as_chunks::<ROWS>().0.iter().enumerate() {
                let to = (8 * byte + bit) * plane + number * ROWS;
                out[to..to + ROWS].copy_from_slice(column);
            }
        }
    }
    plane / ROWS * ROWS
}

/// The reverse of [`split_tiles`].
#[inline(always)]
fn join_tiles<const SIZE: usize>(input: &[u8], out: &mut [u8]) -> usize {
    let plane = input.len() / (8 * SIZE);
    let mut columns = Tile([0; _]);
    let columns = &mut columns.0[..ROWS * 8 * SIZE];
    for (number, tile) in out.chunks_exact_mut(ROWS * 8 * SIZE).enumerate() {
        for (bit, columns) in columns.chunks_exact_mut(ROWS * SIZE).enumerate() {
            for (byte, column) in columns.as_chunks_mut::<ROWS>().0.iter_mut().enumerate() {
                let from = (8 * byte + bit) * plane + number * ROWS;
                column.copy_from_slice(&input[from..from + ROWS]);
            }
        }
        transpose_bits::<SIZE>(columns);
        for (at, square) in columns.as_chunks::<SQUARE>().0.iter().enumerate() {
            let mut rows = Square([0; _]);
            transpose_square(square, &mut rows.0);
            let pieces = rows.0.as_chunks::<ROWS>().0;
            for (row, piece) in tile.chunks_exact_mut(8 * SIZE).zip(pieces) {
                row[at * ROWS..][..ROWS].copy_from_slice(piece);
            }
        }
    }
    plane / ROWS * ROWS
}

/// Splits pairs of tiles of one-byte elements, as [`split_tiles`] does, into planes that begin every `plane` bytes. Row k
/// of both tiles is row k of a square.
#[inline(always)]
fn split_bytes(input: &[u8], out: &mut [u8], plane: usize) -> usize {
    for (number, tiles) in input.as_chunks::<SQUARE>().0.iter().enumerate() {
        let (mut rows, mut columns) = (Square([0; _]), Square([0; _]));
        let (first, second) = tiles.split_at(SQUARE / 2);
        let halves = first.as_chunks::<8>().0.iter().zip(second.as_chunks::<8>().0);
        for (row, (first, second)) in rows.0.as_chunks_mut::<ROWS>().0.iter_mut().zip(halves) {
            row[..8].copy_from_slice(first);
            row[8..].copy_from_slice(second);
        }
        transpose_square(&rows.0, &mut columns.0);
        for (tile, columns) in columns.0.chunks_exact_mut(SQUARE / 2).enumerate() {
            transpose_bits::<1>(columns);
            for (bit, column) in columns.as_chunks::<ROWS>().0.iter().enumerate() {
                let to = bit * plane + (2 * number + tile) * ROWS;
                out[to..to + ROWS].copy_from_slice(column);
            }
        }
    }
    input.len() / SQUARE * 2 * ROWS
}

/// The reverse of [`split_bytes`].
#[inline(always)]
fn join_bytes(input: &[u8], plane: usize, out: &mut [u8]) -> usize {
    for (number, tiles) in out.as_chunks_mut::<SQUARE>().0.iter_mut().enumerate() {
        let (mut rows, mut columns) = (Square([0; _]), Square([0; _]));
        for (tile, columns) in columns.0.chunks_exact_mut(SQUARE / 2).enumerate() {
            for (bit, column) in columns.as_chunks_mut::<ROWS>().0.iter_mut().enumerate() {
                let from = bit * plane + (2 * number + tile) * ROWS;
                column.copy_from_slice(&input[from..from + ROWS]);
            }
            transpose_bits::<1>(columns);
        }
        transpose_square(&columns.0, &mut rows.0);
        let (first, second) = tiles.split_at_mut(SQUARE / 2);
        let halves = first
            .as_chunks_mut::<8>()
            .0
            .iter_mut()
            .zip(second.as_chunks_mut::<8>().0);
        for (row, (first, second)) in rows.0.as_chunks::<ROWS>().0.iter().zip(halves) {
            first.copy_from_slice(&row[..8]);
            second.copy_from_slice(&row[8..]);
        }
    }
    out.len() / SQUARE * 2 * ROWS
}

/// Transposes a matrix of 8 by 8 bits. Byte k is row k (Hacker's Delight, 7-3).
#[inline(always)]
fn transpose_matrix(matrix: u64) -> u64 {
    let differ = (matrix ^ (matrix >> 7)) & 0x00aa_00aa_00aa_00aa;
    let matrix = matrix ^ differ ^ (differ << 7);
    let differ = (matrix ^ (matrix >> 14)) & 0x0000_cccc_0000_cccc;
    let matrix = matrix ^ differ ^ (differ << 14);
    let differ = (matrix ^ (matrix >> 28)) & 0x0000_0000_f0f0_f0f0;
    matrix ^ differ ^ (differ << 28)
}

/// Splits the rows of eight elements from row `first` on.
fn split_rows(size: usize, first: usize, input: &[u8], out: &mut [u8]) {
    let plane = input.len() / (8 * size);
    for (number, row) in input.chunks_exact(8 * size).enumerate().skip(first) {
        for byte in 0..size {
            let matrix = u64::from_le_bytes(std::array::from_fn(|k| row[k * size + byte]));
            let bits = transpose_matrix(matrix).to_le_bytes();
            let planes = out[8 * byte * plane..][..8 * plane].chunks_exact_mut(plane);
            for (plane, bits) in planes.zip(bits) {
                plane[number] = bits;
            }
        }
    }
}

/// The reverse of [`split_rows`].
fn join_rows(size: usize, first: usize, input: &[u8], out: &mut [u8]) {
    let plane = input.len() / (8 * size);
    for (number, row) in out.chunks_exact_mut(8 * size).enumerate().skip(first) {
        for byte in 0..size {
            let planes = &input[8 * byte * plane..][..8 * plane];
            let matrix = u64::from_le_bytes(std::array::from_fn(|bit| planes[bit * plane + number]));
            for (k, bits) in transpose_matrix(matrix).to_le_bytes().into_iter().enumerate() {
                row[k * size + byte] = bits;
            }
        }
    }
}

/// Length of the longest part of a plane of bytes that is split at once, in bytes.
const PART: usize = 512;

/// Splits a plane of bytes into eight planes of bits that begin every `stride` bytes.
fn split_plane(input: &[u8], out: &mut [u8], stride: usize) {
    let split = |input: &[u8], out: &mut [u8], stride| match avx512::split_bits(1, input, out, stride) {
        0 => split_bytes(input, out, stride),
        done => done,
    };
    let done = split(input, out, stride);
    let rest = &input[8 * done..];
    if !rest.is_empty() {
        let (mut padded, mut bits) = ([0; PART], [0; PART]);
        padded[..rest.len()].copy_from_slice(rest);
        split(&padded, &mut bits, PART / 8);
        for (bit, plane) in bits.chunks_exact(PART / 8).enumerate() {
            let rows = rest.len() / 8;
            out[bit * stride + done..][..rows].copy_from_slice(&plane[..rows]);
        }
    }
}

/// The reverse of [`split_plane`].
fn join_plane(input: &[u8], stride: usize, out: &mut [u8]) {
    let join = |input: &[u8], stride, out: &mut [u8]| match avx512::join_bits(1, input, stride, out) {
        0 => join_bytes(input, stride, out),
        done => done,
    };
    let done = join(input, stride, out);
    let rest = &mut out[8 * done..];
    if !rest.is_empty() {
        let (mut padded, mut bits) = ([0; PART], [0; PART]);
        for (bit, plane) in bits.chunks_exact_mut(PART / 8).enumerate() {
            // More than is needed, if it is there: a copy of known length is faster.
            let from = &input[bit * stride + done..];
            let rows = from.len().min(PART / 8);
            match from.first_chunk::<{ PART / 8 }>() {
                Some(from) => plane.copy_from_slice(from),
                None => plane[..rows].copy_from_slice(from),
            }
        }
        join(&bits, PART / 8, &mut padded);
        rest.copy_from_slice(&padded[..rest.len()]);
    }
}

/// Bytes of elements whose bytes and then bits are separated.
const PLANES: usize = 8192;

/// Number of elements of `size` bytes whose planes of bytes are made at once, a multiple of eight; 0 if elements are too
/// large.
fn elements_at_once(size: usize) -> usize {
    PLANES / size / 8 * 8
}

/// Splits elements of any size up to `PLANES / 8`.
fn split_planes(size: usize, input: &[u8], out: &mut [u8]) {
    let (stride, step) = (input.len() / (8 * size), elements_at_once(size));
    let mut bytes = [0; PLANES];
    for (number, elements) in input.chunks(step * size).enumerate() {
        let count = elements.len() / size;
        let done = squares::split(size, elements, &mut bytes, count);
        for (at, element) in elements.chunks_exact(size).enumerate().skip(done) {
            for (byte, value) in element.iter().enumerate() {
                bytes[byte * count + at] = *value;
            }
        }
        for (byte, plane) in bytes.chunks_exact(count).take(size).enumerate() {
            split_plane(plane, &mut out[8 * byte * stride + number * step / 8..], stride);
        }
    }
}

/// The reverse of [`split_planes`].
fn join_planes(size: usize, input: &[u8], out: &mut [u8]) {
    let (stride, step) = (input.len() / (8 * size), elements_at_once(size));
    let mut bytes = [0; PLANES];
    for (number, elements) in out.chunks_mut(step * size).enumerate() {
        let count = elements.len() / size;
        for (byte, plane) in bytes.chunks_exact_mut(count).take(size).enumerate() {
            join_plane(&input[8 * byte * stride + number * step / 8..], stride, plane);
        }
        let done = squares::join(size, &bytes[..size * count], count, elements);
        for (at, element) in elements.chunks_exact_mut(size).enumerate().skip(done) {
            for (byte, value) in element.iter_mut().enumerate() {
                *value = bytes[byte * count + at];
            }
        }
    }
}

/// Splits elements of `size` bytes into planes of bits on any processor.
fn split_anywhere(size: usize, input: &[u8], out: &mut [u8]) {
    let done = match size {
        1 => split_bytes(input, out, input.len() / 8),
        2 => split_tiles::<2>(input, out),
        4 => split_tiles::<4>(input, out),
        8 => split_tiles::<8>(input, out),
        _ if elements_at_once(size) > 0 => return split_planes(size, input, out),
        _ => 0,
    };
    split_rows(size, done, input, out);
}

/// The reverse of [`split_anywhere`].
fn join_anywhere(size: usize, input: &[u8], out: &mut [u8]) {
    let done = match size {
        1 => join_bytes(input, input.len() / 8, out),
        2 => join_tiles::<2>(input, out),
        4 => join_tiles::<4>(input, out),
        8 => join_tiles::<8>(input, out),
        _ if elements_at_once(size) > 0 => return join_planes(size, input, out),
        _ => 0,
    };
    join_rows(size, done, input, out);
}

/// Splits elements of `size` bytes into planes of bits. `input` and `out` have the same length, a multiple of eight
/// elements.
pub(crate) fn split(size: usize, input: &[u8], out: &mut [u8]) {
    match avx512::split_bits(size, input, out, input.len() / (8 * size)) {
        0 => split_anywhere(size, input, out),
        done => split_rows(size, done, input, out),
    }
}

/// The reverse of [`split`].
pub(crate) fn join(size: usize, input: &[u8], out: &mut [u8]) {
    match avx512::join_bits(size, input, input.len() / (8 * size), out) {
        0 => join_anywhere(size, input, out),
        done => join_rows(size, done, input, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition.
    fn plain(size: usize, input: &[u8]) -> Vec<u8> {
        let count = input.len() / size;
        let mut out = vec![0; input.len()];
        for element in 0..count {
            for bit in 0..8 * size {
                let value = input[element * size + bit / 8] >> (bit % 8) & 1;
                out[bit * (count / 8) + element / 8] |= value << (element % 8);
            }
        }
        out
    }

    proptest! {
        #[test]
        fn equals_the_definition(
            size in prop_oneof![Just(1usize), Just(2), Just(4), Just(8), Just(16), 1usize..40],
            rows in 0usize..200,
            seed in any::<u64>(),
        ) {
            let mut state = seed;
            let input: Vec<u8> = (0..8 * rows * size)
                .map(|_| {
                    state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                    (state >> 56) as u8
                })
                .collect();
            let mut planes = vec![0xaa; input.len()];
            split(size, &input, &mut planes);
            prop_assert_eq!(&planes, &plain(size, &input));
            let mut back = vec![0x55; input.len()];
            join(size, &planes, &mut back);
            prop_assert_eq!(&back, &input);
            // The same on any processor.
            planes.fill(0xaa);
            split_anywhere(size, &input, &mut planes);
            prop_assert_eq!(&planes, &plain(size, &input));
            back.fill(0x55);
            join_anywhere(size, &planes, &mut back);
            prop_assert_eq!(back, input);
        }
    }
}
