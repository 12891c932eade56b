//! Little-endian fields of an archive's structures.

use crate::error::{Error, Result};

/// The error for a structure that breaks the format.
pub(crate) fn damaged(why: impl AsRef<str>) -> Error {
    Error::Damaged(format!("archive: {}", why.as_ref()))
}

/// The error of an archive that ends too early.
pub(crate) fn cut() -> Error {
    Error::Truncated("archive: the archive is truncated".to_owned())
}

/// The error of an archive that ends within its front, of which nothing is left.
pub(crate) fn truncated_front() -> Error {
    damaged("the archive ends within its front")
}

/// Reads fields one after another.
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
    what: &'static str,
}

impl<'a> Fields<'a> {
    /// The fields of `bytes`. `what` names the structure in errors.
    pub fn new(bytes: &'a [u8], what: &'static str) -> Self {
        Self { rest: bytes, what }
    }

    /// The next `count` bytes.
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let (now, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or_else(|| damaged(format!("{} is truncated", self.what)))?;
        self.rest = rest;
        Ok(now)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (now, rest) = self
            .rest
            .split_first_chunk()
            .ok_or_else(|| damaged(format!("{} is truncated", self.what)))?;
        self.rest = rest;
        Ok(*now)
    }

    /// A number of one byte.
    pub fn u8(&mut self) -> Result<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// A number of two bytes.
    pub fn u16(&mut self) -> Result<u16> {
        self.array().map(u16::from_le_bytes)
    }

    /// A number of four bytes.
    pub fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// A number of eight bytes.
    pub fn u64(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// Eight bytes as they stand.
    pub fn eight(&mut self) -> Result<[u8; 8]> {
        self.array()
    }

    /// Fails if a reserved field is not zero.
    pub fn zero(&mut self, found: u64) -> Result<()> {
        match found {
            0 => Ok(()),
            _ => Err(damaged(format!("a reserved field of {} is not zero", self.what))),
        }
    }

    /// Fails if bytes are left.
    pub fn end(&self) -> Result<()> {
        match self.rest.is_empty() {
            true => Ok(()),
            false => Err(damaged(format!(
                "{} has {} bytes too many",
                self.what,
                self.rest.len()
            ))),
        }
    }
}

/// The CRC-32 of zlib.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    libdeflater::crc32(bytes)
}
