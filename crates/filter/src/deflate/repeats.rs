//! Estimates what matches save in a piece of a chunk, without compressing it.
//!
//! ```text
//! piece: │          │ 24 KiB, every 8th place │ 6 KiB, every place │ 4 KiB looked up │          │
//!                     └─ noted by 3 bytes: the last 4 places ──────► longest match ─► bits of its codes against those of its literals
//! ```
//!
//! A match that costs more than its literals does not count.

use crate::deflate::blocks::match_symbols::{LONGEST, SHORTEST, length_symbol};

/// Most bits of a place in the table.
const TABLE_BITS: u32 = 13;

/// Places that are kept of each hash.
const KEPT: usize = 4;

/// Distance, in bytes, of places that are noted far away.
const SPARSE: usize = 8;

/// A way to look for repeats.
#[derive(Debug, Clone, Copy)]
struct Search {
    /// Bytes that are looked at together: those noted far away, those noted near, and those looked up.
    bytes: [usize; 3],
    /// Bits of a place in the table. A larger one takes longer to clear.
    table_bits: u32,
    /// True if places are noted by eight bytes instead of three. Of few values, three bytes are the same in too many places.
    by_eight: bool,
    /// Least bits of a literal.
    literal: f32,
    /// Bits above which the saving of a match counts.
    counted: f32,
}

const AT_A_GLANCE: Search = Search {
    bytes: [0, 2 << 10, 2 << 10],
    table_bits: TABLE_BITS,
    by_eight: false,
    literal: 1.0,
    counted: 0.0,
};
const THOROUGH: Search = Search {
    bytes: [24 << 10, 6 << 10, 4 << 10],
    ..AT_A_GLANCE
};
const OF_SHORT: Search = Search {
    bytes: [0, 3 << 10, 1 << 10],
    table_bits: 11,
    ..AT_A_GLANCE
};
const OF_NOISE: Search = Search {
    bytes: [29 << 10, 3 << 10, 2 << 10],
    ..AT_A_GLANCE
};

/// Matches that save so many bits beyond the entropy do not occur by chance.
const OF_LONG: Search = Search {
    bytes: [30 << 10, 0, 2 << 10],
    table_bits: TABLE_BITS,
    by_eight: true,
    literal: 0.0,
    counted: 20.0,
};

/// Bytes that a glance looks at.
pub(crate) const GLANCE: usize = 4 << 10;

/// Bits of the codes of a match's length and distance, without those that follow them.
const LENGTH_CODE: f32 = 7.0;
const DISTANCE_CODE: f32 = 4.0;

/// Bits of a literal that does not occur in the counts.
const UNKNOWN: f32 = 12.0;

/// Places of sequences, by a hash of their first bytes.
pub(crate) struct Repeats {
    /// The last four places of each hash, the latest in the lowest bits.
    table: Box<[u64; 1 << TABLE_BITS]>,
}

impl Default for Repeats {
    fn default() -> Self {
        Self {
            table: Box::new([u64::MAX; 1 << TABLE_BITS]),
        }
    }
}

/// The number that eight bytes make.
fn word(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..at + 8) {
        Some(bytes) => bytes.try_into().map_or(0, u64::from_le_bytes),
        None => 0,
    }
}

fn hash(word: u64, search: Search) -> usize {
    match search.by_eight {
        true => (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - search.table_bits)) as usize,
        false => ((word as u32 & 0x00ff_ffff).wrapping_mul(0x9e37_79b1) >> (32 - search.table_bits)) as usize,
    }
}

impl Repeats {
    /// What matches save in a piece whose bytes occur `counts` times, as a share of the bits of literals.
    pub fn saving(&mut self, piece: &[u8], counts: &[u64; 256]) -> f32 {
        self.look(piece, THOROUGH, counts)
    }

    /// The same, of bytes all of which are equally frequent: few of them tell.
    pub fn saving_of_noise(&mut self, piece: &[u8], counts: &[u64; 256]) -> f32 {
        self.look(piece, OF_NOISE, counts)
    }

    /// The same, of a piece of a few KiB, which is compressed soon.
    pub fn saving_of_short(&mut self, piece: &[u8], counts: &[u64; 256]) -> f32 {
        self.look(piece, OF_SHORT, counts)
    }

    /// The same, of [`GLANCE`] bytes.
    pub fn glance(&mut self, bytes: &[u8], counts: &[u64; 256]) -> f32 {
        self.look(bytes, AT_A_GLANCE, counts)
    }

    /// What long matches save beyond the entropy of a piece of few values, as a share of it. Runs of one byte hardly count.
    pub fn saving_of_long(&mut self, piece: &[u8], counts: &[u64; 256]) -> f32 {
        self.look(piece, OF_LONG, counts)
    }

