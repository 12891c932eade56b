//! A value of a zip file that many threads write before its size is known.
//!
//! ```text
//! create ───► the end of the zip is this value's: header ┄ data …
//! write_at ─► data in its place; its checksum, joined with those of its neighbours
//! set_size ─► the entry has its place, and the next one can follow
//! finish ───► header
//! ```

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use flate2::Crc;

use crate::ValueWriter;
use crate::zip::zip_archive::{Archive, Slot, invalid};
use crate::zip::zip_records::StoredEntry;

/// A value that is being written.
pub(crate) struct GrowingValue {
    archive: Arc<Archive>,
    name: Arc<str>,
    /// Offset of the entry.
    offset: u64,
    /// Offset of the data.
    data: u64,
    parts: Mutex<Parts>,
    /// Number of the entry, once the size is set.
    number: OnceLock<usize>,
}

/// The checksums of what was written: offset in the value ─► length and checksum. ExternalFiles are joined.
#[derive(Default)]
struct Parts(BTreeMap<u64, (u64, Crc)>);

impl Parts {
    /// Adds a part. False if it overlaps another.
    fn add(&mut self, offset: u64, length: u64, crc: Crc) -> bool {
        if length == 0 {
            return true;
        }
        let Some(end) = offset.checked_add(length) else {
            return false;
        };
        if self.0.range(offset..end).next().is_some() {
            return false;
        }
        let mut joined = match self.0.range_mut(..offset).next_back() {
            Some((from, (before, _))) if from + *before > offset => return false,
            Some((from, (before, _))) if from + *before == offset => {
                let from = *from;
                self.0.remove(&from).map(|(before, crc)| (from, before, crc))
            }
            _ => None,
        };
        match &mut joined {
            None => joined = Some((offset, length, crc)),
            Some((_, before, joined)) => {
                *before += length;
                joined.combine(&crc);
            }
        }
        if let (Some((_, before, joined)), Some((after, crc))) = (&mut joined, self.0.remove(&end)) {
            *before += after;
            joined.combine(&crc);
        }
        if let Some((offset, length, crc)) = joined {
            self.0.insert(offset, (length, crc));
        }
        true
    }

    /// The checksum of a value of `size` bytes. `None` if other bytes were written.
    fn of_value(&self, size: u64) -> Option<u32> {
        match (size, self.0.first_key_value(), self.0.len()) {
            (0, None, _) => Some(Crc::new().sum()),
            (_, Some((0, (length, crc))), 1) if *length == size => Some(crc.sum()),
            _ => None,
        }
    }
}

impl GrowingValue {
    /// Begins a value at the end of the zip.
    pub(crate) fn begin(archive: Arc<Archive>, name: String) -> io::Result<Self> {
        let mut state = archive.state();
        state.check_end()?;
        let header = StoredEntry::local_length(name.len(), u64::MAX) as u64;
        let offset = state.end;
        let data = offset.checked_add(header).ok_or(io::ErrorKind::FileTooLarge)?;
        let name: Arc<str> = name.into();
        state.growing = Some(Arc::clone(&name));
        drop(state);
        Ok(Self {
            archive,
            name,
            offset,
            data,
            parts: Mutex::default(),
            number: OnceLock::new(),
        })
    }
}

impl ValueWriter for GrowingValue {
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let at = self.data.checked_add(offset).ok_or(io::ErrorKind::FileTooLarge)?;
        let mut crc = Crc::new();
        crc.update(bytes);
        self.archive.output.write_all_at(at, bytes)?;
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        match parts.add(offset, bytes.len() as u64, crc) {
            true => Ok(()),
            false => Err(invalid(format!("bytes of {:?} were written twice", self.name))),
        }
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        let end = self.data.checked_add(size).ok_or(io::ErrorKind::FileTooLarge)?;
        let mut state = self.archive.state();
        if self.number.get().is_some() {
            return Err(invalid(format!("the size of {:?} was set twice", self.name)));
        }
        state.growing = None;
        state.end = end;
        let slot = Slot {
            name: Arc::clone(&self.name),
            offset: self.offset,
            size,
            long: true,
            crc: None,
            replaced: false,
        };
        let number = state.add(slot, self.archive.prefix.len());
        // Only this function sets it, and it holds the lock.
        let _ = self.number.set(number);
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let Some(number) = self.number.get() else {
            return Err(invalid(format!("the size of {:?} was never set", self.name)));
        };
        let size = self.archive.slot(*number, |slot| slot.size)?;
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let crc = parts.of_value(size);
        let crc = crc.ok_or_else(|| invalid(format!("{:?} was not written as a whole", self.name)))?;
        let (offset, header) = self.archive.header(*number, crc, 0)?;
        self.archive.output.write_all_at(offset, &header)?;
        self.archive.slot(*number, |slot| slot.crc = Some(crc))
    }
}

impl Drop for GrowingValue {
    fn drop(&mut self) {
        if self.number.get().is_none() {
            // What was written lies behind the end of the zip, where the next value comes.
            self.archive.state().growing = None;
        }
    }
}
