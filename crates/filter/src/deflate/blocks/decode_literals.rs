//! Decodes the blocks that are written here: stored ones, and those of literals and runs of one byte.
//!
//! ```text
//! stream ─► block header ─► table: 11 bits ─► up to 6 literals, or a match ─► content
//! ```
//!
//! libdeflate decodes a symbol at a time. Where most bytes are one value, most symbols are literals of a bit or two, and several
//! of them fit one look-up: such blocks decode in half the time. At another block, the rest is left to libdeflate.

use crate::deflate::blocks::bit_writer::LONGEST_LITERAL;
use crate::deflate::blocks::block_lengths::{Lengths, read_lengths};
use crate::deflate::blocks::huffman_code::{Code, codes};
use crate::deflate::blocks::match_symbols::{END, length_bits, shortest_length};
use crate::deflate::blocks::stream_bits::Bits;

/// Bits of a look-up.
const LOOKUP_BITS: u32 = 11;

/// Most literals of a look-up.
const MOST_LITERALS: u64 = 6;

// A code is at most one bit longer than a look-up, so that two entries tell what it is. Literals have 48 bits of an entry.
const _: () = assert!(LONGEST_LITERAL as u32 == LOOKUP_BITS + 1 && MOST_LITERALS <= 6);

/// Average bits of a literal above which a look-up hardly has two of them, and libdeflate is as fast.
const LONG_ON_AVERAGE: f64 = 5.0;

/// Bytes that any run is filled with at once. Most runs are shorter.
const FILLED: usize = 32;

/// Bytes of content for each block, beyond [`SMALL_BLOCKS`], below which tables take longer than what they decode.
const SMALL_BLOCK: usize = 2 << 10;
const SMALL_BLOCKS: usize = 16;

/// What the next bits of a block are. Zero stands for bits that no code begins with.
///
/// | bits | literals | match | end | a code that is one bit longer than a look-up |
/// | --- | --- | --- | --- | --- |
/// | 0 to 5 | bits to take | bits to take | bits to take | 0 |
/// | 6 to 8 | their number | 0 | 0 | 0 |
/// | 9 and 10 | 0 | 1 | 2 | 3 |
/// | 16 to 63 | the literals | the shortest length, and from bit 32 on the number of bits that follow | | the place of two entries |
type Entry = u64;

const MATCH: u64 = 1;
const END_OF_BLOCK: u64 = 2;
const LONGER: u64 = 3;

fn literals_of(entry: Entry) -> u64 {
    entry >> 6 & 7
}

fn kind_of(entry: Entry) -> u64 {
    entry >> 9 & 3
}

/// The bits that an entry takes.
fn bits_of(entry: Entry) -> u32 {
    (entry & 63) as u32
}

/// How far a stream was decoded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// Bytes of the stream.
    pub read: usize,
    /// Bytes of content.
    pub written: usize,
    /// True if the last block was decoded.
    pub is_all: bool,
}

/// Decodes blocks at the beginning of `stream` into `out`. It stops behind the last such block that ends with a whole byte, or that
/// ends the stream. It decodes nothing if the first block that is not stored is of another kind.
pub(crate) fn decode_literals(stream: &[u8], out: &mut [u8]) -> Decoded {
    let mut decoded = Decoded::default();
    let mut bits = Bits { bytes: stream, at: 0 };
    let mut place = 0;
    // A guess that costs at most a second decode: behind stored blocks alone, the matches of other encoders may reach back to them, which
    // libdeflate refuses if it begins behind them.
    let mut has_literals = false;
    for number in 0.. {
        if number > SMALL_BLOCKS + place / SMALL_BLOCK {
            break;
        }
        let is_last = bits.take(1) == 1;
        let read = match bits.take(2) {
            0 => stored(&mut bits, out, &mut place),
            2 => {
                let read = literals(&mut bits, out, &mut place);
                has_literals |= read.is_some();
                read
            }
            _ => None,
        };
        if read.is_none() || bits.is_past_the_end() {
            break;
        }
        if is_last || has_literals && bits.at.is_multiple_of(8) {
            decoded = Decoded {
                read: bits.at.div_ceil(8),
                written: place,
                is_all: is_last,
            };
        }
        if is_last {
            break;
        }
    }
    decoded
}

