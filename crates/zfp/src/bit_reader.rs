//! [`BitReader`]: bytes to bits, the lowest bit first.

/// Takes bits from bytes. Zeros follow the bytes, and [`BitReader::is_past_end`] tells whether some were taken.
pub struct BitReader<'a> {
    bytes: &'a [u8],
    /// Bytes that were put into the buffer, with those that follow the end.
    next: usize,
    /// The lowest `count` bits are next. Others may be set, as those are that follow.
    buffer: u64,
    count: u32,
}

impl<'a> BitReader<'a> {
    /// Begins with the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            next: 0,
            buffer: 0,
            count: 0,
        }
    }

    /// True if more bits were taken than there are.
    #[inline]
    pub fn is_past_end(&self) -> bool {
        // Fewer than eight bytes are in the buffer.
        self.next > self.bytes.len() && (self.next - self.bytes.len()) * 8 > self.count as usize
    }

    /// Takes one bit.
    #[inline(always)]
    pub fn bit(&mut self) -> bool {
        if self.count == 0 {
            self.fill();
        }
        let bit = self.buffer & 1;
        self.advance(1);
        bit == 1
    }

    /// Takes at most 64 bits.
    #[inline(always)]
    pub fn take(&mut self, count: u32) -> u64 {
        if count <= 32 {
            return self.take_few(count);
        }
        let low = self.take_few(32);
        low | self.take_few(count - 32) << 32
    }

    /// Takes at most 32 bits.
    #[inline(always)]
    fn take_few(&mut self, count: u32) -> u64 {
        if self.count < count {
            self.fill();
        }
        let bits = self.buffer & ((1 << count) - 1);
        self.advance(count);
        bits
    }

    /// Takes zeros and the one behind them, but at most `most` bits. Returns the zeros, and the bits taken.
    #[inline(always)]
    pub fn zeros(&mut self, most: u32) -> (u32, u32) {
        if self.count < 32 {
            self.fill();
        }
        let zeros = self.buffer.trailing_zeros();
        if zeros < most && zeros < self.count {
            self.advance(zeros + 1);
            return (zeros, zeros + 1);
        }
        self.many_zeros(most)
    }

    /// [`BitReader::zeros`], where the buffer does not have the one.
    fn many_zeros(&mut self, most: u32) -> (u32, u32) {
        let mut zeros = 0;
        loop {
            let ahead = self.buffer.trailing_zeros().min(self.count);
            if ahead >= most - zeros {
                self.advance(most - zeros);
                return (most, most);
            }
            zeros += ahead;
            if ahead < self.count {
                self.advance(ahead + 1);
                return (zeros, zeros + 1);
            }
            self.advance(ahead);
            self.fill();
        }
    }

    /// Passes bits.
    pub fn skip(&mut self, mut count: u32) {
        while count > 32 {
            self.take_few(32);
            count -= 32;
        }
        self.take_few(count);
    }

    /// Passes bits of the buffer.
    #[inline(always)]
    fn advance(&mut self, count: u32) {
        debug_assert!(count <= self.count && count < 64);
        self.buffer >>= count;
        self.count -= count;
    }

    /// Fills the buffer to 56 bits at least.
    #[inline(always)]
    fn fill(&mut self) {
        let ahead = self.bytes.get(self.next..).and_then(|ahead| ahead.first_chunk());
        let word = match ahead {
            Some(word) => u64::from_le_bytes(*word),
            None => self.last_bytes(),
        };
        self.buffer |= word << self.count;
        let bytes = (63 - self.count) / 8;
        self.next += bytes as usize;
        self.count += bytes * 8;
    }

    /// The bytes before the end, and zeros.
    #[cold]
    fn last_bytes(&self) -> u64 {
        let left = self.bytes.get(self.next..).unwrap_or_default();
        let byte = |word, byte: &u8| word << 8 | u64::from(*byte);
        left.iter().rev().fold(0, byte)
    }
}
