//! Header and codes ◄─► the bytes of a stored chunk.
//!
//! | bytes | content |
//! | --- | --- |
//! | 0–3 | bits of a code, little-endian |
//! | 4 | 8, the bytes of the minimum |
//! | 5–12 | the minimum: an integer extended by its sign, or the bits of a float; little-endian |
//! | 13–20 | zeros |
//! | 21– | the codes, each from its highest bit, from the highest bit of a byte |

/// Bytes before the codes.
pub(super) const HEADER: usize = 21;

/// The beginning of a stored chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// Bits of a code. If they are all bits of an element, elements follow instead of codes.
    pub bits: u32,
    /// The bits of the minimum.
    pub minimum: u64,
}

impl Header {
    /// Reads the header of a chunk. Also returns the bytes after it.
    ///
    /// # Errors
    /// The chunk is too short, or has more bits than `full`.
    pub fn read(chunk: &[u8], full: u32) -> Result<(Self, &[u8]), String> {
        let (header, rest) = chunk
            .split_first_chunk::<HEADER>()
            .ok_or("the chunk is too short for its header")?;
        let [b0, b1, b2, b3, length, minimum @ ..] = header;
        let bits = u32::from_le_bytes([*b0, *b1, *b2, *b3]);
        if bits > full {
            return Err(format!("codes of {bits} bits for elements of {full}"));
        }
        let bytes = minimum.iter().take(usize::from(*length).min(8));
        let minimum = bytes.rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
        Ok((Self { bits, minimum }, rest))
    }

    /// Appends the header.
    pub fn write(self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&self.bits.to_le_bytes());
        out.push(8);
        out.extend_from_slice(&self.minimum.to_le_bytes());
        out.resize(start + HEADER, 0);
    }
}

/// Bytes of `count` codes; `None` if they exceed the address space.
pub(super) fn packed_size(count: usize, bits: u32) -> Option<usize> {
    Some(count.checked_mul(bits as usize)?.div_ceil(8))
}

/// The highest value of a code: the fill value's.
pub(super) fn highest(bits: u32) -> u64 {
    match bits {
        0 => 0,
        bits => u64::MAX >> (64 - bits.min(64)),
    }
}

/// Smallest number of bits that can tell `values` values apart.
pub(super) fn bits_of(values: u64) -> u32 {
    match values {
        0 | 1 => 0,
        values => 64 - (values - 1).leading_zeros(),
    }
}

/// Appends codes of at most 63 bits.
pub(super) struct Packer<'a> {
    out: &'a mut Vec<u8>,
    bits: u32,
    /// Bits that wait for their byte to be full, the lowest `waiting` ones.
    held: u128,
    waiting: u32,
}

impl<'a> Packer<'a> {
    pub fn new(bits: u32, out: &'a mut Vec<u8>) -> Self {
        Self {
            out,
            bits,
            held: 0,
            waiting: 0,
        }
    }

    /// Appends the lowest bits of a code.
    pub fn push(&mut self, code: u64) {
        self.held = self.held << self.bits | u128::from(code & highest(self.bits));
        self.waiting += self.bits;
        if self.waiting >= 64 {
            self.waiting -= 64;
            let word = (self.held >> self.waiting) as u64;
            self.out.extend_from_slice(&word.to_be_bytes());
        }
    }

    /// Appends the last bits, and zeros up to a whole byte. As in libhdf5, a byte of zeros follows if the last one is full.
    pub fn finish(self) {
        let rest = (self.held << (128 - self.waiting).min(127)).to_be_bytes();
        let rest = if self.waiting == 0 { [0; 16] } else { rest };
        self.out.extend_from_slice(&rest[..self.waiting as usize / 8 + 1]);
    }
}

/// Calls `each` with `count` codes of at most 63 bits. `packed` is long enough for them.
pub(super) fn unpack(packed: &[u8], bits: u32, count: usize, mut each: impl FnMut(u64)) {
    let mut words = packed.chunks(8).map(|bytes| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_be_bytes(word)
    });
    let (mut held, mut waiting) = (0u128, 0);
    for _ in 0..count {
        if waiting < bits {
            held = held << 64 | u128::from(words.next().unwrap_or(0));
            waiting += 64;
        }
        waiting -= bits;
        each((held >> waiting) as u64 & highest(bits));
    }
}
