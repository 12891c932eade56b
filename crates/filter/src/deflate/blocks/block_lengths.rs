//! Reads the codes of a block from its header (RFC 1951, 3.2.7).

use crate::deflate::blocks::block_header::LENGTHS_ORDER;
use crate::deflate::blocks::huffman_code::{Code, LONGEST, codes};
use crate::deflate::blocks::match_symbols::{END, distance_bits, length_bits};
use crate::deflate::blocks::stream_bits::Bits;

/// Number of codes for literals and lengths, and for distances.
pub(crate) const SYMBOLS: usize = 288;
pub(crate) const DISTANCES: usize = 32;

/// Most codes of a block. The numbers above stand for nothing.
const MOST_SYMBOLS: usize = 286;
const MOST_DISTANCES: usize = 30;

/// Lengths of the codes for literals and lengths, and for distances.
pub(crate) struct Lengths {
    pub symbols: Vec<u8>,
    pub distances: Vec<u8>,
}

impl Lengths {
    pub fn tables(&self) -> Option<(Table, Table)> {
        Some((
            Table::new(&self.symbols, length_bits)?,
            Table::new(&self.distances, distance_bits)?,
        ))
    }

    /// The code that ends the block.
    pub fn end(&self) -> Option<Code> {
        let code = *checked_codes(&self.symbols)?.get(END)?;
        (code.length > 0).then_some(code)
    }
}

/// The codes of a block that has its own (RFC 1951, 3.2.7).
pub(crate) fn read_lengths(bits: &mut Bits<'_>) -> Option<Lengths> {
    let symbols = bits.take(5) + 257;
    let distances = bits.take(5) + 1;
    let count = bits.take(4) + 4;
    if symbols > MOST_SYMBOLS || distances > MOST_DISTANCES {
        return None;
    }
    let mut own = [0u8; 19];
    for place in LENGTHS_ORDER.iter().take(count) {
        own[*place] = bits.take(3) as u8;
    }
    // Its codes must be all that there can be, as zlib wants.
    if own
        .iter()
        .filter(|length| **length > 0)
        .map(|length| 128 >> length)
        .sum::<u32>()
        != 128
    {
        return None;
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
    if lengths.len() > symbols + distances {
        return None;
    }
    let distances = lengths.split_off(symbols);
    Some(Lengths {
        symbols: lengths,
        distances,
    })
}

/// What to skip where a code is next.
#[derive(Clone, Copy, Default)]
struct Skip {
    /// Bits of the code and of what belongs to it; 0 if there is no such code.
    bits: u8,
    symbol: u16,
}

/// Looks up a code by the next bits.
pub(crate) struct Table {
    skips: Vec<Skip>,
    bits: usize,
}

impl Table {
    /// Codes of these lengths. `extra` gives the bits that follow the code of a symbol. `None` if the lengths are those of no code.
    pub fn new(lengths: &[u8], extra: impl Fn(usize) -> u8) -> Option<Self> {
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
    pub fn skip(&self, bits: &mut Bits<'_>) -> Option<usize> {
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
