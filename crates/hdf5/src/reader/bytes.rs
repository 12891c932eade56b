//! Reading metadata: checked reads of a file's structures, and a cursor over the bytes of one.
//!
//! Addresses are those that stand in the file: relative to the base address, which is added here and nowhere else.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::block_cache::BlockCache;
use crate::checksum;
use crate::error::{Error, Result};
use crate::source::ByteSource;

/// Positional, block-cached reads of a file's metadata. Clones share the cache.
#[derive(Clone)]
pub(crate) struct MetadataReader {
    shared: Arc<Shared>,
    offset_size: u8,
    length_size: u8,
}

struct Shared {
    cache: Arc<BlockCache>,
    base: u64,
    /// Bytes from the base address to the end of the source.
    size: u64,
    /// Entries of the metadata cache image by address: they stand in for what the file has at these addresses.
    image: OnceLock<BTreeMap<u64, Vec<u8>>>,
}

impl std::fmt::Debug for MetadataReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MetadataReader")
            .field("base", &self.shared.base)
            .field("size", &self.shared.size)
            .field("offset_size", &self.offset_size)
            .field("length_size", &self.length_size)
            .finish_non_exhaustive()
    }
}

impl MetadataReader {
    /// A reader of the HDF5 file that begins at byte `base` of `source`. `offset_size` and `length_size` are the bytes
    /// that the superblock gives to addresses and lengths: 2, 4 or 8.
    pub(crate) fn new(
        source: Arc<dyn ByteSource>,
        base: u64,
        offset_size: u8,
        length_size: u8,
    ) -> Result<Self> {
        let size = source.size().map_err(|source| Error::Io {
            what: "file size",
            offset: 0,
            source,
        })?;
        Self::over(
            Arc::new(BlockCache::new(source, size)),
            base,
            offset_size,
            length_size,
        )
    }

    /// A reader through the same cache of the HDF5 file that begins at byte `base` of the source.
    pub(crate) fn at_base(&self, base: u64, offset_size: u8, length_size: u8) -> Result<Self> {
        Self::over(self.shared.cache.clone(), base, offset_size, length_size)
    }

    fn over(cache: Arc<BlockCache>, base: u64, offset_size: u8, length_size: u8) -> Result<Self> {
        for size in [offset_size, length_size] {
            if ![2, 4, 8].contains(&size) {
                return Err(Error::Unsupported(format!(
                    "a size of {size} bytes of offsets or lengths"
                )));
            }
        }
        let size = cache.size().saturating_sub(base);
        Ok(Self {
            shared: Arc::new(Shared {
                cache,
                base,
                size,
                image: OnceLock::new(),
            }),
            offset_size,
            length_size,
        })
    }

    /// Bytes of an address: 2, 4 or 8.
    pub(crate) fn offset_size(&self) -> u8 {
        self.offset_size
    }

    /// Bytes of a length: 2, 4 or 8.
    pub(crate) fn length_size(&self) -> u8 {
        self.length_size
    }

    /// Bytes of the file from the base address on: no address can be larger.
    pub(crate) fn file_size(&self) -> u64 {
        self.shared.size
    }

    /// Where the HDF5 file begins in its source, in bytes.
    pub(crate) fn base(&self) -> u64 {
        self.shared.base
    }

    /// The position in the source of `address`.
    pub(crate) fn absolute(&self, address: u64) -> u64 {
        self.shared.base.saturating_add(address)
    }

    /// Reads `len` bytes of the structure `what` at `address`. Nothing is allocated for what the file is too short for.
    pub(crate) fn read(&self, what: &'static str, address: u64, len: usize) -> Result<Vec<u8>> {
        self.check(what, address, len)?;
        let mut buf = vec![0; len];
        let offset = self.absolute(address);
        self.shared
            .cache
            .read(offset, &mut buf)
            .map_err(|source| Error::Io { what, offset, source })?;
        self.overlay_image(address, &mut buf);
        Ok(buf)
    }