/// Copies a stored block.
fn stored(bits: &mut Bits<'_>, out: &mut [u8], place: &mut usize) -> Option<()> {
    bits.at = bits.at.next_multiple_of(8);
    let length = bits.take(16);
    if bits.take(16) != !length & 0xffff {
        return None;
    }
    let from = bits.at / 8;
    let content = bits.bytes.get(from..from + length)?;
    out.get_mut(*place..*place + length)?.copy_from_slice(content);
    bits.at += 8 * length;
    *place += length;
    Some(())
}

/// Decodes a block of literals and runs.
fn literals(bits: &mut Bits<'_>, out: &mut [u8], place: &mut usize) -> Option<()> {
    let Lengths { symbols, distances } = read_lengths(bits)?;
    if distances != [1, 1] {
        return None;
    }
    let table = Table::new(&symbols)?;
    let mut block = Block {
        bytes: bits.bytes,
        next: bits.at / 8,
        word: 0,
        count: 0,
        out,
        place: *place,
    };
    block.refill();
    block.take((bits.at % 8) as u32);
    block.decode(&table)?;
    bits.at = (8 * block.next).checked_sub(block.count as usize)?;
    *place = block.place;
    Some(())
}

/// The entries of a block.
struct Table {
    /// By the next bits.
    entries: Box<[Entry; 1 << LOOKUP_BITS]>,
    /// Of longer codes, in pairs, by the bit after these.
    longer: Vec<Entry>,
}

impl Table {
    /// `None` if the codes of these lengths are not complete, one is too long, or libdeflate is as fast.
    fn new(lengths: &[u8]) -> Option<Self> {
        const LONGEST: u32 = LONGEST_LITERAL as u32;
        let used = || {
            lengths
                .iter()
                .map(|length| u32::from(*length))
                .filter(|length| *length > 0)
        };
        if used().any(|length| length > LONGEST)
            || used().map(|length| 1 << (LONGEST - length)).sum::<u32>() != 1 << LONGEST
            || used()
                .map(|length| f64::from(length) * 0.5f64.powi(length as i32))
                .sum::<f64>()
                > LONG_ON_AVERAGE
        {
            return None;
        }
        let mut found = vec![Code::default(); lengths.len()];
        codes(lengths, &mut found);
        let mut single = Box::new([0; 1 << LOOKUP_BITS]);
        let mut longer = Vec::new();
        for (symbol, code) in found.iter().enumerate().filter(|(_, code)| code.length > 0) {
            let entry = entry(symbol, code.length)?;
            let bits = usize::from(code.bits);
            if u32::from(code.length) <= LOOKUP_BITS {
                for place in single.iter_mut().skip(bits).step_by(1 << code.length) {
                    *place = entry;
                }
                continue;
            }
            let pair = &mut single[bits & ((1 << LOOKUP_BITS) - 1)];
            if *pair == 0 {
                *pair = LONGER << 9 | (longer.len() as u64) << 16;
                longer.extend([0; 2]);
            }
            longer[(*pair >> 16) as usize + (bits >> LOOKUP_BITS)] = entry;
        }
        let mut entries = single.clone();
        for (index, entry) in entries.iter_mut().enumerate() {
            while (1..MOST_LITERALS).contains(&literals_of(*entry)) {
                let (literals, taken) = (literals_of(*entry), bits_of(*entry));
                let next = single[index >> taken];
                if literals_of(next) == 0 || taken + bits_of(next) > LOOKUP_BITS {
                    break;
                }
                // The bits that are taken and the number of literals are sums, which stay below 64 and 8.
                *entry += (next & 0xffff) + (next >> 16 << (16 + 8 * literals));
            }
        }
        Some(Self { entries, longer })
    }
}

/// The entry of one symbol. `None` if there is no such symbol.
fn entry(symbol: usize, length: u8) -> Option<Entry> {
    let of_symbol = match symbol {
        ..END => 1 << 6 | (symbol as u64) << 16,
        END => END_OF_BLOCK << 9,
        _ => MATCH << 9 | (shortest_length(symbol)? as u64) << 16 | u64::from(length_bits(symbol)) << 32,
    };
    Some(of_symbol | u64::from(length))
}

/// A block that is decoded.
struct Block<'a> {
    bytes: &'a [u8],
    /// Where the next byte is taken from.
    next: usize,
    word: u64,
    /// Bits of `word`.
    count: u32,
    out: &'a mut [u8],
    place: usize,
}

