//! Writes the bits of a deflate stream (RFC 1951, 3.1.1).

use crate::deflate::blocks::byte_runs::ByteRun;
use crate::deflate::blocks::huffman_code::Code;
use crate::deflate::blocks::match_symbols::{LONGEST, SHORTEST, length_symbol};

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

    /// Adds the codes of the bytes of a block, and those of `runs` among them, of at most [`LONGEST_LITERAL`] bits each.
    pub fn put_block(&mut self, block: &[u8], runs: &[ByteRun], codes: &[Code]) {
        // A code in the lower bits, and its length above them.
        let mut packed = [0u32; 256];
        for (packed, code) in packed.iter_mut().zip(codes) {
            *packed = u32::from(code.bits) | u32::from(code.length) << 16;
        }
        let of_lengths = match runs {
            [] => Vec::new(),
            _ => (0..=LONGEST).map(|length| match_code(length, codes)).collect(),
        };
        let start = self.out.len();
        // Each write of eight bytes keeps those that are whole. A match takes fewer bits than its bytes may.
        let room = block.len() * usize::from(LONGEST_LITERAL) / 8 + 16;
        self.out.resize(start + room, 0);
        let mut whole = WholeBytes {
            out: &mut self.out[start..],
            place: 0,
            waiting: self.waiting,
            count: self.count,
        };
        let mut from = 0;
        for run in runs {
            let at = run.start as usize;
            whole.put_bytes(block.get(from..at).unwrap_or_default(), &packed);
            let (bits, width) = of_lengths
                .get(usize::from(run.length))
                .copied()
                .unwrap_or_default();
            whole.put(bits.into(), width);
            from = at + usize::from(run.length);
        }
        whole.put_bytes(block.get(from..).unwrap_or_default(), &packed);
        let WholeBytes {
            place,
            waiting,
            count,
            ..
        } = whole;
        self.out.truncate(start + place);
        (self.waiting, self.count) = (waiting, count);
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

/// The bits of a match with the byte before it, and their number.
fn match_code(length: usize, codes: &[Code]) -> (u32, u32) {
    if length < SHORTEST {
        return (0, 0);
    }
    let (symbol, more, width) = length_symbol(length);
    let code = codes.get(symbol).copied().unwrap_or_default();
    let own = u32::from(code.length);
    // The distance 1 is the first of two codes of one bit.
    (u32::from(code.bits) | (more as u32) << own, own + width + 1)
}

/// Room for the bits of a block.
struct WholeBytes<'a> {
    out: &'a mut [u8],
    place: usize,
    waiting: u64,
    count: u32,
}

impl WholeBytes<'_> {
    /// Adds at most 56 bits.
    #[inline]
    fn put(&mut self, bits: u64, count: u32) {
        self.waiting |= bits << self.count;
        self.count += count;
        if let Some(eight) = self.out.get_mut(self.place..self.place + 8) {
            eight.copy_from_slice(&self.waiting.to_le_bytes());
        }
        self.place += (self.count / 8) as usize;
        self.waiting >>= self.count & !7;
        self.count &= 7;
    }

    /// Adds codes of bytes.
    #[inline]
    fn put_bytes(&mut self, bytes: &[u8], packed: &[u32; 256]) {
        let one = |byte: u8| {
            let code = packed[usize::from(byte)];
            (u64::from(code & 0xffff), code >> 16)
        };
        let pair = |low: u8, high: u8| {
            let ((low, width), (high, more)) = (one(low), one(high));
            (low | high << width, width + more)
        };
        let (quads, rest) = bytes.as_chunks::<4>();
        for [a, b, c, d] in quads {
            let ((first, width), (second, more)) = (pair(*a, *b), pair(*c, *d));
            self.put(first | second << width, width + more);
        }
        let (mut bits, mut count) = (0, 0);
        for byte in rest {
            let (code, width) = one(*byte);
            bits |= code << count;
            count += width;
        }
        self.put(bits, count);
    }
}