    /// Like [`read`](Self::read), and checks the last 4 bytes, which are the checksum of those in front of them.
    pub(crate) fn read_checked(&self, what: &'static str, address: u64, len: usize) -> Result<Vec<u8>> {
        let bytes = self.read(what, address, len)?;
        let offset = self.absolute(address);
        let Some((covered, stored)) = bytes.split_last_chunk::<4>() else {
            return Err(Error::Damaged {
                what,
                offset,
                why: "too short for its checksum".into(),
            });
        };
        if !checksum::matches(covered, u32::from_le_bytes(*stored)) {
            return Err(Error::Checksum { what, offset });
        }
        Ok(bytes)
    }

    /// Fills `buf` with raw data from `address` on, past the cache.
    pub(crate) fn read_raw(&self, what: &'static str, address: u64, buf: &mut [u8]) -> Result<()> {
        self.check(what, address, buf.len())?;
        let offset = self.absolute(address);
        self.shared
            .cache
            .source()
            .read_exact_at(offset, buf)
            .map_err(|source| Error::Io { what, offset, source })
    }

    /// A cursor over `bytes`, which were read at `address` and belong to the structure `what`.
    pub(crate) fn cursor<'a>(&self, what: &'static str, address: u64, bytes: &'a [u8]) -> Cursor<'a> {
        Cursor {
            what,
            origin: self.absolute(address),
            bytes,
            position: 0,
            offset_size: self.offset_size,
            length_size: self.length_size,
        }
    }

    /// An error about the structure `what` at `address`.
    pub(crate) fn damaged(&self, what: &'static str, address: u64, why: impl Into<String>) -> Error {
        Error::Damaged {
            what,
            offset: self.absolute(address),
            why: why.into(),
        }
    }

    /// Puts the entries of a metadata cache image in place of what the file has at their addresses, for this reader
    /// and all its clones. To be called before any of the image's entries was read, and once.
    pub(crate) fn set_image(&self, entries: BTreeMap<u64, Vec<u8>>) {
        // A second image cannot come: a file has one superblock extension.
        let _ = self.shared.image.set(entries);
    }

    fn check(&self, what: &'static str, address: u64, len: usize) -> Result<()> {
        let fits = address
            .checked_add(len as u64)
            .is_some_and(|end| end <= self.shared.size);
        if fits {
            return Ok(());
        }
        Err(Error::Truncated {
            what,
            offset: self.absolute(address),
            need: len as u64,
        })
    }

    fn overlay_image(&self, address: u64, buf: &mut [u8]) {
        let Some(image) = self.shared.image.get() else {
            return;
        };
        let end = address + buf.len() as u64;
        // Entries do not overlap, so at most the last one in front of `address` reaches into what was read.
        let first = image
            .range(..=address)
            .next_back()
            .map_or(address, |(start, _)| *start);
        for (&start, entry) in image.range(first..end) {
            let skipped_entry = address.saturating_sub(start) as usize;
            let skipped_buf = start.saturating_sub(address) as usize;
            let (Some(from), Some(to)) = (entry.get(skipped_entry..), buf.get_mut(skipped_buf..)) else {
                continue;
            };
            for (to, from) in to.iter_mut().zip(from) {
                *to = *from;
            }
        }
    }
}

/// A walk over the bytes of one structure. Whatever does not fit fails with an error that names structure and place.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    what: &'static str,
    /// Where `bytes` begin in the source.
    origin: u64,
    bytes: &'a [u8],
    position: usize,
    offset_size: u8,
    length_size: u8,
}

impl<'a> Cursor<'a> {
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

    /// The next 2 bytes, as a little-endian number (as all in HDF5 metadata).
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

    /// The next address; `None` is the undefined address, all bits set.
    pub(crate) fn offset(&mut self) -> Result<Option<u64>> {
        let size = self.offset_size;
        let undefined = u64::MAX >> (64 - 8 * u32::from(size));
        let offset = self.uint(size.into())?;
        Ok((offset != undefined).then_some(offset))
    }

