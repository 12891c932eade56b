//! Runs of one byte in a block, which are coded as matches with the byte before them where that takes fewer bits.
//!
//! ```text
//! block ─► bits: equal to the byte before ─► runs of at least 3 ─► those that cost less than their literals
//! ```
//!
//! Where most bytes are one value, such as zero in fields of rain, a literal takes at least one bit, which is more than it is worth.
//! Runs are smaller, and inflate faster.

use crate::deflate::blocks::huffman_code::code_lengths;
use crate::deflate::blocks::match_symbols::{
    END, FEWEST_SYMBOLS, LONGEST, LONGEST_SYMBOL, SHORTEST, length_symbol,
};

/// Symbols of a block: literals, the end, and lengths of matches.
pub(crate) const SYMBOLS: usize = LONGEST_SYMBOL + 1;

/// Bits of a distance's code.
const DISTANCE_BITS: u32 = 1;

/// Bits of the code of a length, before any are known.
const USUAL_LENGTH_BITS: u8 = 5;

/// Bits of the code of a literal or length that has not occurred.
const UNKNOWN: u8 = 11;

/// How often the runs are chosen anew, by the codes of the choice before.
const CHOICES: usize = 2;

/// Bytes that equal the byte before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ByteRun {
    /// Where the first of them is: at least 1.
    pub start: u32,
    /// Their number, 3 to 258.
    pub length: u16,
}

impl ByteRun {
    fn byte(self, block: &[u8]) -> usize {
        block.get(self.start as usize).copied().unwrap_or_default().into()
    }
}

/// The runs of a block, in their order. A longer one is several.
pub(crate) fn byte_runs(block: &[u8]) -> Vec<ByteRun> {
    let equal = equal_to_next(block);
    let mut runs = Vec::new();
    let mut before = 0;
    for (n, word) in equal.iter().enumerate() {
        let next = equal.get(n + 1).copied().unwrap_or_default();
        let (second, third) = (word >> 1 | next << 63, word >> 2 | next << 62);
        let mut starts = word & second & third & !(word << 1 | before);
        before = word >> 63;
        while starts != 0 {
            let bit = starts.trailing_zeros();
            starts &= starts - 1;
            let mut length = (word >> bit).trailing_ones();
            if bit + length == u64::BITS {
                for following in &equal[n + 1..] {
                    length += following.trailing_ones();
                    if *following != u64::MAX {
                        break;
                    }
                }
            }
            // Bit n tells that byte n + 1 equals byte n.
            let mut start = n as u32 * u64::BITS + bit + 1;
            while length >= SHORTEST as u32 {
                let taken = length.min(LONGEST as u32);
                runs.push(ByteRun {
                    start,
                    length: taken as u16,
                });
                (start, length) = (start + taken, length - taken);
            }
        }
    }
    runs
}

/// A bit for each byte: whether it equals the next one.
fn equal_to_next(block: &[u8]) -> Vec<u64> {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let mut bits = vec![0u64; block.len().div_ceil(64)];
    let next = block.get(1..).unwrap_or_default();
    let (eights, _) = block[..next.len()].as_chunks::<8>();
    let (next_eights, _) = next.as_chunks::<8>();
    for (n, (here, there)) in eights.iter().zip(next_eights).enumerate() {
        let different = u64::from_le_bytes(*here) ^ u64::from_le_bytes(*there);
        // The highest bit of each byte that is zero.
        let equal = !(((different & LOW) + LOW) | different | LOW);
        // These bits side by side.
        let mask = (equal >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits[n / 8] |= mask << (n % 8 * 8);
    }
    for at in 8 * eights.len()..next.len() {
        bits[at / 64] |= u64::from(block[at] == next[at]) << (at % 64);
    }
    bits
}

/// The lengths of the codes of a block, and the runs that are matches.
pub(crate) struct Choice {
    pub lengths: [u8; SYMBOLS],
    pub runs: Vec<ByteRun>,
}

/// Chooses which of the `runs` of a block are matches. `counts` tells how often each byte occurs. Codes have at most `longest` bits.
pub(crate) fn choose(block: &[u8], runs: Vec<ByteRun>, counts: &[u64; 256], longest: u8) -> Choice {
    let mut of_literals = [0u32; SYMBOLS];
    for (of_literal, count) in of_literals.iter_mut().zip(counts) {
        *of_literal = *count as u32;
    }
    of_literals[END] = 1;
    let mut without = [0; SYMBOLS];
    code_lengths(&of_literals, longest, &mut without);
    let mut lengths = without;
    lengths[FEWEST_SYMBOLS..].fill(USUAL_LENGTH_BITS);
    let mut bits = 0;
    let mut chosen = Vec::new();
    for _ in 0..CHOICES {
        if runs.is_empty() {
            break;
        }
        let costs = lengths.map(|length| if length == 0 { UNKNOWN } else { length });
        let mut occurring = of_literals;
        let mut more = 0;
        chosen = runs
            .iter()
            .filter(|run| {
                let byte = run.byte(block);
                let (symbol, _, width) = length_symbol(run.length.into());
                let is_match = u32::from(costs[symbol]) + width + DISTANCE_BITS
                    < u32::from(costs[byte]) * u32::from(run.length);
                if is_match {
                    occurring[byte] -= u32::from(run.length);
                    occurring[symbol] += 1;
                    more += u64::from(width + DISTANCE_BITS);
                }
                is_match
            })
            .copied()
            .collect();
        code_lengths(&occurring, longest, &mut lengths);
        bits = more + bits_of(&occurring, &lengths);
    }
    match chosen.is_empty() || bits > bits_of(&of_literals, &without) {
        true => Choice {
            lengths: without,
            runs: Vec::new(),
        },
        false => Choice {
            lengths,
            runs: chosen,
        },
    }
}

fn bits_of(counts: &[u32; SYMBOLS], lengths: &[u8; SYMBOLS]) -> u64 {
    let all = counts.iter().zip(lengths);
    all.map(|(count, length)| u64::from(*count) * u64::from(*length))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_are_those_that_a_plain_search_finds(
            parts in proptest::collection::vec((0u8..3, 1usize..20), 0..60),
            long in 0usize..700,
        ) {
            let mut block: Vec<u8> = parts.iter().flat_map(|(byte, times)| vec![*byte; *times]).collect();
            block.extend(vec![7; long]);
            let mut wanted = Vec::new();
            let mut at = 0;
            for run in block.chunk_by(|a, b| a == b) {
                let (mut start, mut left) = (at + 1, run.len() - 1);
                while left >= SHORTEST {
                    let length = left.min(LONGEST);
                    wanted.push(ByteRun { start: start as u32, length: length as u16 });
                    (start, left) = (start + length, left - length);
                }
                at += run.len();
            }
            prop_assert_eq!(byte_runs(&block), wanted);
        }
    }
}
