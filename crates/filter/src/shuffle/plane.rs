//! Copies two dimensions of a chunk, of which one is fastest in the input, and the other in the output.
//!
//! Most elements are copied in squares: rows of a few elements are read, transposed in vectors, and written as rows. Compilers
//! make vector operations of the code on any processor.

use crate::shuffle::squares::{self, SQUARE, Square};

/// A dimension: its length, and the distances of neighbours in the input and in the output, in bytes.
pub(crate) struct Dimension {
    pub length: usize,
    pub from: usize,
    pub to: usize,
}

/// A dimension of one element.
impl Default for Dimension {
    fn default() -> Self {
        Self {
            length: 1,
            from: 0,
            to: 0,
        }
    }
}

/// Two dimensions to copy: `inner` is fastest in the output, and `outer` in the input, if it is a dimension at all.
pub(crate) struct Plane {
    /// Length, and distance of neighbours in the input, in bytes.
    pub inner: (usize, usize),
    pub outer: Dimension,
}

/// Number of elements of `inner` that are copied before the next elements of `outer`. Each is in another line of the
/// processor's cache, which then serves its neighbours as well.
const PIECE: usize = 512;

/// The same where the lines are a multiple of [`ALIAS`] bytes apart. A cache has room for few of these.
const SHORT_PIECE: usize = 16;

/// Distances, in bytes, of which a cache keeps few lines.
const ALIAS: usize = 4096;

/// The same for elements of any size, which are copied one by one.
const RUNS: usize = 8;

/// Rows and columns of a square of elements of 2, 4 and 8 bytes.
const SIDE: usize = 4;

/// A square of elements of `N` bytes.
type Tile<const N: usize> = [[[u8; N]; SIDE]; SIDE];

/// Interleaves the halves of a square.
#[inline(always)]
fn interleave<const N: usize>(from: &Tile<N>, to: &mut Tile<N>) {
    let (low, high) = from.as_flattened().split_at(SIDE * SIDE / 2);
    let pairs = to.as_flattened_mut().as_chunks_mut::<2>().0;
    for ((pair, low), high) in pairs.iter_mut().zip(low).zip(high) {
        *pair = [*low, *high];
    }
}

/// Transposes a square.
#[inline(always)]
fn transposed<const N: usize>(mut tile: Tile<N>) -> Tile<N> {
    let mut other = tile;
    for _ in 0..SIDE.ilog2() {
        interleave(&tile, &mut other);
        std::mem::swap(&mut tile, &mut other);
    }
    tile
}

/// Copies `SIDE` dimensions `inner`, which are neighbours in `outer`, except their last elements. `input` begins at the
/// first element. `rows` have the same length. Returns the number of elements of each that are copied.
///
/// One iterator goes over all slices, whose pieces have known lengths. So few indexes are checked.
#[inline(always)]
fn copy_squares<const N: usize>(input: &[[u8; N]], step: usize, rows: [&mut [[u8; N]]; SIDE]) -> usize {
    let done = rows[0].len().min(input.len() / step) / SIDE * SIDE;
    let [a, b, c, d] = rows.map(|row| row.as_chunks_mut::<SIDE>().0);
    let places = a.iter_mut().zip(b).zip(c).zip(d);
    for ((((a, b), c), d), input) in places.zip(input.chunks_exact(SIDE * step)) {
        let tile = std::array::from_fn(|row| *input[row * step..].first_chunk().expect("a row"));
        let [first, second, third, fourth] = transposed(tile);
        *a = first;
        *b = second;
        *c = third;
        *d = fourth;
    }
    done
}

/// Copies elements that are `step` elements apart in `input`.
#[inline(always)]
fn copy_each<T: Copy>(input: &[T], step: usize, places: &mut [T]) {
    for (n, place) in places.iter_mut().enumerate() {
        *place = input[n * step];
    }
}

impl Plane {
    /// Copies elements of `size` bytes.
    pub fn copy(&self, input: &[u8], out: &mut [u8], size: usize) {
        match size {
            1 => self.copy_bytes(input, out),
            2 => self.copy_elements::<2>(input, out),
            4 => self.copy_elements::<4>(input, out),
            8 => self.copy_elements::<8>(input, out),
            _ => self.copy_runs(input, out, size),
        }
    }

