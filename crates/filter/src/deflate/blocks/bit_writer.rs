//! Writes the bits of a deflate stream (RFC 1951, 3.1.1).

use crate::deflate::blocks::huffman_code::Code;

/// Most bits of a literal's code: four of them fit a buffer of 64 bits beside 7 that wait.
pub(crate) const LONGEST_LITERAL: u8 = 12;

/// Writes bits behind the whole bytes of `out`, lowest first.
pub(crate) struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    /// Bits that wait: fewer than 8 between calls.
    waiting: u64,
    count: u32,
}

impl<'a> BitWriter<'a> {
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        Self {
            out,
            waiting: 0,
            count: 0,
        }
    }

    /// Adds at most 48 bits.
    pub fn put(&mut self, bits: u64, count: u32) {
        self.waiting |= bits << self.count;
        self.count += count;
        while self.count >= 8 {
            self.out.push(self.waiting as u8);
            self.waiting >>= 8;
            self.count -= 8;
        }
    }

    /// Adds a code.
    pub fn put_code(&mut self, code: Code) {
        self.put(code.bits.into(), code.length.into());
    }

    /// Adds the codes of bytes, of at most [`LONGEST_LITERAL`] bits each.
    pub fn put_literals(&mut self, bytes: &[u8], codes: &[Code]) {
        // A code in the lower bits, and its length above them.
        let mut packed = [0u32; 256];
        for (packed, code) in packed.iter_mut().zip(codes) {
            *packed = u32::from(code.bits) | u32::from(code.length) << 16;
        }
        let (mut waiting, mut count) = (self.waiting, self.count);
        let mut place = self.out.len();
        // Each write of eight bytes keeps those that are whole.
        let room = bytes.len() * usize::from(LONGEST_LITERAL) / 8 + 16;
        self.out.resize(place + room, 0);
        let pair = |low: u8, high: u8| {
            let (low, high) = (packed[usize::from(low)], packed[usize::from(high)]);
            let bits = u64::from(low & 0xffff) | u64::from(high & 0xffff) << (low >> 16);
            (bits, (low >> 16) + (high >> 16))
        };
        let mut quads = bytes.chunks_exact(4);
        for quad in &mut quads {
            let ((first, width), (second, more)) = (pair(quad[0], quad[1]), pair(quad[2], quad[3]));
            waiting |= (first | second << width) << count;
            count += width + more;
            if let Some(eight) = self.out.get_mut(place..place + 8) {
                eight.copy_from_slice(&waiting.to_le_bytes());
            }
            place += (count / 8) as usize;
            waiting >>= count & !7;
            count &= 7;
        }
        self.out.truncate(place);
        (self.waiting, self.count) = (waiting, count);
        for byte in quads.remainder() {
            self.put_code(codes.get(usize::from(*byte)).copied().unwrap_or_default());
        }
    }

    /// Ends the blocks: at the end of the stream if `is_last`, else at a byte, behind an empty stored block.
    pub fn end(mut self, is_last: bool) {
        if !is_last {
            self.put(0, 3);
        }
        if self.count > 0 {
            self.put(0, 8 - self.count);
        }
        if !is_last {
            self.out.extend_from_slice(&[0, 0, 0xff, 0xff]);
        }
    }
}
