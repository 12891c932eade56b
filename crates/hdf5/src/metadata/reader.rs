//! [`MetadataReader`]: checked reads of a file's structures.
//!
//! Addresses are the file's, relative to the base address. The base address is added only here.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, OnceLock};

use super::block_cache::BlockCache;

pub(crate) use super::cursor::Cursor;
use super::image_overlay::overlay_image;
use super::limits::Limits;
use super::misses::Misses;
use super::noted_blocks::NotedBlocks;
use super::space_use::SpaceUse;
use crate::checksum;
use crate::dataset::{Encoded, Filter, FilterDecoder};
use crate::error::{Error, Result};
use crate::source::ByteSource;

/// Positional, block-cached reads of a file's metadata. Clones share the cache.
#[derive(Clone)]
pub(crate) struct MetadataReader {
    shared: Arc<Shared>,
    /// Set while [gathering](Self::gathering): collects blocks that reads do not find in the cache.
    pub(super) misses: Option<Arc<Misses>>,
    /// True if the file may end before the superblock says.
    pub(crate) truncated: bool,
    /// Set for a file that may be truncated: the structures that were read.
    pub(crate) noted: Option<Arc<NotedBlocks>>,
    /// Set while structures are read as far as they go: collects what is wrong with them.
    pub(crate) faults: Option<Arc<Mutex<Vec<Error>>>>,
    /// Set while all structures are met: records the space of each.
    pub(crate) space: Option<Arc<SpaceUse>>,
    offset_size: u8,
    length_size: u8,
}

struct Shared {
    cache: Arc<BlockCache>,
    base: u64,
    /// Bytes from the base address to the end of the source.
    size: u64,
    /// Entries of the metadata cache image, by address. They replace the file's bytes at these addresses.
    image: OnceLock<BTreeMap<u64, Vec<u8>>>,
    decoder: Option<Arc<dyn FilterDecoder>>,
    limits: Arc<Limits>,
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
    /// A reader of the HDF5 file that begins at byte `base` of `source`. `offset_size` and `length_size` are the sizes
    /// of addresses and lengths in the superblock: 2, 4 or 8 bytes.
    #[cfg(test)]
    pub(crate) fn new(
        source: Arc<dyn ByteSource>,
        base: u64,
        offset_size: u8,
        length_size: u8,
    ) -> Result<Self> {
        Self::open(source, None, Limits::default())?.at_base(base, offset_size, length_size)
    }

    /// A reader of `source` before its base address and sizes are known. `decoder` undoes filters.
    pub(crate) fn open(
        source: Arc<dyn ByteSource>,
        decoder: Option<Arc<dyn FilterDecoder>>,
        limits: Limits,
    ) -> Result<Self> {
        let size = source.size().map_err(|source| Error::Io {
            what: "file size",
            offset: 0,
            cause: source,
        })?;
        let capacity = limits.cache_capacity(source.readahead());
        let cache = BlockCache::new(source, size.unwrap_or(u64::MAX), capacity);
        Self::over(Arc::new(cache), decoder, Arc::new(limits), 0, 8, 8)
    }

    /// A reader with the same cache, of the HDF5 file that begins at byte `base` of the source.
    pub(crate) fn at_base(&self, base: u64, offset_size: u8, length_size: u8) -> Result<Self> {
        let Shared {
            cache,
            decoder,
            limits,
            ..
        } = &*self.shared;
        let (cache, decoder, limits) = (cache.clone(), decoder.clone(), limits.clone());
        let reader = Self::over(cache, decoder, limits, base, offset_size, length_size)?;
        Ok(Self {
            truncated: self.truncated,
            noted: self.truncated.then(Arc::default),
            ..reader
        })
    }

    /// A reader of the same file that only uses the cache. A read of other bytes adds them to `misses`, and fails.
    pub(crate) fn gathering(&self, misses: Arc<Misses>) -> Self {
        Self {
            misses: Some(misses),
            ..self.clone()
        }
    }

    /// A reader of the same file that notes no structures.
    pub(crate) fn unnoted(&self) -> Self {
        Self {
            noted: None,
            ..self.clone()
        }
    }

    /// A reader of the same file that records what was allocated for each structure that it reads.
    pub(crate) fn recording(&self, space: &Arc<SpaceUse>) -> Self {
        Self {
            space: Some(Arc::clone(space)),
            faults: None,
            ..self.clone()
        }
    }

