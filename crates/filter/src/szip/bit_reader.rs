//! Reads bits from bytes, most significant first.

/// Reads bits from bytes.
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    /// The next bits, at the high end. Bits after the first `count` may be set already, to their final values.
    held: u64,
    /// Number of bits in `held` that are counted as read from `bytes`.
    count: u32,
}

/// Message for input that ends too early.
pub(super) const TOO_SHORT: &str = "the data ends too early";

impl<'a> BitReader<'a> {
    /// Starts at the first bit of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            held: 0,
            count: 0,
        }
    }

    /// Reads bytes until `count` is at least 56, or the input ends.
    #[inline]
    fn refill(&mut self) {
        if let Some(next) = self.bytes.first_chunk::<8>() {
            self.held |= u64::from_be_bytes(*next) >> self.count;
            let taken = (63 - self.count) / 8;
            self.bytes = &self.bytes[taken as usize..];
            self.count += taken * 8;
            return;
        }
        while self.count <= 56 {
            let Some((next, rest)) = self.bytes.split_first() else {
                return;
            };
            self.held |= u64::from(*next) << (56 - self.count);
            self.count += 8;
            self.bytes = rest;
        }
    }

    /// The next `count` bits, at most 32.
    #[inline]
    pub fn bits(&mut self, count: u32) -> Result<u32, &'static str> {
        if self.count < count {
            self.refill();
            if self.count < count {
                return Err(TOO_SHORT);
            }
        }
        // Two shifts, since a shift by 64 bits would overflow.
        let value = (self.held >> 1 >> (63 - count)) as u32;
        self.held <<= count;
        self.count -= count;
        Ok(value)
    }

    /// Reads a fundamental sequence: counts the zeros before the next one bit, and takes that bit too.
    #[inline]
    pub fn fundamental_sequence(&mut self) -> Result<u32, &'static str> {
        let zeros = self.held.leading_zeros();
        if zeros < self.count {
            self.held = self.held << zeros << 1;
            self.count -= zeros + 1;
            return Ok(zeros);
        }
        self.long_sequence()
    }

    /// [`Self::fundamental_sequence`] whose one bit is not among the bits held.
    fn long_sequence(&mut self) -> Result<u32, &'static str> {
        let mut total = 0u32;
        loop {
            let zeros = self.held.leading_zeros();
            if zeros < self.count {
                self.held = self.held << zeros << 1;
                self.count -= zeros + 1;
                return Ok(total.saturating_add(zeros));
            }
            total = total.saturating_add(self.count);
            self.held = 0;
            self.count = 0;
            self.refill();
            if self.count == 0 {
                return Err(TOO_SHORT);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::szip::bit_writer::BitWriter;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn reads_what_was_written(items in proptest::collection::vec((any::<u32>(), 0u32..=33), 0..200)) {
            let mut bytes = vec![0xee];
            let mut writer = BitWriter::new(&mut bytes);
            let mut bits = 0;
            for (value, count) in &items {
                if *count == 33 {
                    writer.fundamental_sequence(value % 300);
                    bits += value % 300 + 1;
                } else {
                    writer.bits(u64::from(*value).wrapping_rem(1 << count) as u32, *count);
                    bits += count;
                }
            }
            prop_assert_eq!(writer.len(), 1 + bits.div_ceil(8) as usize);
            writer.finish();
            prop_assert_eq!(bytes.len(), 1 + bits.div_ceil(8) as usize);
            let mut reader = BitReader::new(&bytes[1..]);
            for (value, count) in &items {
                if *count == 33 {
                    prop_assert_eq!(reader.fundamental_sequence().unwrap(), value % 300);
                } else {
                    prop_assert_eq!(u64::from(reader.bits(*count).unwrap()), u64::from(*value) % (1 << count));
                }
            }
            prop_assert!(reader.bits(8).is_err());
            prop_assert!(reader.fundamental_sequence().is_err());
        }
    }
}
