//! [`BitWriter`]: bits to bytes, the lowest bit first.

/// Appends bits to bytes.
pub struct BitWriter<'a> {
    bytes: &'a mut Vec<u8>,
    /// Bits that are not yet in `bytes`, fewer than 64.
    buffer: u64,
    count: u32,
}

impl<'a> BitWriter<'a> {
    /// Appends to `bytes`.
    pub fn new(bytes: &'a mut Vec<u8>) -> Self {
        Self {
            bytes,
            buffer: 0,
            count: 0,
        }
    }

    /// Makes room for so many bits. False if there is no memory.
    pub fn reserve(&mut self, bits: usize) -> bool {
        self.bytes.try_reserve(bits / 8 + 16).is_ok()
    }

    /// Writes at most 64 bits. `bits` has no others.
    #[inline(always)]
    pub fn put(&mut self, bits: u64, count: u32) {
        debug_assert!(count <= 64 && (count == 64 || bits >> count == 0));
        self.buffer |= bits << self.count;
        self.count += count;
        if self.count >= 64 {
            self.bytes.extend_from_slice(&self.buffer.to_le_bytes());
            self.count -= 64;
            self.buffer = bits.checked_shr(count - self.count).unwrap_or(0);
        }
    }

    /// Writes zeros.
    #[inline]
    pub fn pad(&mut self, mut count: u32) {
        while count > 64 {
            self.put(0, 64);
            count -= 64;
        }
        self.put(0, count);
    }

    /// Fills up the last byte with zeros.
    pub fn finish(self) {
        let used = self.count.div_ceil(8) as usize;
        self.bytes.extend_from_slice(&self.buffer.to_le_bytes()[..used]);
    }
}
