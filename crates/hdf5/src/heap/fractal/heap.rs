//! [`FractalHeap`]: objects by their heap identifiers.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::blocks::{Blocks, Bytes};
use super::header::Header;
use crate::btree::record::{self, HugeRecord};
use crate::error::{Error, Result};
use crate::heap::read_limit::ReadLimit;
use crate::metadata::MetadataReader;

const WHAT: &str = "fractal heap";

const HUGE: &str = "fractal heap huge object";

const IDENTIFIER: &str = "fractal heap identifier";

/// An open fractal heap.
#[derive(Debug)]
pub(crate) struct FractalHeap {
    reader: MetadataReader,
    header: Header,
    blocks: Mutex<Blocks>,
    /// Huge objects by key, read when the first one is requested.
    huge: OnceLock<HashMap<u64, HugeRecord>>,
    read_limit: ReadLimit,
}

impl FractalHeap {
    /// Reads the heap's header at `address`.
    ///
    /// The bytes read from an open heap are limited, to several times the size of all its objects. So open it anew for
    /// each reading of the group or object that it belongs to.
    pub(crate) fn open(reader: &MetadataReader, address: u64) -> Result<Self> {
        Ok(Self {
            reader: reader.clone(),
            header: Header::read(reader, address)?,
            blocks: Mutex::new(Blocks::new(reader)),
            huge: OnceLock::new(),
            read_limit: ReadLimit::new(reader),
        })
    }

    /// The bytes of the object with the identifier `heap_id`.
    ///
    /// For a managed or huge object of a heap with filters, fails with [`Error::Unsupported`] if the file was opened
    /// without a decoder, and with [`Error::Filter`] if the decoder fails.
    pub(crate) fn object(&self, heap_id: &[u8]) -> Result<Vec<u8>> {
        let Some(id) = heap_id.get(..self.header.id_len) else {
            return Err(self.damaged(format!("an identifier of {} bytes", heap_id.len())));
        };
        let Some((first, rest)) = id.split_first() else {
            return Err(self.damaged("an identifier of no bytes"));
        };
        let (version, kind) = (first >> 6, first >> 4 & 3);
        if version != 0 {
            return Err(self.damaged(format!("an identifier of version {version}")));
        }
        match kind {
            0 => self.managed(rest),
            1 => self.huge(rest),
            2 => self.tiny(*first, rest),
            _ => Err(self.damaged("an identifier of an unknown kind")),
        }
    }

    /// Tells the reader of the space of the whole heap, but for the manager of its free space, whose address is returned.
    pub(crate) fn take_all(&self) -> Result<Option<u64>> {
        Blocks::new(&self.reader).take_all(&self.reader, &self.header)?;
        if let Some(tree) = self.header.huge_tree {
            record::huge_places(&self.reader, tree, |address, length| {
                self.reader.takes(address, length);
            })?;
        }
        Ok(self.header.free_space)
    }

    fn tiny(&self, first: u8, rest: &[u8]) -> Result<Vec<u8>> {
        // In an identifier with room for more than 16 bytes of data, the length has 12 bits.
        let extended = self.header.id_len > 18;
        let high = usize::from(first & 0xf);
        let object = if extended {
            rest.split_first()
                .and_then(|(low, data)| data.get(..(high << 8 | usize::from(*low)) + 1))
        } else {
            rest.get(..high + 1)
        };
        match object {
            Some(object) => Ok(object.to_vec()),
            None => Err(self.damaged("a tiny object that is larger than its identifier")),
        }
    }

    fn managed(&self, id: &[u8]) -> Result<Vec<u8>> {
        let mut id = self.reader.cursor(IDENTIFIER, self.header.address, id);
        let offset = id.uint(self.header.offset_width)?;
        let length = id.uint(self.header.length_width)?;
        if length > self.header.max_managed {
            return Err(self.damaged(format!("a managed object of {length} bytes")));
        }
        let block = {
            let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
            blocks.find(&self.reader, &self.header, offset)?
        };
        let end = block.within.checked_add(length);
        let Some(end) = end.filter(|end| *end <= block.size) else {
            return Err(self.damaged(format!("the object at offset {offset} is larger than its block")));
        };
        let range = usize::try_from(block.within).ok().zip(usize::try_from(end).ok());
        let Some((from, to)) = range else {
            return Err(self.damaged("a managed object is out of range"));
        };
        self.read_limit.take(WHAT, self.header.address, length)?;
        match block.bytes {
            Bytes::InFile(address) => {
                let Some(address) = address.checked_add(block.within) else {
                    return Err(self.damaged("a managed object is out of range"));
                };
                self.reader.read("fractal heap object", address, to - from)
            }
            Bytes::Decoded(bytes) => match bytes.get(from..to) {
                Some(object) => Ok(object.to_vec()),
                None => Err(self.damaged("a managed object is out of range")),
            },
        }
    }

    fn huge(&self, id: &[u8]) -> Result<Vec<u8>> {
        let (o, l) = (
            usize::from(self.reader.offset_size()),
            usize::from(self.reader.length_size()),
        );
        let mut cursor = self.reader.cursor(IDENTIFIER, self.header.address, id);
        let is_filtered = self.header.filters.is_some();
        let direct = if is_filtered { o + 4 + 2 * l } else { o + l };
        let place = if direct <= id.len() {
            HugeRecord::direct(&mut cursor, is_filtered)?
        } else {
            let key = cursor.uint(id.len().min(8))?;
            *self
                .huge_objects()?
                .get(&key)
                .ok_or_else(|| self.damaged(format!("no huge object has the key {key}")))?
        };
        let size = place.filtered.map_or(place.length, |filtered| filtered.size);
        let Ok(len) = usize::try_from(size) else {
            return Err(self.damaged(format!("a huge object of {size} bytes")));
        };
        self.read_limit.take(WHAT, self.header.address, size)?;
        match (&self.header.filters, place.filtered) {
            (None, None) => self.reader.read(HUGE, place.address, len),
            (Some(filters), Some(filtered)) => {
                self.reader
                    .read_filtered(HUGE, place.address, place.length, filters, filtered.mask, len)
            }
            _ => Err(self.damaged("some of its huge objects are filtered, and others are not")),
        }
    }

    /// Positions of the huge objects, by key.
    fn huge_objects(&self) -> Result<&HashMap<u64, HugeRecord>> {
        if let Some(huge) = self.huge.get() {
            return Ok(huge);
        }
        let objects = match self.header.huge_tree {
            Some(tree) => record::huge_objects(&self.reader, tree)?,
            None => Vec::new(),
        };
        Ok(self
            .huge
            .get_or_init(|| objects.into_iter().map(|object| (object.key, object)).collect()))
    }

    fn damaged(&self, why: impl Into<String>) -> Error {
        self.reader.damaged(WHAT, self.header.address, why)
    }
}

#[cfg(test)]
mod tests;
