//! The header of a block with codes of its own (RFC 1951, 3.2.7).
//!
//! Each block has two distance codes of one bit: some decoders take neither none nor one.

use crate::deflate::blocks::bit_writer::BitWriter;
use crate::deflate::blocks::huffman_code::{Code, code_lengths, codes};
use crate::deflate::blocks::match_symbols::FEWEST_SYMBOLS;

/// The distance codes of a block.
const DISTANCES: [u8; 2] = [1, 1];

/// The order in which a header has the lengths of the code of code lengths.
pub(crate) const LENGTHS_ORDER: [usize; 19] =
    [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Most bits of a code of code lengths.
const LONGEST_OF_LENGTHS: u8 = 7;

/// Writes the header of a block, the last of the stream if `is_last`, whose literals, end and lengths of matches have codes of `lengths`.
pub(crate) fn write_header(lengths: &[u8], is_last: bool, bits: &mut BitWriter<'_>) {
    let all = [lengths, &DISTANCES].concat();
    // Symbols, and the bits that follow each.
    let mut symbols: Vec<(u8, u8, u8)> = Vec::with_capacity(all.len());
    for run in all.chunk_by(|a, b| a == b) {
        let (length, mut left) = (run[0], run.len());
        if length == 0 {
            while left >= 3 {
                let taken = left.min(138);
                match taken {
                    ..=10 => symbols.push((17, (taken - 3) as u8, 3)),
                    _ => symbols.push((18, (taken - 11) as u8, 7)),
                }
                left -= taken;
            }
        } else if left > 3 {
            symbols.push((length, 0, 0));
            left -= 1;
            while left >= 3 {
                let taken = left.min(6);
                symbols.push((16, (taken - 3) as u8, 2));
                left -= taken;
            }
        }
        symbols.extend(std::iter::repeat_n((length, 0, 0), left));
    }
    let mut counts = [0; LENGTHS_ORDER.len()];
    for (symbol, ..) in &symbols {
        counts[usize::from(*symbol)] += 1;
    }
    let mut own = [0; LENGTHS_ORDER.len()];
    code_lengths(&counts, LONGEST_OF_LENGTHS, &mut own);
    let mut own_codes = [Code::default(); LENGTHS_ORDER.len()];
    codes(&own, &mut own_codes);
    let told = LENGTHS_ORDER
        .iter()
        .rposition(|symbol| own[*symbol] > 0)
        .map_or(4, |last| (last + 1).max(4));
    bits.put(u64::from(is_last) | 2 << 1, 3);
    bits.put((lengths.len() - FEWEST_SYMBOLS) as u64, 5);
    bits.put(DISTANCES.len() as u64 - 1, 5);
    bits.put(told as u64 - 4, 4);
    for symbol in &LENGTHS_ORDER[..told] {
        bits.put(own[*symbol].into(), 3);
    }
    for (symbol, extra, width) in symbols {
        bits.put_code(own_codes[usize::from(symbol)]);
        bits.put(extra.into(), width.into());
    }
}
