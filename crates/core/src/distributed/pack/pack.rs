//! [`Pack`]: bytes that a part leaves for the process that completes the output, and what they are.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::index::{self, PackEntry, PackItem};
use crate::distributed::content_sum::ContentSum;
use crate::distributed::notes::{PartNotes, over};
use crate::error::{Error, Result};
use crate::model::VarId;
use crate::store::ValueWriter;

/// A pack that is being written.
pub struct Pack {
    notes: Arc<PartNotes>,
    bytes: Box<dyn ValueWriter>,
    /// Names the pack: two processes may make the same part at once.
    attempt: u64,
    /// Bytes of the pack that have an owner.
    end: AtomicU64,
    entries: Mutex<Vec<PackEntry>>,
    content: ContentSum,
    is_over: Arc<AtomicBool>,
}

impl Pack {
    /// Begins the pack of a part. Nothing is written once `is_over` is true.
    ///
    /// # Errors
    /// The store of the job fails.
    pub fn create(notes: Arc<PartNotes>, is_over: Arc<AtomicBool>) -> Result<Self> {
        let attempt = RandomState::new().hash_one(std::process::id());
        Ok(Self {
            bytes: notes.create_pack(attempt)?,
            attempt,
            notes,
            end: AtomicU64::new(0),
            entries: Mutex::default(),
            content: ContentSum::default(),
            is_over,
        })
    }

    /// Gives a piece its place, and notes it. Returns the place, where the bytes are to be [written](Self::write).
    ///
    /// # Errors
    /// More variables than an index has numbers for.
    pub fn place(&self, variable: VarId, item: PackItem, bytes: &[u8]) -> Result<u64> {
        let length = bytes.len() as u64;
        let at = self.end.fetch_add(length, Ordering::Relaxed);
        let entry = PackEntry {
            variable: u32::try_from(variable.0)
                .map_err(|_| Error::Internal("more variables than a pack has numbers for".to_owned()))?,
            item,
            at,
            length,
            crc: crc32c::crc32c(bytes),
        };
        self.content.add(&entry.name(), length, entry.crc);
        self.entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(entry);
        Ok(at)
    }

    /// Writes the bytes of a piece at its place.
    ///
    /// # Errors
    /// The job is over, or its store fails.
    pub fn write(&self, at: u64, bytes: &[u8]) -> Result<()> {
        self.check_runs()?;
        self.bytes.write_at(at, bytes).map_err(cannot_write)
    }

    /// Adds a piece.
    ///
    /// # Errors
    /// Those of [`place`](Self::place) and [`write`](Self::write).
    pub fn add(&self, variable: VarId, item: PackItem, bytes: &[u8]) -> Result<()> {
        let at = self.place(variable, item, bytes)?;
        match bytes.is_empty() {
            true => Ok(()),
            false => self.write(at, bytes),
        }
    }

    fn check_runs(&self) -> Result<()> {
        match self.is_over.load(Ordering::Relaxed) {
            false => Ok(()),
            true => Err(over()),
        }
    }

    /// Completes the pack, and marks the part as done. `is_repeatable` if the same part always has the same pieces.
    ///
    /// # Errors
    /// The job is over, or its store fails; the part had other pieces before.
    pub fn end(self, is_repeatable: bool) -> Result<()> {
        self.check_runs()?;
        self.bytes.set_size(self.end.into_inner()).map_err(cannot_write)?;
        self.bytes.finish().map_err(cannot_write)?;
        let entries = self.entries.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut content = self.content.content();
        content.digest = content.digest.filter(|_| is_repeatable);
        self.notes.check_same(&content)?;
        self.notes.put_index(&index::write(self.attempt, &entries))?;
        self.notes.end(&content)
    }
}

fn cannot_write(error: std::io::Error) -> Error {
    Error::io("cannot write the pack", error)
}
