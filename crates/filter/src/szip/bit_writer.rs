//! Writes bits to bytes, most significant first.

/// Appends bits to bytes.
pub(super) struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    /// Bits not appended yet, at the low end.
    held: u64,
    /// Number of bits held, below 32 between calls.
    count: u32,
}

impl<'a> BitWriter<'a> {
    /// Starts at the end of `out`.
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        Self {
            out,
            held: 0,
            count: 0,
        }
    }

    /// Appends the low `count` bits of `value`; `count` is at most 32, and the bits above are 0.
    #[inline]
    pub fn bits(&mut self, value: u32, count: u32) {
        self.held = self.held << count | u64::from(value);
        self.count += count;
        if self.count >= 32 {
            self.count -= 32;
            self.out
                .extend_from_slice(&((self.held >> self.count) as u32).to_be_bytes());
        }
    }

    /// Appends a fundamental sequence: `zeros` zeros and a one.
    #[inline]
    pub fn fundamental_sequence(&mut self, mut zeros: u32) {
        while zeros > 31 {
            self.bits(0, 32);
            zeros -= 32;
        }
        self.bits(1, zeros + 1);
    }

    /// Appends two fundamental sequences.
    #[inline]
    pub fn two_sequences(&mut self, first: u32, second: u32) {
        if first < 16 && second < 16 {
            self.bits(1 << (second + 1) | 1, first + second + 2);
        } else {
            self.fundamental_sequence(first);
            self.fundamental_sequence(second);
        }
    }

    /// Length of `out`, in bytes, after all bits are appended.
    pub fn len(&self) -> usize {
        self.out.len() + self.count.div_ceil(8) as usize
    }

    /// Appends the last bits, padded with zeros to a byte.
    pub fn finish(self) {
        let last = (self.held << (64 - self.count).min(63)).to_be_bytes();
        let bytes = self.count.div_ceil(8) as usize;
        self.out.extend_from_slice(&last[..bytes]);
    }
}
