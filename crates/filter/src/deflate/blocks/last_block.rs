//! Finds the last block of a deflate stream (RFC 1951), so that more can follow it.
//!
//! ```text
//! │ header, symbols, end │ header, symbols, end │ header, symbols, end │ padding
//!   ▲ last? no             ▲ last? no             ▲ last? yes: found    ▲ end
//! ```

use std::ops::Range;

use crate::deflate::blocks::block_lengths::{Lengths, Table, read_lengths};
use crate::deflate::blocks::fixed_codes::{distance_lengths, symbol_lengths};
use crate::deflate::blocks::match_symbols::{END, distance_bits, length_bits};
use crate::deflate::blocks::stream_bits::Bits;

/// Takes the mark of the last block from a complete deflate stream, which begins at byte `start` of `out`, and lets it end
/// at a byte. Another stream that follows there continues it. `None` if the stream is damaged.
pub(crate) fn reopen(start: usize, out: &mut Vec<u8>) -> Option<()> {
    let Range { start: last, end } = last_block(out.get(start..)?)?;
    *out.get_mut(start + last / 8)? &= !(1 << (last % 8));
    // The three bits of the next header follow the end at once: a stored block that is not the last, as the padding is
    // zeros. An empty one ends at a byte.
    if 8 - (end - 1) % 8 - 1 < 3 {
        out.push(0);
    }
    out.extend_from_slice(&[0, 0, 0xff, 0xff]);
    Some(())
}

/// The end of the last block of a stream, whose symbols begin at bit `from`: where its last code is followed by zeros up to
/// the last byte's end. `None` if there are several such places, so that only the symbols tell.
fn only_end(stream: &[u8], from: usize, lengths: &Lengths) -> Option<usize> {
    let code = lengths.end()?;
    let length = usize::from(code.length);
    let mut found = None;
    for padding in 0..8 {
        let end = (8 * stream.len()).checked_sub(padding)?;
        if end < from + length {
            break;
        }
        let mut bits = Bits {
            bytes: stream,
            at: end - length,
        };
        if bits.take(length) == usize::from(code.bits)
            && bits.take(padding) == 0
            && found.replace(end).is_some()
        {
            return None;
        }
    }
    found
}

/// The tables of a block with the usual codes (RFC 1951, 3.2.6).
fn usual() -> Option<(Table, Table)> {
    Some((
        Table::new(&symbol_lengths(), length_bits)?,
        Table::new(&distance_lengths(), distance_bits)?,
    ))
}

/// Bits of the last block of a stream, from its header to its end. `None` if the stream is damaged.
fn last_block(stream: &[u8]) -> Option<Range<usize>> {
    find_last_block(stream, only_end)
}

/// The same. `end` finds the end of a last block by its codes, where it can.
fn find_last_block(
    stream: &[u8],
    end: impl Fn(&[u8], usize, &Lengths) -> Option<usize>,
) -> Option<Range<usize>> {
    let mut bits = Bits { bytes: stream, at: 0 };
    loop {
        let start = bits.at;
        let is_last = bits.take(1) == 1;
        let (symbols, distances) = match bits.take(2) {
            0 => {
                bits.at = bits.at.next_multiple_of(8);
                let length = bits.take(16);
                bits.at += 16 + 8 * length;
                (None, None)
            }
            1 => usual().map(|(a, b)| (Some(a), Some(b)))?,
            2 => {
                let lengths = read_lengths(&mut bits)?;
                if is_last && let Some(end) = end(stream, bits.at, &lengths) {
                    return Some(start..end);
                }
                lengths.tables().map(|(a, b)| (Some(a), Some(b)))?
            }
            _ => return None,
        };
        if let (Some(symbols), Some(distances)) = (symbols, distances) {
            loop {
                match symbols.skip(&mut bits)? {
                    0..END => {}
                    END => break,
                    _ => {
                        distances.skip(&mut bits)?;
                    }
                }
                if bits.is_past_the_end() {
                    return None;
                }
            }
        }
        if bits.is_past_the_end() {
            return None;
        }
        if is_last {
            return Some(start..bits.at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use libdeflater::{CompressionLvl, Compressor};
    use proptest::prelude::*;

    fn compressed(level: i32, content: &[u8]) -> Vec<u8> {
        let mut compressor = Compressor::new(CompressionLvl::new(level).unwrap());
        let mut out = vec![0; compressor.deflate_compress_bound(content.len())];
        let size = compressor.deflate_compress(content, &mut out).unwrap();
        out.truncate(size);
        out
    }

    proptest! {
        #[test]
        fn the_end_is_the_one_that_the_symbols_tell(
            seed: u32,
            kinds in 1u32..256,
            length in 1usize..20_000,
            level in 1i32..12,
        ) {
            let mut state = seed;
            let content: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(0x915f_77f5).wrapping_add(1);
                    // Low values are more frequent.
                    ((state >> 24) % kinds).min((state >> 8 & 0xff) % kinds) as u8
                })
                .collect();
            let stream = compressed(level, &content);
            let told = find_last_block(&stream, |_, _, _| None);
            prop_assert!(told.is_some());
            prop_assert_eq!(last_block(&stream), told);
        }
    }
}
