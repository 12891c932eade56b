//! Reads the bits of a deflate stream (RFC 1951, 3.1.1).

/// Bits of a stream, lowest first.
pub(crate) struct Bits<'a> {
    pub bytes: &'a [u8],
    /// Bits taken.
    pub at: usize,
}

impl Bits<'_> {
    /// The next 32 bits or more. Past the end they are zeros.
    pub fn peek(&self) -> u64 {
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

    pub fn take(&mut self, count: usize) -> usize {
        let bits = self.peek() & ((1 << count) - 1);
        self.at += count;
        bits as usize
    }

    pub fn is_past_the_end(&self) -> bool {
        self.at > 8 * self.bytes.len()
    }
}
