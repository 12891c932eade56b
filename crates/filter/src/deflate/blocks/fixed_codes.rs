//! A block with the codes of RFC 1951, 3.2.6, which need no header: the smallest one for a few bytes.
//!
//! ```text
//! content ─► from its end: the cheapest of a literal and all matches at each place ─► bits, or a stored block if it is shorter
//! ```
//!
//! A coordinate whose chunks have one number each, and a small chunk at the edge of a variable, are such.

use std::sync::LazyLock;

use crate::deflate::blocks::bit_writer::BitWriter;
use crate::deflate::blocks::block_lengths::{DISTANCES, SYMBOLS};
use crate::deflate::blocks::huffman_code::{Code, codes};
use crate::deflate::blocks::match_symbols::{END, SHORTEST, distance_symbol, length_symbol};
use crate::deflate::blocks::stored_blocks::{self, store};

/// Most bytes of content. All matches are looked at, so the time grows with the square.
pub(crate) const MOST: usize = 64;

/// Bits of the code of a distance.
const DISTANCE_BITS: u8 = 5;

/// Bits that say which kind of block it is, and whether it is the last.
const HEADER_BITS: u32 = 3;

/// The codes of literals, the end and lengths, and those of distances.
static CODES: LazyLock<([Code; SYMBOLS], [Code; DISTANCES])> = LazyLock::new(|| {
    let (mut symbols, mut distances) = ([Code::default(); SYMBOLS], [Code::default(); DISTANCES]);
    codes(&symbol_lengths(), &mut symbols);
    codes(&distance_lengths(), &mut distances);
    (symbols, distances)
});

/// Lengths of the codes for literals, the end and lengths of matches.
pub(crate) fn symbol_lengths() -> [u8; SYMBOLS] {
    let mut lengths = [8; SYMBOLS];
    lengths[144..END].fill(9);
    lengths[END..280].fill(7);
    lengths
}

/// Lengths of the codes for distances.
pub(crate) fn distance_lengths() -> [u8; DISTANCES] {
    [DISTANCE_BITS; DISTANCES]
}

/// What is at a place, and the bits from there to the end of the content.
#[derive(Clone, Copy, Default)]
struct Step {
    bits: u32,
    /// Bytes of a match, or 1.
    length: usize,
    /// 0 for a literal.
    distance: usize,
}

/// Adds a block with `content`, at most [`MOST`] bytes, as the last one to `out`, which ends at a byte.
pub(crate) fn append_fixed(content: &[u8], out: &mut Vec<u8>) {
    let (symbols, distances) = &*CODES;
    let steps = cheapest_steps(content, symbols);
    let bits = HEADER_BITS + steps[0].bits + u32::from(symbols[END].length);
    if !content.is_empty() && bits.div_ceil(8) as usize > stored_blocks::HEADER + content.len() {
        return store(content, true, out);
    }
    let mut writer = BitWriter::new(out);
    writer.put(1 | 1 << 1, HEADER_BITS);
    let mut at = 0;
    while let Some(byte) = content.get(at) {
        let Step { length, distance, .. } = steps[at];
        match distance {
            0 => writer.put_code(symbols[usize::from(*byte)]),
            _ => {
                let (symbol, more, width) = length_symbol(length);
                writer.put_code(symbols[symbol]);
                writer.put(more, width);
                let (symbol, more, width) = distance_symbol(distance);
                writer.put_code(distances[symbol]);
                writer.put(more, width);
            }
        }
        at += length;
    }
    writer.put_code(symbols[END]);
    writer.end(true);
}

/// The step at each place that takes the fewest bits.
fn cheapest_steps(content: &[u8], symbols: &[Code; SYMBOLS]) -> [Step; MOST + 1] {
    let mut steps = [Step::default(); MOST + 1];
    for (at, byte) in content.iter().enumerate().rev() {
        let mut best = Step {
            bits: u32::from(symbols[usize::from(*byte)].length) + steps[at + 1].bits,
            length: 1,
            distance: 0,
        };
        let mut longest = SHORTEST - 1;
        for distance in 1..=at {
            let here = content[at..].iter();
            let equal = here.zip(&content[at - distance..]).take_while(|(a, b)| a == b);
            let found = equal.count();
            // A farther match is worth it only if it is longer.
            for length in longest + 1..=found {
                let (symbol, _, of_length) = length_symbol(length);
                let (_, _, of_distance) = distance_symbol(distance);
                let own = u32::from(symbols[symbol].length + DISTANCE_BITS) + of_length + of_distance;
                let bits = own + steps[at + length].bits;
                if bits < best.bits {
                    best = Step {
                        bits,
                        length,
                        distance,
                    };
                }
            }
            longest = longest.max(found);
            if at + longest == content.len() {
                break;
            }
        }
        steps[at] = best;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deflate::blocks::inflated::inflated;
    use crate::deflate::libdeflate::libdeflate;
    use proptest::prelude::*;

    fn encoded(content: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        append_fixed(content, &mut out);
        out
    }

    #[test]
    fn few_bytes_take_few_bytes() {
        for (content, size) in [
            (&[][..], 2),
            (&[0], 3),
            (&[255, 255], 4),
            (&[0, 0, 128, 63], 6),
            (&[7; 64], 5),
            (&[0, 0, 0, 0, 0, 0, 240, 63], 6),
        ] {
            let stream = encoded(content);
            assert_eq!(stream.len(), size, "{content:?}");
            assert_eq!(inflated(&stream, content.len()), content);
        }
    }

    #[test]
    fn what_has_long_codes_is_stored() {
        let content: Vec<u8> = (192..=255).collect();
        assert_eq!(encoded(&content).len(), 5 + content.len());
    }

    proptest! {
        #[test]
        fn content_inflates_and_is_as_small_as_the_best_search_makes_it(
            content in (1u8..=255).prop_flat_map(|most| proptest::collection::vec(0..=most, 0..=MOST)),
        ) {
            let stream = encoded(&content);
            prop_assert_eq!(inflated(&stream, content.len()), content.clone());
            // The best that libdeflate finds, unless it has codes of its own.
            let mut best = Vec::new();
            libdeflate(12, &content, 0, &mut best).unwrap();
            let has_own_codes = best[0] >> 1 & 3 == 2;
            prop_assert!(has_own_codes || stream.len() <= best.len(), "{} {}", stream.len(), best.len());
        }
    }
}
