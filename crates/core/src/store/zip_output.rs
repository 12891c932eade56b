//! Writing a zip file as a store of keys: each key is the name of an entry.
//!
//! ```text
//! put, reserve ─► position, by a short lock ─► checksum, header, data: any thread, at once ─► Output
//! put_last ─────► kept ──────────────────────────┐
//! publish ──────► are all reserved values there? ─► metadata ─► central directory ─► commit
//! ```

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use libdeflater::{Crc, crc32};
use tracing::debug;

use super::key::check_key;
use super::zip_records::{End, LOCAL, StoredEntry};
use super::zip_value::zeros;
use super::{KeyOutput, Output, ReservedKey, ValueWriter, temporary_folder};

/// Largest value, in bytes, that is copied behind its header to be written with it by one call.
const JOINED: usize = 64 << 10;

/// Bytes of a value of unknown size that are kept in memory. The rest goes to a temporary file.
const IN_MEMORY: usize = 16 << 20;

/// Bytes that are copied at a time, from a temporary file or into the directory.
const PIECE: usize = 1 << 20;

/// A zip file that is being written, by many threads at once. Nothing is visible before it is published.
///
/// Entries are stored, not compressed, in the order of [`put`](KeyOutput::put) and [`reserve`](KeyOutput::reserve),
/// and have neither times nor owners. So the same calls give the same bytes. Entries are in zip64 form where one needs
/// it. Keys of [`put_last`](KeyOutput::put_last) are kept in memory until the end, and come last, ascending. The
/// directory names a key once: its last value. The bytes of an earlier one stay in the file unseen.
///
/// One process writes a zip file; no other can join.
pub struct ZipOutput {
    archive: Arc<Archive>,
}

/// The zip file, which its unfinished values have in common.
struct Archive {
    output: Arc<dyn Output>,
    /// What all names start with: empty, or a folder and `/`.
    prefix: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The offset of the next entry.
    end: u64,
    /// All entries, in the order of their offsets.
    entries: Vec<Slot>,
    /// The number of the last entry of each name.
    last: HashMap<Arc<str>, usize>,
    /// The values that come after all others, by key.
    metadata: BTreeMap<String, Vec<u8>>,
    published: bool,
}

/// The place of an entry.
struct Slot {
    name: Arc<str>,
    offset: u64,
    size: u64,
    /// The checksum; `None` while the data is not written.
    crc: Option<u32>,
    /// True if a later entry has the same name.
    replaced: bool,
}

impl Slot {
    /// Offset of the data.
    fn data(&self) -> u64 {
        self.offset + StoredEntry::local_length(self.name.len(), self.size) as u64
    }

    fn entry(&self, crc: u32) -> StoredEntry<'_> {
        StoredEntry {
            name: &self.name,
            crc,
            size: self.size,
            offset: self.offset,
        }
    }
}