    /// The next address, which must not be the undefined one.
    pub(crate) fn defined_offset(&mut self) -> Result<u64> {
        let offset = self.offset()?;
        offset.ok_or_else(|| self.damaged("an address in it is undefined"))
    }

    /// The next length.
    pub(crate) fn length(&mut self) -> Result<u64> {
        self.uint(self.length_size.into())
    }

    /// Passes over `n` bytes.
    pub(crate) fn skip(&mut self, n: usize) -> Result<()> {
        self.bytes(n).map(drop)
    }

    /// The signature that the structure must begin with.
    pub(crate) fn signature(&mut self, expected: &[u8; 4]) -> Result<()> {
        let found: [u8; 4] = self.array()?;
        if &found != expected {
            return Err(self.damaged(format!("no signature {}", expected.escape_ascii())));
        }
        Ok(())
    }

    /// The version number, which must be `expected`.
    pub(crate) fn version(&mut self, expected: u8) -> Result<()> {
        let found = self.u8()?;
        if found != expected {
            return Err(self.damaged(format!("version {found}, where only {expected} is known")));
        }
        Ok(())
    }

    /// A string that ends with a NUL, which is passed over.
    pub(crate) fn nul_terminated(&mut self) -> Result<&'a [u8]> {
        let rest = self.rest();
        let Some(len) = rest.iter().position(|byte| *byte == 0) else {
            return Err(self.damaged("a name without an end"));
        };
        let name = self.bytes(len)?;
        self.skip(1)?;
        Ok(name)
    }

    /// What was not read yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or_default()
    }

    /// How many bytes were not read yet.
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.position)
    }

    /// How many bytes were read.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Bytes of an address.
    pub(crate) fn offset_size(&self) -> u8 {
        self.offset_size
    }

    /// Bytes of a length.
    pub(crate) fn length_size(&self) -> u8 {
        self.length_size
    }

    /// The same place, under the name of a structure within this one.
    pub(crate) fn named(mut self, what: &'static str) -> Self {
        self.what = what;
        self
    }

    /// A cursor over the next `n` bytes, which are passed over here.
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
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(bytes: Vec<u8>, base: u64) -> MetadataReader {
        MetadataReader::new(Arc::new(bytes), base, 4, 2).unwrap()
    }

    #[test]
    fn adds_the_base_address_and_refuses_what_is_past_the_end() {
        let reader = reader((0..100).collect(), 10);
        assert_eq!(reader.read("x", 5, 3).unwrap(), [15, 16, 17]);
        assert_eq!(reader.read("x", 90, 0).unwrap(), []);
        assert!(matches!(
            reader.read("x", 89, 2),
            Err(Error::Truncated {
                offset: 99,
                need: 2,
                ..
            })
        ));
        assert!(reader.read("x", u64::MAX, usize::MAX).is_err());
    }

    #[test]
    fn entries_of_the_image_stand_in_for_the_file() {
        let reader = reader(vec![0; 100], 0);
        reader.set_image([(10, vec![1; 4]), (20, vec![2; 4])].into());
        assert_eq!(reader.read("x", 12, 10).unwrap(), [1, 1, 0, 0, 0, 0, 0, 0, 2, 2]);
        assert_eq!(reader.read("x", 14, 6).unwrap(), [0; 6]);
        assert_eq!(reader.read("x", 8, 4).unwrap(), [0, 0, 1, 1]);
    }

    #[test]
    fn cursor_reads_numbers_addresses_and_lengths() {
        let reader = reader(vec![], 0);
        let bytes = [1, 2, 0, 0xff, 0xff, 0xff, 0xff, 3, 0, 0, 0, 7, 1, 9];
        let mut cursor = reader.cursor("x", 0, &bytes);
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
