//! Appends little-endian fields to a buffer, in the order of the specification.

use crate::checksum::lookup3;

/// The undefined address.
pub(super) const UNDEFINED: u64 = u64::MAX;

/// Smallest run of zeros, in bytes, that is left as a hole.
const HOLE: usize = 64 << 10;

/// True if `bytes` are at least `HOLE` zeros. They need not be written, as a sink reads as zeros where nothing was written. A header
/// may claim any number of them, and a disk should not have to hold them.
pub fn leaves_hole(bytes: &[u8]) -> bool {
    let zeros = [0; 4096];
    bytes.len() >= HOLE && bytes.chunks(zeros.len()).all(|part| zeros.starts_with(part))
}

/// Appends fields. All HDF5 metadata is little-endian.
pub(super) trait PutBytes {
    /// One byte.
    fn put_u8(&mut self, value: u8);
    /// Two bytes.
    fn put_u16(&mut self, value: u16);
    /// Four bytes.
    fn put_u32(&mut self, value: u32);
    /// Eight bytes. Lengths and addresses also have 8 bytes in files of this writer.
    fn put_u64(&mut self, value: u64);
    /// The low `size` bytes of `value`.
    fn put_uint(&mut self, value: u64, size: usize);
    /// Bytes, unchanged.
    fn put(&mut self, bytes: &[u8]);
    /// `count` zeros.
    fn put_zeros(&mut self, count: usize);
    /// The checksum of all bytes from `start` on.
    fn put_checksum(&mut self, start: usize);
    /// Zeros up to a multiple of 8.
    fn pad8(&mut self);
}

impl PutBytes for Vec<u8> {
    fn put_u8(&mut self, value: u8) {
        self.push(value);
    }

    fn put_u16(&mut self, value: u16) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn put_u32(&mut self, value: u32) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn put_u64(&mut self, value: u64) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn put_uint(&mut self, value: u64, size: usize) {
        self.extend(value.to_le_bytes().iter().take(size));
    }

    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    fn put_zeros(&mut self, count: usize) {
        self.resize(self.len() + count, 0);
    }

    fn put_checksum(&mut self, start: usize) {
        let sum = lookup3(self.get(start..).unwrap_or_default());
        self.put_u32(sum);
    }

    fn pad8(&mut self) {
        self.resize(self.len().next_multiple_of(8), 0);
    }
}

/// Number of bytes that hold any number up to `limit`.
pub(super) fn bytes_for(limit: u64) -> usize {
    (limit.checked_ilog2().unwrap_or(0) / 8 + 1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_grow_at_powers_of_256() {
        assert_eq!(
            [0, 1, 255, 256, 65_535, 65_536].map(bytes_for),
            [1, 1, 1, 2, 2, 3]
        );
        assert_eq!(bytes_for(u64::MAX), 8);
    }

    #[test]
    fn fields_are_little_endian() {
        let mut out = Vec::new();
        out.put_u16(0x0201);
        out.put_uint(0x0605_0403, 3);
        out.pad8();
        assert_eq!(out, [1, 2, 3, 4, 5, 0, 0, 0]);
    }
}