fn invalid(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// Refuses keys that a reader would not take from a zip file.
fn check_name(key: &str) -> io::Result<()> {
    check_key(key)?;
    match key.contains('\\') {
        true => Err(invalid(format!("the key {key:?} has a backslash"))),
        false => Ok(()),
    }
}

impl ZipOutput {
    /// Starts a zip file. With a top folder, the first entry is that folder, and all keys are below it: netCDF-C looks
    /// for a dataset there. zarr-python looks for it at the root.
    ///
    /// # Errors
    /// `InvalidInput` if the folder's name is not one name of a key. Otherwise the output's error.
    pub fn create(output: Arc<dyn Output>, top_folder: Option<&str>) -> io::Result<Self> {
        let mut prefix = String::new();
        if let Some(folder) = top_folder {
            check_name(folder)?;
            if folder.contains('/') {
                return Err(invalid(format!("{folder:?} is not one folder")));
            }
            prefix = format!("{folder}/");
        }
        let archive = Archive {
            output,
            state: Mutex::default(),
            prefix,
        };
        if top_folder.is_some() {
            let number = archive.place(archive.prefix.clone(), 0)?;
            archive.write(number, &[])?;
        }
        Ok(Self {
            archive: Arc::new(archive),
        })
    }
}

impl Archive {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn name(&self, key: &str) -> io::Result<String> {
        check_name(key)?;
        Ok(format!("{}{key}", self.prefix))
    }

    /// Gives an entry its place, and returns its number. A later entry of the same name replaces it.
    fn place(&self, name: String, size: u64) -> io::Result<usize> {
        let length = (StoredEntry::local_length(name.len(), size) as u64).checked_add(size);
        let name: Arc<str> = name.into();
        let mut state = self.state();
        if state.published {
            return Err(io::Error::other("the zip is published already"));
        }
        let end = length.and_then(|length| state.end.checked_add(length));
        let offset = state.end;
        state.end = end.ok_or(io::ErrorKind::FileTooLarge)?;
        let number = state.entries.len();
        if !state.metadata.is_empty() {
            state
                .metadata
                .remove(name.get(self.prefix.len()..).unwrap_or_default());
        }
        if let Some(earlier) = state.last.insert(Arc::clone(&name), number)
            && let Some(earlier) = state.entries.get_mut(earlier)
        {
            earlier.replaced = true;
        }
        state.entries.push(Slot {
            name,
            offset,
            size,
            crc: None,
            replaced: false,
        });
        Ok(number)
    }

    /// Runs `ask` on an entry, under the lock.
    fn slot<T>(&self, number: usize, ask: impl FnOnce(&mut Slot) -> T) -> io::Result<T> {
        let mut state = self.state();
        let slot = state.entries.get_mut(number);
        slot.map(ask)
            .ok_or_else(|| invalid("a place of another zip".to_owned()))
    }

    /// The local header of an entry, and its offset.
    fn header(&self, number: usize, crc: u32, room: usize) -> io::Result<(u64, Vec<u8>)> {
        self.slot(number, |slot| {
            let mut header = Vec::with_capacity(LOCAL + 20 + slot.name.len() + room);
            slot.entry(crc).local(&mut header);
            (slot.offset, header)
        })
    }

    /// Writes an entry whose data is in memory.
    fn write(&self, number: usize, data: &[u8]) -> io::Result<()> {
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
    fn write_metadata(&self) -> io::Result<()> {
        let metadata = std::mem::take(&mut self.state().metadata);
        for (key, value) in metadata {
            let number = self.place(self.name(&key)?, value.len() as u64)?;
            self.write(number, &value)?;
        }
        Ok(())
    }
}

impl KeyOutput for ZipOutput {
    fn put(&self, key: &str, value: &[u8]) -> io::Result<()> {
        let number = self.archive.place(self.archive.name(key)?, value.len() as u64)?;
        self.archive.write(number, value)
    }

    fn reserve(&self, key: String, size: usize) -> io::Result<ReservedKey> {
        let place = self.archive.place(self.archive.name(&key)?, size as u64)? as u64;
        Ok(ReservedKey { key, size, place })
    }

    fn put_reserved(&self, reserved: ReservedKey, value: &[u8]) -> io::Result<()> {
        reserved.check_size(value)?;
        let number = usize::try_from(reserved.place).unwrap_or(usize::MAX);
        let name = self.archive.name(&reserved.key)?;
        let same = |slot: &mut Slot| *slot.name == *name && slot.size == value.len() as u64;
        if !self.archive.slot(number, same)? {
            return Err(invalid("a place of another key".to_owned()));
        }
        self.archive.write(number, value)
    }

    fn put_last(&self, key: &str, value: &[u8]) -> io::Result<()> {
        check_name(key)?;
        let mut kept = Vec::new();
        kept.try_reserve_exact(value.len())
            .map_err(|_| io::ErrorKind::OutOfMemory)?;
        kept.extend_from_slice(value);
        self.archive.state().metadata.insert(key.to_owned(), kept);
        Ok(())
    }

    /// The value takes its place when it is finished, as its size is known then. So it is kept, in memory or a
    /// temporary file.
    fn create(&self, key: &str) -> io::Result<Box<dyn ValueWriter>> {
        Ok(Box::new(ZipValue {
            name: self.archive.name(key)?,
            archive: Arc::clone(&self.archive),
            beginning: Vec::new(),
            rest: None,
            size: 0,
            crc: Crc::new(),
        }))
    }

    fn staged(&self, key: &str) -> io::Result<Option<Vec<u8>>> {
        let name = self.archive.name(key)?;
        let state = self.archive.state();
        if let Some(value) = state.metadata.get(key) {
            return Ok(Some(value.clone()));
        }
        let slot = state.last.get(&*name).and_then(|n| state.entries.get(*n));
        let Some(slot) = slot.filter(|slot| slot.crc.is_some()) else {
            return Ok(None);
        };
        let (at, size) = (slot.data(), slot.size);
        drop(state);
        let mut value = zeros(usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?)?;
        self.archive.output.read_back_at(at, &mut value)?;
        Ok(Some(value))
    }

    fn staged_keys(&self, prefix: &str) -> io::Result<Vec<String>> {
        let state = self.archive.state();
        let written = state.entries.iter().filter(|slot| slot.crc.is_some());
        let mut keys: Vec<String> = written
            .filter_map(|slot| slot.name.get(self.archive.prefix.len()..))
            .chain(state.metadata.keys().map(String::as_str))
            .filter(|key| !key.is_empty() && key.starts_with(prefix))
            .map(str::to_owned)
            .collect();
        keys.sort_unstable();
        keys.dedup();
        Ok(keys)
    }

    fn publish(&self) -> io::Result<()> {
        self.archive.write_metadata()?;
        let mut state = self.archive.state();
        if state.published {
            return Err(io::Error::other("published twice"));
        }
        let offset = state.end;
        let (mut at, mut count) = (offset, 0);
        let mut directory = Vec::new();
        for slot in &state.entries {
            let Some(crc) = slot.crc else {
                return Err(invalid(format!("the entry {:?} was never written", slot.name)));
            };
            if slot.replaced {
                continue;
            }
            slot.entry(crc).central(&mut directory);
            count += 1;
            if directory.len() >= PIECE {
                self.archive.output.write_all_at(at, &directory)?;
                at += directory.len() as u64;
                directory.clear();
            }
        }
        let end = End {
            disks: [0; 2],
            entries: [count; 2],
            size: at + directory.len() as u64 - offset,
            offset,
        };
        directory.extend(end.bytes());
        self.archive.output.write_all_at(at, &directory)?;
        self.archive.output.set_size(at + directory.len() as u64)?;
        debug!(
            entries = count,
            bytes = at + directory.len() as u64,
            "completed a zip"
        );
        self.archive.output.commit()?;
        state.published = true;
        Ok(())
    }
}

/// A value of unknown size that is being written.
struct ZipValue {
    archive: Arc<Archive>,
    name: String,
    /// The beginning, at most [`IN_MEMORY`] bytes.
    beginning: Vec<u8>,
    /// What follows it.
    rest: Option<File>,
    size: u64,
    crc: Crc,
}

impl ValueWriter for ZipValue {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let fits = self.rest.is_none() && bytes.len() <= IN_MEMORY.saturating_sub(self.beginning.len());
        match (&mut self.rest, fits) {
            (_, true) => self.beginning.extend_from_slice(bytes),
            (Some(rest), _) => rest.write_all(bytes)?,
            (None, _) => {
                let mut rest = tempfile::tempfile_in(temporary_folder())?;
                rest.write_all(bytes)?;
                self.rest = Some(rest);
            }
        }
        self.crc.update(bytes);
        self.size += bytes.len() as u64;
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let Self {
            archive,
            name,
            beginning,
            rest,
            size,
            crc,
        } = *self;
        let number = archive.place(name, size)?;
        let (offset, header) = archive.header(number, crc.sum(), 0)?;
        archive.output.write_all_at(offset, &header)?;
        let mut at = offset + header.len() as u64;
        archive.output.write_all_at(at, &beginning)?;
        at += beginning.len() as u64;
        if let Some(mut rest) = rest {
            rest.rewind()?;
            let mut piece = Vec::with_capacity(PIECE);
            while Read::take(&mut rest, PIECE as u64).read_to_end(&mut piece)? > 0 {
                archive.output.write_all_at(at, &piece)?;
                at += piece.len() as u64;
                piece.clear();
            }
        }
        archive.slot(number, |slot| slot.crc = Some(crc.sum()))
    }
}

#[cfg(test)]
mod tests;