    /// Looks at the middle of a piece.
    fn look(&mut self, piece: &[u8], search: Search, counts: &[u64; 256]) -> f32 {
        let [far, near, looked_up] = search.bytes;
        let total = counts.iter().sum::<u64>() as f32;
        let bits = counts.map(|count| match count {
            0 => UNKNOWN,
            count => (total / count as f32).log2().clamp(search.literal, UNKNOWN),
        });
        let length = piece.len().min(far + near + looked_up);
        let start = (piece.len() - length) / 2;
        let bytes = &piece[start..start + length];
        let from = length - looked_up.min(length / 2);
        let dense = from.saturating_sub(near);
        self.table[..1 << search.table_bits].fill(u64::MAX);
        for at in (0..dense).step_by(SPARSE) {
            self.note(word(bytes, at), at, search);
        }
        for (n, eight) in bytes[dense..].windows(8).take(from - dense).enumerate() {
            self.note(eight.try_into().map_or(0, u64::from_le_bytes), dense + n, search);
        }
        let (mut all, mut saved) = (0.0, 0.0);
        let mut at = from;
        while at + 8 <= bytes.len() {
            let here = word(bytes, at);
            let candidates = self.note(here, at, search);
            let (length, saving) = candidate_match(bytes, at, here, candidates, &bits)
                .filter(|(_, saving)| *saving > search.counted)
                .unwrap_or((1, 0.0));
            saved += saving;
            let end = (at + length).min(bytes.len());
            all += literals(&bytes[at..end], &bits);
            for inside in at + 1..end {
                self.note(word(bytes, inside), inside, search);
            }
            at = end;
        }
        saved / f32::max(all, 1.0)
    }

    /// Notes a place, and returns those that were noted before.
    fn note(&mut self, word: u64, at: usize, search: Search) -> u64 {
        let slot = &mut self.table[hash(word, search)];
        let before = *slot;
        *slot = before << 16 | at as u64;
        before
    }
}

/// Bits of literals.
fn literals(bytes: &[u8], bits: &[f32; 256]) -> f32 {
    bytes.iter().map(|byte| bits[usize::from(*byte)]).sum()
}

/// The longest match of the bytes from `at` on with one of the `candidates`, and the bits that it saves. Of two, the nearer one. `None`
/// if it saves nothing.
fn candidate_match(
    bytes: &[u8],
    at: usize,
    here: u64,
    mut candidates: u64,
    bits: &[f32; 256],
) -> Option<(usize, f32)> {
    let (mut longest, mut distance) = (0, 0);
    for _ in 0..KEPT {
        let candidate = (candidates & 0xffff) as usize;
        candidates >>= 16;
        if candidate >= at {
            break;
        }
        let length = match_length(bytes, candidate, at, here);
        if length > longest {
            (longest, distance) = (length, at - candidate);
        }
    }
    if longest < SHORTEST {
        return None;
    }
    let end = (at + longest).min(bytes.len());
    let saved = literals(&bytes[at..end], bits) - match_bits(longest, distance);
    (saved > 0.0).then_some((longest, saved))
}

fn match_length(bytes: &[u8], candidate: usize, at: usize, here: u64) -> usize {
    let different = word(bytes, candidate) ^ here;
    if different != 0 {
        return (different.trailing_zeros() / 8) as usize;
    }
    let others = bytes[candidate..].iter().zip(&bytes[at..]).take(LONGEST);
    others.take_while(|(a, b)| a == b).count()
}

/// Bits of the codes of a match, about.
fn match_bits(length: usize, distance: usize) -> f32 {
    let (_, _, of_length) = length_symbol(length);
    let of_distance = distance.ilog2().max(1) - 1;
    LENGTH_CODE + DISTANCE_CODE + (of_length + of_distance) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deflate::byte_counts::byte_counts;

    fn noise(length: usize, mask: u8) -> Vec<u8> {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let next = |_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 24) as u8 & mask
        };
        (0..length).map(next).collect()
    }

    fn saving(piece: &[u8]) -> f32 {
        Repeats::default().saving(piece, &byte_counts(piece))
    }

    #[test]
    fn noise_saves_nothing() {
        for mask in [0xff, 0x3f] {
            assert!(saving(&noise(100_000, mask)) < 0.003, "{mask}");
        }
    }

    #[test]
    fn repeats_at_any_distance_are_found() {
        for distance in [1, 300, 3000, 9000, 25_000] {
            let repeated = noise(distance, 0xff).repeat(100_000 / distance);
            assert!(saving(&repeated) > 0.5, "{distance}");
        }
    }

    #[test]
    fn far_repeats_of_few_values_are_found() {
        for mask in [3, 7, 0x13] {
            let values = noise(100_000, mask);
            let long = |piece: &[u8]| Repeats::default().saving_of_long(piece, &byte_counts(piece));
            assert_eq!(long(&values), 0.0, "{mask}");
            assert!(long(&values[..11_000].repeat(9)) > 0.5, "{mask}");
        }
    }

    #[test]
    fn short_pieces_are_looked_at_in_part() {
        for length in [0, 1, 7, 8, 9, 100, 5000] {
            assert!(saving(&vec![7; length]).is_finite());
        }
    }
}
