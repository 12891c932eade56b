//! Writing a zip file as a store of keys: each key is the name of an entry.
//!
//! ```text
//! put, reserve ─► position, by a short lock ─► checksum, header, data: any thread, at once ─► Output
//! create ───────► the end of the zip, until the size is set ─► data: any thread, at once ───► Output
//! put_last ─────► kept ──────────────────────────┐
//! publish ──────► are all reserved values there? ─► metadata ─► central directory ─► commit
//! ```

use std::io;
use std::sync::{Arc, Mutex};

use tracing::debug;

use crate::zip::zip_archive::{Archive, check_name, invalid};
use crate::zip::zip_growing::GrowingValue;
use crate::zip::zip_records::End;
use crate::zip::zip_value::zeros;
use crate::{KeyOutput, Output, ReservedKey, ValueWriter};

/// Bytes of the directory that are written at a time.
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
        let same =
            |slot: &mut crate::zip::zip_archive::Slot| *slot.name == *name && slot.size == value.len() as u64;
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

    fn create(&self, key: &str) -> io::Result<Box<dyn ValueWriter>> {
        let name = self.archive.name(key)?;
        Ok(Box::new(GrowingValue::begin(Arc::clone(&self.archive), name)?))
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
        state.check_end()?;
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

#[cfg(test)]
mod tests;
