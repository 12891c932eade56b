//! The look-up table of a block of literals and runs.

use std::ops::RangeInclusive;

use crate::deflate::blocks::bit_writer::LONGEST_LITERAL;
use crate::deflate::blocks::huffman_code::{Code, codes};
use crate::deflate::blocks::match_symbols::{END, length_bits, shortest_length};

/// Bits of a look-up.
pub(crate) const LOOKUP_BITS: u32 = 11;

/// Most literals of a look-up.
const MOST_LITERALS: u64 = 6;

// A code is at most one bit longer than a look-up, so that two entries tell what it is. Literals have 48 bits of an entry.
const _: () = assert!(LONGEST_LITERAL as u32 == LOOKUP_BITS + 1 && MOST_LITERALS <= 6);

/// Average bits of a literal above which a look-up hardly has two of them.
const LONG_ON_AVERAGE: f64 = 5.0;

/// Smallest share of the code space that literals of one length take in [`Codes::Equal`]. A symbol of another length costs as much time as
/// four literals.
const NEARLY_ALL: f64 = 0.85;

/// Code lengths, in bits, that [`Codes::Equal`] can have. Shorter codes are [`Codes::Short`]. Longer ones cannot be nearly all: 256
/// literals of 9 bits take half of the code space.
const EQUAL_BITS: RangeInclusive<u32> = 5..=8;

/// What the next bits of a block are. Zero stands for bits that no code begins with.
///
/// | bits | literals | match | end | a code that is one bit longer than a look-up |
/// | --- | --- | --- | --- | --- |
/// | 0 to 5 | bits to take | bits to take | bits to take | 0 |
/// | 6 to 8 | their number | 0 | 0 | 0 |
/// | 9 and 10 | 0 | 1 | 2 | 3 |
/// | 16 to 63 | the literals | the shortest length, and from bit 32 on the number of bits that follow | | the place of two entries |
pub(crate) type LiteralEntry = u64;

pub(crate) const MATCH: u64 = 1;
pub(crate) const END_OF_BLOCK: u64 = 2;
pub(crate) const LONGER: u64 = 3;

pub(crate) fn literals_of(entry: LiteralEntry) -> u64 {
    entry >> 6 & 7
}

pub(crate) fn kind_of(entry: LiteralEntry) -> u64 {
    entry >> 9 & 3
}

/// The bits that an entry takes.
pub(crate) fn bits_of(entry: LiteralEntry) -> u32 {
    (entry & 63) as u32
}

/// The entries of a block.
pub(crate) struct Table {
    /// By the next bits.
    pub entries: Box<[LiteralEntry; 1 << LOOKUP_BITS]>,
    /// Of longer codes, in pairs, by the bit after these.
    pub longer: Vec<LiteralEntry>,
}

impl Table {
    /// `None` if the codes of these lengths are not complete, or one is too long.
    pub fn new(lengths: &[u8]) -> Option<Self> {
        const LONGEST: u32 = LONGEST_LITERAL as u32;
        if used(lengths).any(|length| length > LONGEST)
            || used(lengths).map(|length| 1 << (LONGEST - length)).sum::<u32>() != 1 << LONGEST
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

/// How the codes of a block decode fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Codes {
    /// Several of these fit a look-up.
    Short,
    /// Nearly all are literals of so many bits.
    Equal(u32),
    /// By libdeflate.
    Others,
}

impl Codes {
    /// The kind of codes of these lengths, which need not be those of a code.
    pub fn of(lengths: &[u8]) -> Self {
        let share = |length: u32| 0.5f64.powi(length as i32);
        let average: f64 = used(lengths)
            .map(|length| f64::from(length) * share(length))
            .sum();
        if average <= LONG_ON_AVERAGE {
            return Self::Short;
        }
        let is_equal = |bits: &u32| {
            let literals = used(&lengths[..lengths.len().min(END)]);
            literals.filter(|length| length == bits).count() as f64 * share(*bits) >= NEARLY_ALL
        };
        EQUAL_BITS
            .into_iter()
            .find(is_equal)
            .map_or(Self::Others, Self::Equal)
    }
}

/// Literals whose codes have one number of bits, by these bits. [`NO_LITERAL`] stands for others.
pub(crate) type LiteralByCode = [u16; 1 << *EQUAL_BITS.end()];
pub(crate) const NO_LITERAL: u16 = 256;

/// The literals whose codes have `bits` bits. A [`Table`] of these lengths exists.
pub(crate) fn equal_literals(lengths: &[u8], bits: u32) -> LiteralByCode {
    let mut found = [Code::default(); END];
    codes(lengths, &mut found);
    let mut equal = [NO_LITERAL; _];
    for (literal, code) in found.iter().enumerate() {
        if u32::from(code.length) == bits
            && let Some(place) = equal.get_mut(usize::from(code.bits))
        {
            *place = literal as u16;
        }
    }
    equal
}

/// The lengths of the codes that there are.
fn used(lengths: &[u8]) -> impl Iterator<Item = u32> {
    let lengths = lengths.iter().map(|length| u32::from(*length));
    lengths.filter(|length| *length > 0)
}

/// The entry of one symbol. `None` if there is no such symbol.
fn entry(symbol: usize, length: u8) -> Option<LiteralEntry> {
    let of_symbol = match symbol {
        ..END => 1 << 6 | (symbol as u64) << 16,
        END => END_OF_BLOCK << 9,
        _ => MATCH << 9 | (shortest_length(symbol)? as u64) << 16 | u64::from(length_bits(symbol)) << 32,
    };
    Some(of_symbol | u64::from(length))
}
