//! The bits of a block of literals and runs, and the content that they become.

use crate::deflate::decode::literal_table::{
    END_OF_BLOCK, Entry, LONGER, LOOKUP_BITS, MATCH, Table, bits_of, kind_of, literals_of,
};

/// Bytes that any run is filled with at once. Most runs are shorter.
const FILLED: usize = 32;

/// A block that is decoded.
pub(crate) struct Block<'a> {
    bytes: &'a [u8],
    /// Where the next byte is taken from.
    next: usize,
    word: u64,
    /// Bits of `word`.
    count: u32,
    out: &'a mut [u8],
    pub place: usize,
}

impl<'a> Block<'a> {
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
    /// Decodes the rest of the block. `None` if it is damaged, or if there is no room.
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
