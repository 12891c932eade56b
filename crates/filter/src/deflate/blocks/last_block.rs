//! Finds the last block of a deflate stream (RFC 1951), so that more can follow it.
//!
//! ```text
//! │ header, symbols, end │ header, symbols, end │ header, symbols, end │ padding
//!   ▲ last? no             ▲ last? no             ▲ last? yes: found    ▲ end
//! ```

use std::ops::Range;

use crate::deflate::blocks::block_header::LENGTHS_ORDER;
use crate::deflate::blocks::huffman_code::{Code, LONGEST, codes};
use crate::deflate::blocks::match_symbols::{END, distance_bits, length_bits};

/// Number of codes for literals and lengths, and for distances.
const SYMBOLS: usize = 288;
const DISTANCES: usize = 32;

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

/// Bits of a stream, lowest first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    /// The next 32 bits or more. Past the end they are zeros.
    fn peek(&self) -> u64 {
        let from = self.at / 8;
        let word = match self.bytes.get(from..from + 8) {
            Some(bytes) => bytes.try_into().map_or(0, u64::from_le_bytes),
            None => {
                let rest = self.bytes.get(from..).unwrap_or_default();
                let mut word = [0; 8];
                word[..rest.len()].copy_from_slice(rest);
                u64::from_le_bytes(word)
            }
        };
        word >> (self.at % 8)
    }

    fn take(&mut self, count: usize) -> usize {
        let bits = self.peek() & ((1 << count) - 1);
        self.at += count;
        bits as usize
    }

    fn is_past_the_end(&self) -> bool {
        self.at > 8 * self.bytes.len()
    }
}

/// What to skip where a code is next.
#[derive(Clone, Copy, Default)]
struct Skip {
    /// Bits of the code and of what belongs to it; 0 if there is no such code.
    bits: u8,
    symbol: u16,
}

/// Looks up a code by the next bits.
struct Table {
    skips: Vec<Skip>,
    bits: usize,
}

impl Table {
    /// Codes of these lengths. `extra` gives the bits that follow the code of a symbol. `None` if the lengths are those of no code.
    fn new(lengths: &[u8], extra: impl Fn(usize) -> u8) -> Option<Self> {
        let bits = usize::from(lengths.iter().copied().max()?).max(1);
        let codes = checked_codes(lengths)?;
        let mut skips = vec![Skip::default(); 1 << bits];
        for (symbol, code) in codes.iter().enumerate().filter(|(_, code)| code.length > 0) {
            for place in skips.iter_mut().skip(code.bits.into()).step_by(1 << code.length) {
                *place = Skip {
                    bits: code.length + extra(symbol),
                    symbol: symbol as u16,
                };
            }
        }
        Some(Self { skips, bits })
    }

    /// Takes one code, and the bits that belong to it. Returns the symbol.
    fn skip(&self, bits: &mut Bits<'_>) -> Option<usize> {
        let skip = self.skips[(bits.peek() & ((1 << self.bits) - 1)) as usize];
        bits.at += usize::from(skip.bits);
        (skip.bits > 0).then_some(usize::from(skip.symbol))
    }
}

/// The codes of lengths from a stream. `None` if one is too long, or there are too many.
fn checked_codes(lengths: &[u8]) -> Option<Vec<Code>> {
    let mut space = 0usize;
    for length in lengths.iter().filter(|length| **length > 0) {
        space += 1 << LONGEST.checked_sub(usize::from(*length))?;
    }
    if space > 1 << LONGEST {
        return None;
    }
    let mut found = vec![Code::default(); lengths.len()];
    codes(lengths, &mut found);
    Some(found)
}

/// Lengths of the codes for literals and lengths, and for distances.
struct Lengths {
    symbols: Vec<u8>,
    distances: Vec<u8>,
}

impl Lengths {
    fn tables(&self) -> Option<(Table, Table)> {
        Some((
            Table::new(&self.symbols, length_bits)?,
            Table::new(&self.distances, distance_bits)?,
        ))
    }

    /// The code that ends the block.
    fn end(&self) -> Option<Code> {
        let code = *checked_codes(&self.symbols)?.get(END)?;
        (code.length > 0).then_some(code)
    }
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

/// The codes of a block that has its own (RFC 1951, 3.2.7).
fn dynamic(bits: &mut Bits<'_>) -> Option<Lengths> {
    let symbols = bits.take(5) + 257;
    let distances = bits.take(5) + 1;
    let count = bits.take(4) + 4;
    let mut own = [0; 19];
    for place in LENGTHS_ORDER.iter().take(count) {
        own[*place] = bits.take(3) as u8;
    }
    let table = Table::new(&own, |_| 0)?;
    let mut lengths: Vec<u8> = Vec::with_capacity(SYMBOLS + DISTANCES);
    while lengths.len() < symbols + distances {
        let (length, times) = match table.skip(bits)? {
            16 => (*lengths.last()?, 3 + bits.take(2)),
            17 => (0, 3 + bits.take(3)),
            18 => (0, 11 + bits.take(7)),
            length => (length as u8, 1),
        };
        lengths.resize(lengths.len() + times, length);
        if bits.is_past_the_end() {
            return None;
        }
    }
    let (symbols, rest) = lengths.split_at(symbols);
    Some(Lengths {
        symbols: symbols.to_vec(),
        distances: rest.get(..distances)?.to_vec(),
    })
}

/// The tables of a block with the usual codes (RFC 1951, 3.2.6).
fn usual() -> Option<(Table, Table)> {
    let mut lengths = [8; SYMBOLS];
    lengths[144..256].fill(9);
    lengths[256..280].fill(7);
    Some((
        Table::new(&lengths, length_bits)?,
        Table::new(&[5; DISTANCES], distance_bits)?,
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
                let lengths = dynamic(&mut bits)?;
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
