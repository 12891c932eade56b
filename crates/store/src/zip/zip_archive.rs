//! A zip file that is being written: the places of its entries, and their bytes.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use libdeflater::crc32;

use crate::Output;
use crate::keys::key::check_key;
use crate::zip::zip_records::{LOCAL, StoredEntry};

/// Largest value, in bytes, that is copied behind its header to be written with it by one call.
const JOINED: usize = 64 << 10;

/// The zip file, which its unfinished values have in common.
pub(crate) struct Archive {
    pub(crate) output: Arc<dyn Output>,
    /// What all names start with: empty, or a folder and `/`.
    pub(crate) prefix: String,
    pub(crate) state: Mutex<State>,
}

#[derive(Default)]
pub(crate) struct State {
    /// The offset of the next entry.
    pub(crate) end: u64,
    /// All entries, in the order of their offsets.
    pub(crate) entries: Vec<Slot>,
    /// The number of the last entry of each name.
    pub(crate) last: HashMap<Arc<str>, usize>,
    /// The values that come after all others, by key.
    pub(crate) metadata: BTreeMap<String, Vec<u8>>,
    /// The name of the value at the end whose size is not known yet. Nothing can come after it.
    pub(crate) growing: Option<Arc<str>>,
    pub(crate) published: bool,
}

impl State {
    /// Checks that an entry can get a place at the end.
    pub(crate) fn check_end(&self) -> io::Result<()> {
        match &self.growing {
            _ if self.published => Err(io::Error::other("the zip is published already")),
            Some(name) => Err(invalid(format!("the size of {name:?} is not known yet"))),
            None => Ok(()),
        }
    }

    /// Adds an entry, and returns its number. It replaces an earlier one of the same name. Names are keys behind a prefix
    /// of `prefix` bytes.
    pub(crate) fn add(&mut self, slot: Slot, prefix: usize) -> usize {
        let number = self.entries.len();
        if !self.metadata.is_empty() {
            self.metadata.remove(slot.name.get(prefix..).unwrap_or_default());
        }
        if let Some(earlier) = self.last.insert(Arc::clone(&slot.name), number)
            && let Some(earlier) = self.entries.get_mut(earlier)
        {
            earlier.replaced = true;
        }
        self.entries.push(slot);
        number
    }
}

/// The place of an entry.
pub(crate) struct Slot {
    pub(crate) name: Arc<str>,
    pub(crate) offset: u64,
    pub(crate) size: u64,
    /// True if the local header is in zip64 form whatever the size.
    pub(crate) long: bool,
    /// The checksum; `None` while the data is not written.
    pub(crate) crc: Option<u32>,
    /// True if a later entry has the same name.
    pub(crate) replaced: bool,
}

impl Slot {
    /// Offset of the data.
    pub(crate) fn data(&self) -> u64 {
        let size = if self.long { u64::MAX } else { self.size };
        self.offset + StoredEntry::local_length(self.name.len(), size) as u64
    }

    pub(crate) fn entry(&self, crc: u32) -> StoredEntry<'_> {
        StoredEntry {
            name: &self.name,
            crc,
            size: self.size,
            long: self.long,
            offset: self.offset,
        }
    }
}

pub(crate) fn invalid(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// Refuses keys that a reader would not take from a zip file.
pub(crate) fn check_name(key: &str) -> io::Result<()> {
    check_key(key)?;
    match key.contains('\\') {
        true => Err(invalid(format!("the key {key:?} has a backslash"))),
        false => Ok(()),
    }
}

impl Archive {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn name(&self, key: &str) -> io::Result<String> {
        check_name(key)?;
        Ok(format!("{}{key}", self.prefix))
    }

    /// Gives an entry its place, and returns its number. A later entry of the same name replaces it.
    pub(crate) fn place(&self, name: String, size: u64) -> io::Result<usize> {
        let length = (StoredEntry::local_length(name.len(), size) as u64).checked_add(size);
        let name: Arc<str> = name.into();
        let mut state = self.state();
        state.check_end()?;
        let end = length.and_then(|length| state.end.checked_add(length));
        let offset = state.end;
        state.end = end.ok_or(io::ErrorKind::FileTooLarge)?;
        let slot = Slot {
            name,
            offset,
            size,
            long: false,
            crc: None,
            replaced: false,
        };
        Ok(state.add(slot, self.prefix.len()))
    }

    /// Runs `ask` on an entry, under the lock.
    pub(crate) fn slot<T>(&self, number: usize, ask: impl FnOnce(&mut Slot) -> T) -> io::Result<T> {
        let mut state = self.state();
        let slot = state.entries.get_mut(number);
        slot.map(ask)
            .ok_or_else(|| invalid("a place of another zip".to_owned()))
    }

    /// The local header of an entry, and its offset.
    pub(crate) fn header(&self, number: usize, crc: u32, room: usize) -> io::Result<(u64, Vec<u8>)> {
        self.slot(number, |slot| {
            let mut header = Vec::with_capacity(LOCAL + 20 + slot.name.len() + room);
            slot.entry(crc).local(&mut header);
            (slot.offset, header)
        })
    }

    /// Writes an entry whose data is in memory.
    pub(crate) fn write(&self, number: usize, data: &[u8]) -> io::Result<()> {
        let crc = crc32(data);
        let join = data.len() <= JOINED;
        let (offset, mut header) = self.header(number, crc, if join { data.len() } else { 0 })?;
        if join {
            header.extend_from_slice(data);
            self.output.write_all_at(offset, &header)?;
        } else {
            self.output.write_all_at(offset, &header)?;
            self.output.write_all_at(offset + header.len() as u64, data)?;
        }
        self.slot(number, |slot| slot.crc = Some(crc))
    }

    /// Writes the kept metadata after all other entries.
    pub(crate) fn write_metadata(&self) -> io::Result<()> {
        let metadata = std::mem::take(&mut self.state().metadata);
        for (key, value) in metadata {
            let number = self.place(self.name(&key)?, value.len() as u64)?;
            self.write(number, &value)?;
        }
        Ok(())
    }
}
