//! Blocks of a deflate stream that hold literals, and runs of one byte: bytes coded by their frequencies, without a search for repeats.
//!
//! ```text
//! content ─► parts of 32 KiB ─► counts ─► blocks, where frequencies change ─► runs ─► codes ─► bits
//! ```
//!
//! RFC 1951, 3.2.7.

use crate::deflate::blocks::bit_writer::{BitWriter, LONGEST_LITERAL};
use crate::deflate::blocks::block_header::write_header;
use crate::deflate::blocks::byte_runs::{Choice, SYMBOLS, byte_runs, choose};
use crate::deflate::blocks::huffman_code::{Code, codes};
use crate::deflate::blocks::match_symbols::END;
use crate::deflate::byte_counts::{byte_counts, entropy, equal_neighbours};

/// Bytes that are counted at once. A block consists of such parts.
const PART: usize = 32 << 10;

/// Most bytes of a block, so that a count fits and the buffer of codes stays near the processor.
const LARGEST: usize = 1 << 20;

/// Runs are looked for in a block where one in this many bytes equals the one before it.
const FEWEST_EQUAL: usize = 8;

/// Bits that a block's header takes, about.
const HEADER: f64 = 700.0;

/// Adds blocks of literals with `content` to `out`, which ends at a byte. The last of them is the last of the stream if `is_last`;
/// else `out` ends at a byte again, behind an empty stored block.
pub(crate) fn append_literals(content: &[u8], is_last: bool, out: &mut Vec<u8>) {
    let mut bits = BitWriter::new(out);
    let blocks = blocks(content);
    let count = blocks.len();
    let mut rest = content;
    for (n, (length, counts)) in blocks.into_iter().enumerate() {
        let (block, others) = rest.split_at(length);
        write_block(block, &counts, is_last && n + 1 == count, &mut bits);
        rest = others;
    }
    bits.end(is_last);
}

/// Cuts `content` into blocks: the length and the counts of each. A block ends where another code saves more than its header takes.
fn blocks(content: &[u8]) -> Vec<(usize, [u64; 256])> {
    let mut blocks: Vec<(usize, [u64; 256], f64)> = Vec::new();
    for part in content.chunks(PART) {
        let counts = byte_counts(part);
        let own = entropy(&counts);
        if let Some((length, before, bits)) = blocks.last_mut()
            && *length + part.len() <= LARGEST
        {
            let mut joined = *before;
            joined
                .iter_mut()
                .zip(&counts)
                .for_each(|(sum, count)| *sum += count);
            let together = entropy(&joined);
            if together <= *bits + own + HEADER {
                (*length, *before, *bits) = (*length + part.len(), joined, together);
                continue;
            }
        }
        blocks.push((part.len(), counts, own));
    }
    blocks
        .into_iter()
        .map(|(length, counts, _)| (length, counts))
        .collect()
}

/// Writes one block.
fn write_block(block: &[u8], counts: &[u64; 256], is_last: bool, bits: &mut BitWriter<'_>) {
    let runs = match equal_neighbours(block) >= block.len() / FEWEST_EQUAL {
        true => byte_runs(block),
        false => Vec::new(),
    };
    let Choice { lengths, runs } = choose(block, runs, counts, LONGEST_LITERAL);
    let used = lengths.iter().rposition(|length| *length > 0).unwrap_or(END);
    let lengths = &lengths[..=used.max(END)];
    let mut all = [Code::default(); SYMBOLS];
    codes(lengths, &mut all);
    write_header(lengths, is_last, bits);
    bits.put_block(block, &runs, &all);
    bits.put_code(all[END]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deflate::blocks::inflated::inflated;
    use proptest::prelude::*;

    fn encoded(content: &[u8], is_last: bool) -> Vec<u8> {
        let mut out = Vec::new();
        append_literals(content, is_last, &mut out);
        out
    }

    #[test]
    fn edges_inflate_to_themselves() {
        let all: Vec<u8> = (0..=255).collect();
        let mut fibonacci = Vec::new();
        let (mut a, mut b) = (1, 1);
        for n in 0..24 {
            fibonacci.extend(vec![n; a]);
            (a, b) = (b, a + b);
        }
        for content in [
            vec![7],
            vec![0; 5],
            vec![255; 70_000],
            vec![1, 2],
            all.clone(),
            all.repeat(300),
            fibonacci,
        ] {
            assert!(inflated(&encoded(&content, true), content.len()) == content);
        }
    }

    #[test]
    fn a_block_ends_where_frequencies_change() {
        let content = [[1u8, 2].repeat(2 * PART), [3u8, 4].repeat(2 * PART)].concat();
        assert_eq!(blocks(&content).len(), 2);
        assert!(encoded(&content, true).len() < 50_000);
        assert_eq!(blocks(&[1u8, 2].repeat(100_000)).len(), 1);
    }

    #[test]
    fn runs_are_matches_where_that_is_smaller() {
        let mut state = 7u32;
        let content: Vec<u8> = (0..200_000)
            .map(|_| {
                state = state.wrapping_mul(0x915f_77f5).wrapping_add(1);
                match state >> 28 {
                    0 => (state >> 16) as u8,
                    _ => 0,
                }
            })
            .collect();
        let stream = encoded(&content, true);
        assert!(inflated(&stream, content.len()) == content);
        // One bit a byte would be 25,000 bytes, beside 12,500 for the others.
        assert!(stream.len() < 27_000, "{}", stream.len());
    }

    proptest! {
        #[test]
        fn runs_inflate(
            parts in proptest::collection::vec((any::<u8>(), 1usize..600), 1..300),
            values in 1u8..=255,
            is_last: bool,
        ) {
            let content: Vec<u8> = parts
                .iter()
                .flat_map(|(byte, times)| vec![byte % values; times / (1 + usize::from(byte % 7) * 20) + 1])
                .collect();
            let mut out = encoded(&content, is_last);
            if !is_last {
                append_literals(&[1], true, &mut out);
            }
            let length = content.len() + usize::from(!is_last);
            prop_assert!(inflated(&out, length)[..content.len()] == content);
        }

        #[test]
        fn what_is_coded_inflates(
            seed: u32,
            kinds in 1u32..=256,
            length in 1usize..100_000,
            parts in 1usize..4,
        ) {
            let mut state = seed;
            let content: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(0x915f_77f5).wrapping_add(1);
                    ((state >> 24) % kinds).min((state >> 8 & 0xff) % kinds) as u8
                })
                .collect();
            let mut out = Vec::new();
            let parts: Vec<&[u8]> = content.chunks(length.div_ceil(parts)).collect();
            for (n, part) in parts.iter().enumerate() {
                append_literals(part, n + 1 == parts.len(), &mut out);
            }
            prop_assert!(inflated(&out, length) == content);
        }
    }
}
