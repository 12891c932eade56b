//! Positions of bytes in vectors of 64 bytes, for the permutations of `avx512.rs`.
//!
//! The instruction takes two vectors. Position 64 is the first byte of the second.

/// Bytes of a vector.
const VECTOR: usize = 64;

/// Positions of bytes in two vectors.
pub(crate) type Positions = [u8; VECTOR];

/// The positions that transpose a vector of `rows` rows of bytes.
const fn transposition(rows: usize) -> Positions {
    let (mut positions, mut at) = ([0; VECTOR], 0);
    while at < VECTOR {
        positions[at] = (at % rows * (VECTOR / rows) + at / rows) as u8;
        at += 1;
    }
    positions
}

/// Two vectors of 8 by 8 bytes become one with their even columns in turn (`odd` is 0), or with their odd ones.
const fn columns(odd: usize) -> Positions {
    let (mut positions, mut at) = ([0; VECTOR], 0);
    while at < VECTOR {
        let (column, row) = (at / 16 * 2 + odd, at % 8);
        positions[at] = (at / 8 % 2 * VECTOR + row * 8 + column) as u8;
        at += 1;
    }
    positions
}

/// The reverse of [`columns`]: the first vector, or the second.
const fn rows(second: usize) -> Positions {
    let (mut positions, mut at) = ([0; VECTOR], 0);
    while at < VECTOR {
        let (row, column) = (at / 8, at % 8);
        positions[at] = (column % 2 * VECTOR + (column / 2 * 2 + second) * 8 + row) as u8;
        at += 1;
    }
    positions
}

/// The positions that transpose a vector of 1, 2, 4 … rows of bytes.
pub(crate) const TRANSPOSED: [Positions; 7] = [
    transposition(1),
    transposition(2),
    transposition(4),
    transposition(8),
    transposition(16),
    transposition(32),
    transposition(64),
];
/// The even columns, and the odd ones.
pub(crate) const COLUMNS: [Positions; 2] = [columns(0), columns(1)];
/// The first vector of rows, and the second.
pub(crate) const ROWS: [Positions; 2] = [rows(0), rows(1)];

/// Bytes of an element of three numbers of four bytes.
const TRIPLE: usize = 12;

/// Positions for a permutation of two vectors, and then of its result and a third vector.
type Steps = [Positions; 2];

/// The steps that take the byte at `sources[n]` of three vectors for each byte n.
const fn steps(sources: [usize; VECTOR]) -> Steps {
    let (mut steps, mut at) = ([[0; VECTOR]; 2], 0);
    while at < VECTOR {
        let source = sources[at];
        if source < 2 * VECTOR {
            steps[0][at] = source as u8;
            steps[1][at] = at as u8;
        } else {
            steps[1][at] = (source - VECTOR) as u8;
        }
        at += 1;
    }
    steps
}

/// Three vectors hold 16 elements of three numbers. The steps make one vector of the bytes of a number: a row of each byte.
const fn split_triple(number: usize) -> Steps {
    let (mut sources, mut at) = ([0; VECTOR], 0);
    while at < VECTOR {
        sources[at] = at % 16 * TRIPLE + 4 * number + at / 16;
        at += 1;
    }
    steps(sources)
}

/// The reverse of [`split_triple`]: the steps make one of the three vectors of elements.
const fn joined_triple(vector: usize) -> Steps {
    let (mut sources, mut at) = ([0; VECTOR], 0);
    while at < VECTOR {
        let (element, byte) = ((vector * VECTOR + at) / TRIPLE, (vector * VECTOR + at) % TRIPLE);
        sources[at] = byte / 4 * VECTOR + byte % 4 * 16 + element;
        at += 1;
    }
    steps(sources)
}

/// The steps for each number of an element of three.
pub(crate) const SPLIT_TRIPLES: [Steps; 3] = [split_triple(0), split_triple(1), split_triple(2)];
/// The steps for each vector of elements of three numbers.
pub(crate) const JOINED_TRIPLES: [Steps; 3] = [joined_triple(0), joined_triple(1), joined_triple(2)];