    /// Splits `inner` into pieces: the first element of each, and the number of elements.
    fn pieces(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (length, step) = self.inner;
        let piece = match self.outer.length {
            1 => length,
            _ if step.is_multiple_of(ALIAS) => SHORT_PIECE,
            _ => PIECE,
        };
        (0..length)
            .step_by(piece)
            .map(move |first| (first, piece.min(length - first)))
    }

    /// Copies what squares leave of a piece of `inner`: `done` are numbers of elements of `outer` and of the piece.
    /// `input` begins with the piece. Distances are in elements.
    fn copy_rest<T: Copy>(
        &self,
        (first, count): (usize, usize),
        done: (usize, usize),
        step: usize,
        to: usize,
        input: &[T],
        out: &mut [T],
    ) {
        if done.1 < count {
            for row in 0..done.0 {
                let places = &mut out[row * to + first..][done.1..count];
                copy_each(&input[done.1 * step + row..], step, places);
            }
        }
        for row in done.0..self.outer.length {
            copy_each(&input[row..], step, &mut out[row * to + first..][..count]);
        }
    }

    /// Copies elements of `N` bytes.
    fn copy_elements<const N: usize>(&self, input: &[u8], out: &mut [u8]) {
        // All distances of dimensions longer than 1 are multiples of an element.
        let (input, out) = (input.as_chunks::<N>().0, out.as_chunks_mut::<N>().0);
        let (step, to) = (self.inner.1 / N, self.outer.to / N);
        for (first, count) in self.pieces() {
            let input = &input[first * step..];
            let whole = match count / SIDE {
                0 => 0,
                _ => self.outer.length / SIDE * SIDE,
            };
            let mut done = 0;
            for row in (0..whole).step_by(SIDE) {
                let mut rows = out[row * to + first..].chunks_mut(to);
                let rows = std::array::from_fn(|_| &mut rows.next().unwrap_or_default()[..count]);
                done = copy_squares(&input[row..], step, rows);
            }
            self.copy_rest((first, count), (whole, done), step, to, input, out);
        }
    }

    /// Copies bytes.
    fn copy_bytes(&self, input: &[u8], out: &mut [u8]) {
        const SIDE: usize = squares::SIDE;
        let (step, to) = (self.inner.1, self.outer.to);
        let (mut rows, mut columns) = (Square([0; SQUARE]), Square([0; SQUARE]));
        for (first, count) in self.pieces() {
            let input = &input[first * step..];
            let (squared, whole) = match count / SIDE {
                0 => (0, 0),
                squares => (squares * SIDE, self.outer.length / SIDE * SIDE),
            };
            for row in (0..whole).step_by(SIDE) {
                for at in (0..squared).step_by(SIDE) {
                    for (n, piece) in rows.0.as_chunks_mut::<SIDE>().0.iter_mut().enumerate() {
                        piece.copy_from_slice(&input[(at + n) * step + row..][..SIDE]);
                    }
                    squares::transpose_square(&rows.0, &mut columns.0);
                    for (n, piece) in columns.0.as_chunks::<SIDE>().0.iter().enumerate() {
                        out[(row + n) * to + first + at..][..SIDE].copy_from_slice(piece);
                    }
                }
            }
            self.copy_rest((first, count), (whole, squared), step, to, input, out);
        }
    }

    /// Copies elements of `run` bytes.
    fn copy_runs(&self, input: &[u8], out: &mut [u8], run: usize) {
        let (length, step) = self.inner;
        let piece = match self.outer.length {
            1 => length,
            _ => RUNS,
        };
        for first in (0..length).step_by(piece) {
            let count = piece.min(length - first);
            for row in 0..self.outer.length {
                let input = &input[first * step + row * run..];
                let places = &mut out[row * self.outer.to + first * run..][..count * run];
                for (n, place) in places.chunks_exact_mut(run).enumerate() {
                    place.copy_from_slice(&input[n * step..][..run]);
                }
            }
        }
    }
}
