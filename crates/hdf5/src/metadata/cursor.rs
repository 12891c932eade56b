//! [`Cursor`]: checked reads of the fields of one structure. Errors name the structure and its position.

use crate::error::{Error, Result};

/// A cursor over the bytes of one structure. A field that does not fit is an error with the structure's name and
/// position.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    what: &'static str,
    /// Position of `bytes` in the source.
    origin: u64,
    bytes: &'a [u8],
    position: usize,
    offset_size: u8,
    length_size: u8,
    datatype_depth: u32,
}

/// Maximum nesting of datatypes, however large the configured limit: parsing them recurses.
const MAX_DATATYPE_DEPTH: u32 = 256;

impl<'a> Cursor<'a> {
    /// A cursor over `bytes`, which begin at byte `origin` of the source. The sizes are the file's.
    pub(crate) fn new(
        what: &'static str,
        origin: u64,
        bytes: &'a [u8],
        offset_size: u8,
        length_size: u8,
        datatype_depth: u32,
    ) -> Self {
        Self {
            what,
            origin,
            bytes,
            position: 0,
            offset_size,
            length_size,
            datatype_depth: datatype_depth.min(MAX_DATATYPE_DEPTH),
        }
    }

    /// The limit for the nesting of datatypes.
    pub(crate) fn datatype_depth(&self) -> u32 {
        self.datatype_depth
    }

    /// The next `n` bytes.
    pub(crate) fn bytes(&mut self, n: usize) -> Result<&'a [u8]> {
        let bytes = self
            .position
            .checked_add(n)
            .and_then(|end| self.bytes.get(self.position..end));
        let Some(bytes) = bytes else {
            return Err(self.damaged(format!(
                "it ends {} bytes early",
                n.saturating_sub(self.remaining())
            )));
        };
        self.position += n;
        Ok(bytes)
    }

    /// The next `N` bytes, by value.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N)?);
        Ok(array)
    }

    /// The next byte.
    pub(crate) fn u8(&mut self) -> Result<u8> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    /// The next 2 bytes, as a little-endian number. All numbers in HDF5 metadata are little-endian.
    pub(crate) fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    /// The next 4 bytes, as a number.
    pub(crate) fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// The next 8 bytes, as a number.
    pub(crate) fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// The next `n` bytes, at most 8, as a number.
    pub(crate) fn uint(&mut self, n: usize) -> Result<u64> {
        if n > 8 {
            return Err(self.damaged(format!("a number of {n} bytes")));
        }
        Ok(self
            .bytes(n)?
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// The next address; `None` for the undefined address, whose bits are all set.
    pub(crate) fn offset(&mut self) -> Result<Option<u64>> {
        let size = self.offset_size;
        let undefined = u64::MAX >> (64 - 8 * u32::from(size));
        let offset = self.uint(size.into())?;
        Ok((offset != undefined).then_some(offset))
    }

    /// The next address, which must be defined.
    pub(crate) fn defined_offset(&mut self) -> Result<u64> {
        let offset = self.offset()?;
        offset.ok_or_else(|| self.damaged("an address in it is undefined"))
    }

    /// The next length.
    pub(crate) fn length(&mut self) -> Result<u64> {
        self.uint(self.length_size.into())
    }

    /// Skips `n` bytes.
    pub(crate) fn skip(&mut self, n: usize) -> Result<()> {
        self.bytes(n).map(drop)
    }

    /// Takes the structure's signature, which must be `expected`.
    pub(crate) fn signature(&mut self, expected: &[u8; 4]) -> Result<()> {
        let found: [u8; 4] = self.array()?;
        if &found != expected {
            return Err(self.damaged(format!("no signature {}", expected.escape_ascii())));
        }
        Ok(())
    }

    /// Takes the version number, which must be `expected`.
    pub(crate) fn version(&mut self, expected: u8) -> Result<()> {
        let found = self.u8()?;
        if found != expected {
            return Err(self.damaged(format!("version {found}, where only {expected} is known")));
        }
        Ok(())
    }

    /// Takes a string and the NUL after it.
    pub(crate) fn nul_terminated(&mut self) -> Result<&'a [u8]> {
        let rest = self.rest();
        let Some(len) = rest.iter().position(|byte| *byte == 0) else {
            return Err(self.damaged("a name without an end"));
        };
        let name = self.bytes(len)?;
        self.skip(1)?;
        Ok(name)
    }

    /// The bytes not read yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or_default()
    }

    /// Number of bytes not read yet.
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.position)
    }

    /// Number of bytes read.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Size of an address, in bytes.
    pub(crate) fn offset_size(&self) -> u8 {
        self.offset_size
    }

    /// Size of a length, in bytes.
    pub(crate) fn length_size(&self) -> u8 {
        self.length_size
    }

    /// The same position, with the name of an inner structure.
    pub(crate) fn named(mut self, what: &'static str) -> Self {
        self.what = what;
        self
    }

    /// Takes `n` bytes, and returns a cursor over them.
    pub(crate) fn part(&mut self, n: usize) -> Result<Cursor<'a>> {
        let origin = self.origin.saturating_add(self.position as u64);
        let bytes = self.bytes(n)?;
        Ok(Cursor {
            origin,
            bytes,
            position: 0,
            ..*self
        })
    }

    /// An error about this structure.
    pub(crate) fn damaged(&self, why: impl Into<String>) -> Error {
        Error::Damaged {
            what: self.what,
            offset: self.origin,
            why: why.into(),
        }
    }
}

#[cfg(test)]
impl<'a> Cursor<'a> {
    /// A cursor over bytes that a test made, in a file whose addresses and lengths take 8 bytes.
    pub(crate) fn over(bytes: &'a [u8]) -> Self {
        Self {
            what: "test",
            origin: 0,
            bytes,
            position: 0,
            offset_size: 8,
            length_size: 8,
            datatype_depth: 32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_reads_numbers_addresses_and_lengths() {
        let bytes = [1, 2, 0, 0xff, 0xff, 0xff, 0xff, 3, 0, 0, 0, 7, 1, 9];
        let mut cursor = Cursor::new("x", 0, &bytes, 4, 2, 32);
        assert_eq!(cursor.u8().unwrap(), 1);
        assert_eq!(cursor.u16().unwrap(), 2);
        assert_eq!(cursor.offset().unwrap(), None);
        assert_eq!(cursor.offset().unwrap(), Some(3));
        assert_eq!(cursor.length().unwrap(), 263);
        assert!(matches!(
            cursor.u16(),
            Err(Error::Damaged {
                what: "x",
                offset: 0,
                ..
            })
        ));
        assert_eq!(cursor.uint(1).unwrap(), 9);
    }
}
