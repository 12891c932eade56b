//! Splits elements of any size into planes of bytes, by transposing squares of 16 by 16 bytes.
//!
//! Compilers make vector operations of this on any processor.

/// Rows and columns of a square.
pub(crate) const SIDE: usize = 16;

/// Bytes of a square.
pub(crate) const SQUARE: usize = SIDE * SIDE;

/// Bytes of a square, aligned for vectors.
#[repr(align(64))]
pub(crate) struct Square(pub [u8; SQUARE]);

/// Interleaves the halves of `from`. With pieces of 16 bytes each step is a pair of vector operations.
#[inline(always)]
fn zip(from: &[u8; SQUARE], to: &mut [u8; SQUARE]) {
    let (low, high) = from.split_at(SQUARE / 2);
    let halves = low.as_chunks::<16>().0.iter().zip(high.as_chunks::<16>().0);
    for (pairs, (low, high)) in to.as_chunks_mut::<32>().0.iter_mut().zip(halves) {
        for i in 0..16 {
            pairs[2 * i] = low[i];
            pairs[2 * i + 1] = high[i];
        }
    }
}

/// Transposes a square of bytes.
#[inline(always)]
pub(crate) fn transpose_square(from: &[u8; SQUARE], to: &mut [u8; SQUARE]) {
    let mut other = Square([0; SQUARE]);
    zip(from, &mut other.0);
    zip(&other.0, to);
    zip(to, &mut other.0);
    zip(&other.0, to);
}

/// The first columns of the squares of elements of `size` bytes. The last square may overlap the one before it, or, if
/// elements have less than 16 bytes, the next element.
fn columns(size: usize) -> impl Iterator<Item = usize> + Clone {
    let last = size.saturating_sub(SIDE);
    (0..last).step_by(SIDE).chain([last])
}

/// Number of elements in whole squares that end within `len` bytes.
fn whole(size: usize, len: usize) -> usize {
    let beyond = SIDE.saturating_sub(size);
    len.saturating_sub(beyond) / size / SIDE * SIDE
}

/// Splits elements of `size` bytes into planes that begin every `stride` bytes of `out`. Returns the number of elements
/// done, all but fewer than 32.
pub(crate) fn split(size: usize, input: &[u8], out: &mut [u8], stride: usize) -> usize {
    let done = whole(size, input.len());
    let (mut rows, mut square) = (Square([0; _]), Square([0; _]));
    for first in (0..done).step_by(SIDE) {
        for column in columns(size) {
            for (number, row) in rows.0.as_chunks_mut::<SIDE>().0.iter_mut().enumerate() {
                let from = (first + number) * size + column;
                row.copy_from_slice(&input[from..from + SIDE]);
            }
            transpose_square(&rows.0, &mut square.0);
            let planes = square.0.as_chunks::<SIDE>().0.iter().take(size);
            for (number, plane) in planes.enumerate() {
                let to = (column + number) * stride + first;
                out[to..to + SIDE].copy_from_slice(plane);
            }
        }
    }
    done
}

/// The reverse of [`split`].
pub(crate) fn join(size: usize, input: &[u8], stride: usize, out: &mut [u8]) -> usize {
    let done = whole(size, out.len());
    let (mut planes, mut square) = (Square([0; _]), Square([0; _]));
    for first in (0..done).step_by(SIDE) {
        for column in columns(size) {
            let rows = planes.0.as_chunks_mut::<SIDE>().0.iter_mut().take(size);
            for (number, plane) in rows.enumerate() {
                let from = (column + number) * stride + first;
                plane.copy_from_slice(&input[from..from + SIDE]);
            }
            transpose_square(&planes.0, &mut square.0);
            // What is written of the next element is overwritten with it.
            for (number, row) in square.0.as_chunks::<SIDE>().0.iter().enumerate() {
                let to = (first + number) * size + column;
                out[to..to + SIDE].copy_from_slice(row);
            }
        }
    }
    done
}