    /// A reader of the same file that records nothing.
    pub(crate) fn unrecorded(&self) -> Self {
        Self {
            space: None,
            ..self.clone()
        }
    }

    /// The cache of the file's blocks, which all clones share.
    pub(crate) fn cache(&self) -> &BlockCache {
        &self.shared.cache
    }

    /// True if requests to the source are slow, so that planning reads ahead is worthwhile.
    pub(crate) fn is_slow(&self) -> bool {
        self.shared.cache.is_slow()
    }

    /// True if structures that were read may be read again one by one, as raw data: the source is fast, and has them as they are.
    pub(crate) fn may_read_again(&self) -> bool {
        let is_plain = self.misses.is_none() && self.faults.is_none() && self.space.is_none();
        is_plain && !self.is_slow() && self.shared.image.get().is_none()
    }

    /// The limits that the file was opened with.
    pub(crate) fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    fn over(
        cache: Arc<BlockCache>,
        decoder: Option<Arc<dyn FilterDecoder>>,
        limits: Arc<Limits>,
        base: u64,
        offset_size: u8,
        length_size: u8,
    ) -> Result<Self> {
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
                decoder,
                limits,
            }),
            misses: None,
            truncated: false,
            noted: None,
            faults: None,
            space: None,
            offset_size,
            length_size,
        })
    }

    /// Sets the end of a file whose source does not know its size, to `size` bytes after the base address. Must be
    /// called before anything but the superblock is read.
    ///
    /// The size comes from the superblock, and later limits depend on it. So it is checked by reading the last byte.
    ///
    /// # Errors
    /// [`Error::Truncated`] if the source ends earlier.
    pub(crate) fn ending_at(self, what: &'static str, size: u64) -> Result<Self> {
        if self.shared.cache.size() != u64::MAX {
            return Ok(self);
        }
        if let Some(last) = size.checked_sub(1) {
            self.read_raw(what, last, &mut [0])?;
        }
        self.shared.cache.set_size(self.absolute(size));
        self.at_base(self.base(), self.offset_size, self.length_size)
    }

    /// Records that `length` bytes at `address` are allocated to a structure, if this reader [records](Self::recording) them.
    pub(crate) fn takes(&self, address: u64, length: u64) {
        if let Some(space) = &self.space {
            space.take(address, length);
        }
    }

    /// Size of an address, in bytes: 2, 4 or 8.
    pub(crate) fn offset_size(&self) -> u8 {
        self.offset_size
    }

    /// Size of a length, in bytes: 2, 4 or 8.
    pub(crate) fn length_size(&self) -> u8 {
        self.length_size
    }

    /// Size of the file from the base address on, in bytes. It limits all addresses.
    pub(crate) fn file_size(&self) -> u64 {
        self.shared.size
    }

    /// Position of the HDF5 file in its source, in bytes.
    pub(crate) fn base(&self) -> u64 {
        self.shared.base
    }

    /// The position in the source of `address`.
    pub(crate) fn absolute(&self, address: u64) -> u64 {
        self.shared.base.saturating_add(address)
    }

    /// Reads `len` bytes of the structure `what` at `address`. The length is checked against the file's size before
    /// memory is allocated.
    pub(crate) fn read(&self, what: &'static str, address: u64, len: usize) -> Result<Vec<u8>> {
        self.check(what, address, len)?;
        let mut buf = vec![0; len];
        let (cache, offset) = (&self.shared.cache, self.absolute(address));
        let read = match &self.misses {
            None => cache.read(offset, &mut buf),
            Some(misses) => cache.read_or_miss(offset, &mut buf, misses),
        };
        read.map_err(|source| self.failed(what, address, len, source))?;
        if let Some(image) = self.shared.image.get() {
            overlay_image(image, address, &mut buf);
        }
        if let Some(noted) = &self.noted {
            noted.note(what, address, len as u64);
        }
        Ok(buf)
    }

    /// Like [`read`](Self::read), and verifies the checksum in the last 4 bytes.
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

    /// Reads the structure `what`, stored in `len` bytes at `address`, and undoes its `filters` except the ones in
    /// `mask`. The result must have `size` bytes, which the caller limits.
    pub(crate) fn read_filtered(
        &self,
        what: &'static str,
        address: u64,
        len: u64,
        filters: &[Filter],
        mask: u32,
        size: usize,
    ) -> Result<Vec<u8>> {
        let len = usize::try_from(len).map_err(|_| self.damaged(what, address, format!("{len} bytes")))?;
        let stored = self.read(what, address, len)?;
        let encoded = Encoded {
            filters,
            mask,
            stored: &stored,
            size,
            element_size: 1,
        };
        self.decode(what, address, &encoded)
    }

    /// Undoes the filters of the structure or chunk `what` at `address`.
    pub(crate) fn decode(&self, what: &'static str, address: u64, encoded: &Encoded<'_>) -> Result<Vec<u8>> {
        let Some(decoder) = &self.shared.decoder else {
            return Err(Error::Unsupported(format!("a {what} with filters")));
        };
        let fail = |why| Error::Filter {
            what,
            offset: self.absolute(address),
            why,
        };
        let decoded = decoder.decode(encoded).map_err(fail)?;
        if decoded.len() != encoded.size {
            let (found, size) = (decoded.len(), encoded.size);
            return Err(fail(format!("it has {found} bytes instead of {size}")));
        }
        Ok(decoded)
    }

    /// Fills `buf` with raw data at `address`. The cache is not used.
    pub(crate) fn read_raw(&self, what: &'static str, address: u64, buf: &mut [u8]) -> Result<()> {
        self.check(what, address, buf.len())?;
        let read = match self.misses {
            None => self
                .shared
                .cache
                .source()
                .read_exact_at(self.absolute(address), buf),
            // Raw data is not cached, so fetching it ahead would be useless.
            Some(_) => Err(io::ErrorKind::WouldBlock.into()),
        };
        read.map_err(|source| self.failed(what, address, buf.len(), source))
    }

    /// Replaces the content of `bytes` with `len` bytes of raw data at `address`. The cache is not used.
    pub(crate) fn read_raw_into(
        &self,
        what: &'static str,
        address: u64,
        len: u64,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        // A length above the address space is above the file's size.
        let size = usize::try_from(len).unwrap_or(usize::MAX);
        self.check(what, address, size)?;
        if size > bytes.len() {
            let more = bytes.try_reserve_exact(size - bytes.len());
            more.map_err(|_| Error::Io {
                what,
                offset: self.absolute(address),
                cause: io::ErrorKind::OutOfMemory.into(),
            })?;
        }
        bytes.resize(size, 0);
        self.read_raw(what, address, bytes)
    }

    /// The error for a failed read of the source. A source of unknown size may end earlier than expected.
    fn failed(&self, what: &'static str, address: u64, len: usize, source: io::Error) -> Error {
        let offset = self.absolute(address);
        match source.kind() {
            io::ErrorKind::UnexpectedEof => Error::Truncated {
                what,
                offset,
                need: len as u64,
            },
            _ => Error::Io {
                what,
                offset,
                cause: source,
            },
        }
    }

    /// The first address at or after `address` that may hold bytes other than zero, as far as the source knows.
    pub(crate) fn next_data(&self, what: &'static str, address: u64) -> Result<u64> {
        let offset = self.absolute(address);
        let next = self.shared.cache.source().next_data(offset);
        let next = next.map_err(|source| Error::Io {
            what,
            offset,
            cause: source,
        })?;
        Ok(next.max(offset) - self.base())
    }

    /// A cursor over `bytes`, which are the structure `what` read at `address`.
    pub(crate) fn cursor<'a>(&self, what: &'static str, address: u64, bytes: &'a [u8]) -> Cursor<'a> {
        Cursor::new(
            what,
            self.absolute(address),
            bytes,
            self.offset_size,
            self.length_size,
            self.limits().datatype_depth,
        )
    }

    /// An error about the structure `what` at `address`.
    pub(crate) fn damaged(&self, what: &'static str, address: u64, why: impl Into<String>) -> Error {
        Error::Damaged {
            what,
            offset: self.absolute(address),
            why: why.into(),
        }
    }

    /// Installs the entries of a metadata cache image, for this reader and its clones. Must be called once, before any
    /// of the entries is read.
    pub(crate) fn set_image(&self, entries: BTreeMap<u64, Vec<u8>>) {
        // There is no second image: a file has one superblock extension.
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
}