impl Block<'_> {
    /// Has at least 56 bits ready. Past the end they are zeros.
    #[inline]
    fn refill(&mut self) {
        match self.bytes.get(self.next..self.next + 8) {
            Some(eight) => {
                let eight = eight.try_into().map_or(0, u64::from_le_bytes);
                self.word |= eight << self.count;
                self.next += (63 - self.count as usize) >> 3;
                self.count |= 56;
            }
            None => self.refill_at_end(),
        }
    }

    #[cold]
    fn refill_at_end(&mut self) {
        while self.count < 56 {
            let byte = self.bytes.get(self.next).copied().unwrap_or_default();
            self.word |= u64::from(byte) << self.count;
            self.next += 1;
            self.count += 8;
        }
    }

    #[inline]
    fn take(&mut self, count: u32) {
        self.word >>= count;
        self.count -= count;
    }

    #[inline]
    fn decode(&mut self, table: &Table) -> Option<()> {
        /// Look-ups that 56 bits are enough for.
        const LOOK_UPS: u32 = 56 / LOOKUP_BITS;
        loop {
            self.refill();
            for _ in 0..LOOK_UPS {
                let entry = table.entries[self.word as usize & ((1 << LOOKUP_BITS) - 1)];
                if literals_of(entry) == 0 {
                    self.refill();
                    if !self.match_or_end(entry, &table.longer)? {
                        return Some(());
                    }
                    break;
                }
                self.put(entry)?;
            }
        }
    }

    /// Adds the literals of an entry.
    #[inline]
    fn put(&mut self, entry: Entry) -> Option<()> {
        self.take(bits_of(entry));
        let literals = literals_of(entry) as usize;
        match self.out.get_mut(self.place..self.place + 8) {
            Some(eight) => eight.copy_from_slice(&(entry >> 16).to_le_bytes()),
            None => self.put_at_end(entry, literals)?,
        }
        self.place += literals;
        Some(())
    }

    #[cold]
    fn put_at_end(&mut self, entry: Entry, literals: usize) -> Option<()> {
        let rest = self.out.get_mut(self.place..self.place + literals)?;
        rest.copy_from_slice(&(entry >> 16).to_le_bytes()[..literals]);
        Some(())
    }

    /// Decodes a match or a long code, and returns true; false at the end of the block.
    #[inline]
    fn match_or_end(&mut self, entry: Entry, longer: &[Entry]) -> Option<bool> {
        let entry = match kind_of(entry) {
            LONGER => *longer.get((entry >> 16) as usize + (self.word >> LOOKUP_BITS & 1) as usize)?,
            _ => entry,
        };
        if literals_of(entry) > 0 {
            self.put(entry)?;
            return Some(true);
        }
        self.take(bits_of(entry));
        if kind_of(entry) != MATCH {
            return (kind_of(entry) == END_OF_BLOCK && self.next <= self.bytes.len() + 8).then_some(false);
        }
        let extra_bits = (entry >> 32) as u32;
        let length = (entry >> 16 & 0xffff) as usize + (self.word & ((1 << extra_bits) - 1)) as usize;
        self.take(extra_bits);
        let is_far = self.word & 1 == 1;
        self.take(1);
        let byte = *self.out.get(self.place.checked_sub(1)?)?;
        // The distance 2 repeats the byte before, too, if it equals the one before it.
        if is_far && *self.out.get(self.place.checked_sub(2)?)? != byte {
            return None;
        }
        let end = self.place + length;
        match self.out.get_mut(self.place..self.place + FILLED) {
            Some(filled) => {
                filled.fill(byte);
                if length > FILLED {
                    self.out.get_mut(self.place + FILLED..end)?.fill(byte);
                }
            }
            None => self.out.get_mut(self.place..end)?.fill(byte),
        }
        self.place = end;
        Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deflate::blocks::literal_blocks::append_literals;
    use crate::deflate::blocks::repeated_byte::append_repeated;
    use crate::deflate::blocks::stored_blocks::store;
    use crate::deflate::libdeflate::libdeflate;
    use libdeflater::Decompressor;
    use proptest::prelude::*;

    /// Bytes of which one is frequent, and runs of it.
    fn content(seed: u32, kinds: u32, length: usize) -> Vec<u8> {
        let mut state = seed;
        let mut content = Vec::new();
        while content.len() < length {
            state = state.wrapping_mul(0x915f_77f5).wrapping_add(1);
            let value = (state >> 24) % kinds;
            let times = if state >> 8 & 3 == 0 { state >> 16 & 63 } else { 0 };
            content.extend(vec![(value.min(state & 0xff) / 2) as u8; 1 + times as usize]);
        }
        content.truncate(length);
        content
    }

    /// A stream of pieces, and its content.
    fn stream(pieces: &[(u32, u32, usize, u8)], is_complete: bool) -> (Vec<u8>, Vec<u8>) {
        let (mut stream, mut all) = (Vec::new(), Vec::new());
        for (n, (seed, kinds, length, blocks)) in pieces.iter().enumerate() {
            let is_last = is_complete && n + 1 == pieces.len();
            let piece = match blocks {
                0 => vec![*seed as u8; *length],
                _ => content(*seed, *kinds, *length),
            };
            match blocks {
                0 => append_repeated(piece[0], piece.len(), is_last, &mut stream),
                1 => store(&piece, is_last, &mut stream),
                _ => append_literals(&piece, is_last, &mut stream),
            }
            all.extend(piece);
        }
        (stream, all)
    }

    fn pieces() -> impl Strategy<Value = Vec<(u32, u32, usize, u8)>> {
        proptest::collection::vec((any::<u32>(), 2u32..40, 1usize..70_000, 0u8..5), 1..4)
    }

    #[test]
    fn a_block_of_many_values_is_left() {
        let mut stream = Vec::new();
        append_repeated(7, 1000, false, &mut stream);
        let read = stream.len();
        let all: Vec<u8> = (0..=255).collect();
        append_literals(&all.repeat(100), true, &mut stream);
        let wanted = Decoded {
            read,
            written: 1000,
            is_all: false,
        };
        assert_eq!(decode_literals(&stream, &mut vec![0; 40_000]), wanted);
    }

    #[test]
    fn many_small_blocks_are_left() {
        let mut stream = Vec::new();
        for _ in 0..100 {
            append_literals(&[1, 2], false, &mut stream);
        }
        let decoded = decode_literals(&stream, &mut [0; 200]);
        assert!((2..100).contains(&decoded.written) && !decoded.is_all);
    }

    proptest! {
        #[test]
        fn what_is_written_here_is_decoded(pieces in pieces(), room in 0usize..20) {
            let (stream, content) = stream(&pieces, true);
            let mut out = vec![9; content.len() + room];
            let wanted = Decoded { read: stream.len(), written: content.len(), is_all: true };
            prop_assert_eq!(decode_literals(&stream, &mut out), wanted);
            prop_assert!(out[..content.len()] == content);
            // Without room, it ends before a block.
            let mut less = vec![9; content.len() - 1];
            prop_assert!(!decode_literals(&stream, &mut less).is_all);
        }

        #[test]
        fn the_rest_is_told(mut pieces in pieces(), rest in proptest::collection::vec(any::<u8>(), 300..400)) {
            pieces.push((7, 0, 100, 0));
            let (mut stream, mut content) = stream(&pieces, false);
            let read = stream.len();
            libdeflate(5, &rest.repeat(3), read, &mut stream).unwrap();
            let mut out = vec![9; content.len() + 3 * rest.len()];
            let decoded = decode_literals(&stream, &mut out);
            prop_assert_eq!(decoded, Decoded { read, written: content.len(), is_all: false });
            let size = Decompressor::new().deflate_decompress(&stream[read..], &mut out[content.len()..]);
            prop_assert_eq!(size, Ok(3 * rest.len()));
            content.extend(rest.repeat(3));
            prop_assert!(out == content);
        }

        #[test]
        fn damage_is_as_for_others(pieces in pieces(), at: prop::sample::Index, bit in 0u8..8, cut: bool) {
            let (mut stream, content) = stream(&pieces, true);
            let at = at.index(stream.len());
            match cut {
                true => stream.truncate(at),
                false => stream[at] ^= 1 << bit,
            }
            let mut out = vec![0; content.len() + 100];
            let decoded = decode_literals(&stream, &mut out);
            if decoded.is_all {
                let mut other = vec![0; out.len()];
                let size = Decompressor::new().deflate_decompress(&stream, &mut other);
                prop_assert_eq!(size, Ok(decoded.written));
                prop_assert!(out[..decoded.written] == other[..decoded.written]);
            }
        }
    }
}
