//! The bits of a block of literals and runs, and the content that they become.

use crate::deflate::decode::literal_table::{
    END_OF_BLOCK, LONGER, LOOKUP_BITS, LiteralByCode, LiteralEntry, MATCH, NO_LITERAL, Table, bits_of,
    kind_of, literals_of,
};

/// Bytes that any run is filled with at once. Most runs are shorter.
const FILLED: usize = 32;

/// A block that is decoded.
pub(crate) struct DeflateBlock<'a> {
    bytes: &'a [u8],
    /// Where the next byte is taken from.
    next: usize,
    word: u64,
    /// Bits of `word`.
    count: u32,
    out: &'a mut [u8],
    /// Bytes of `out` that are decoded.
    pub place: usize,
}

impl<'a> DeflateBlock<'a> {
    /// The bits from `at` on, which become content from byte `place` on.
    pub fn new(bytes: &'a [u8], at: usize, out: &'a mut [u8], place: usize) -> Self {
        let mut block = Self {
            bytes,
            next: at / 8,
            word: 0,
            count: 0,
            out,
            place,
        };
        block.refill();
        block.take((at % 8) as u32);
        block
    }

    /// The number of bits before the next one.
    pub fn at(&self) -> Option<usize> {
        (8 * self.next).checked_sub(self.count as usize)
    }

    /// Has at least 56 bits ready. Past the end they are zeros.
    #[inline(always)]
    fn refill(&mut self) {
        match self.bytes.get(self.next..self.next + 8) {
            Some(eight) => {
                let eight = eight.try_into().map_or(0, u64::from_le_bytes);
                self.word |= eight << self.count;
                self.next += (63 - self.count as usize) >> 3;
                self.count |= 56;
            }
            None => {
                (self.next, self.word, self.count) =
                    refilled_at_end(self.bytes, self.next, self.word, self.count);
            }
        }
    }

    #[inline(always)]
    fn take(&mut self, count: u32) {
        self.word >>= count;
        self.count -= count;
    }

    /// Decodes the rest of the block. `None` if it is damaged, or if there is no room.
    #[inline(never)]
    pub fn decode(&mut self, table: &Table) -> Option<()> {
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

    /// [`DeflateBlock::decode`] for a block in which nearly all codes are literals of `BITS` bits. Several are looked up at once, as if all were
    /// such: each is one if those before it are.
    #[inline(never)]
    pub fn decode_equal<const BITS: u32>(&mut self, table: &Table, equal: &LiteralByCode) -> Option<()> {
        const { assert!(matches!(BITS, 5..=8)) };
        let most = (56 / BITS).min(8);
        let literal = |word: u64, n: u32| equal[(word >> (BITS * n)) as usize & ((1 << BITS) - 1)];
        loop {
            self.refill();
            if let Some(eight) = self.out.get_mut(self.place..self.place + 8) {
                let (mut literals, mut all) = (0, 0);
                for n in 0..most {
                    // `NO_LITERAL` sets a bit of the next literal. That literal is not taken.
                    literals |= u64::from(literal(self.word, n)) << (8 * n);
                    all |= literal(self.word, n);
                }
                eight.copy_from_slice(&literals.to_le_bytes());
                if all < NO_LITERAL {
                    self.take(BITS * most);
                    self.place += most as usize;
                    continue;
                }
                let none = |n: u32| u32::from(literal(self.word, n) / NO_LITERAL) << n;
                let taken = (0..most).fold(0, |all, n| all | none(n)).trailing_zeros();
                self.take(BITS * taken);
                self.place += taken as usize;
                self.refill();
            }
            let entry = table.entries[self.word as usize & ((1 << LOOKUP_BITS) - 1)];
            if !self.match_or_end(entry, &table.longer)? {
                return Some(());
            }
        }
    }

    /// Adds the literals of an entry.
    #[inline(always)]
    fn put(&mut self, entry: LiteralEntry) -> Option<()> {
        self.take(bits_of(entry));
        let literals = literals_of(entry) as usize;
        match self.out.get_mut(self.place..self.place + 8) {
            Some(eight) => eight.copy_from_slice(&(entry >> 16).to_le_bytes()),
            None => put_at_end(self.out.get_mut(self.place..self.place + literals)?, entry),
        }
        self.place += literals;
        Some(())
    }

    /// Decodes a match or a long code, and returns true; false at the end of the block.
    #[inline(always)]
    fn match_or_end(&mut self, entry: LiteralEntry, longer: &[LiteralEntry]) -> Option<bool> {
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

// The state of a block stays in registers where none of it is taken by reference, and where each loop is a function of its own.

/// A block's next byte, bits and their number, where fewer than eight bytes are left.
#[cold]
#[inline(never)]
fn refilled_at_end(bytes: &[u8], mut next: usize, mut word: u64, mut count: u32) -> (usize, u64, u32) {
    while count < 56 {
        let byte = bytes.get(next).copied().unwrap_or_default();
        word |= u64::from(byte) << count;
        next += 1;
        count += 8;
    }
    (next, word, count)
}

/// Puts the first literals of an entry.
#[cold]
#[inline(never)]
fn put_at_end(out: &mut [u8], entry: LiteralEntry) {
    out.copy_from_slice(&(entry >> 16).to_le_bytes()[..out.len()]);
}
