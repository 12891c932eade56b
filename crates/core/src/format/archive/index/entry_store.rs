//! Room for the entries of indexes: plain in memory, then packed in memory, then packed in a file without a name.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::entry::StreamEntry;
use crate::error::{Error, Result};
use crate::store::temporary_file;

/// Bytes of memory for the entries of indexes, where no limit is given.
pub(crate) const MEMORY: u64 = 64 << 20;

/// Bytes of memory that a plain entry is charged with. A list of entries may have as much room again.
const PLAIN: u64 = 2 * size_of::<StreamEntry>() as u64;

/// Bytes that a file must have room for when it is begun.
const ROOM: u64 = 64 << 20;

/// The room that all indexes of an archive share.
pub(crate) struct EntryStore {
    /// Most entries that stay plain.
    pub most_plain: usize,
    /// Plain entries that [`EntryStore::take_plain`] granted.
    plain: AtomicUsize,
    /// Most bytes of packed entries in memory.
    most_packed: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Bytes of packed entries in memory.
    packed: u64,
    file: Option<Arc<File>>,
    /// Bytes of the file.
    at: u64,
}

/// Packed entries.
pub(crate) enum Packed {
    Memory(Box<[u8]>),
    /// A part of the temporary file: position and length.
    File(Arc<File>, u64, u32),
}

impl EntryStore {
    /// Room of `memory` bytes: one half for plain entries, the other for packed ones.
    pub fn of(memory: u64) -> Self {
        Self {
            most_plain: usize::try_from(memory / 2 / PLAIN).unwrap_or(usize::MAX),
            plain: AtomicUsize::new(0),
            most_packed: memory / 2,
            state: Mutex::default(),
        }
    }

    /// True if `count` more entries may stay plain.
    pub fn take_plain(&self, count: usize) -> bool {
        let taken = |plain: usize| plain.checked_add(count).filter(|sum| *sum <= self.most_plain);
        let update = self
            .plain
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken);
        update.is_ok()
    }

    /// Keeps packed entries.
    ///
    /// # Errors
    /// If they do not fit into memory, and no temporary file can be written.
    pub fn keep(&self, bytes: &[u8]) -> Result<Packed> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let length = bytes.len() as u64;
        if state.packed + length <= self.most_packed {
            state.packed += length;
            return Ok(Packed::Memory(bytes.into()));
        }
        let cannot = |cause| Error::io("cannot keep the index of blocks", cause);
        let file = match &state.file {
            Some(file) => file.clone(),
            None => {
                let file = temporary_file(None, ROOM).map_err(cannot)?;
                state.file.insert(Arc::new(file)).clone()
            }
        };
        let at = state.at;
        file.write_all_at(bytes, at).map_err(cannot)?;
        state.at += length;
        Ok(Packed::File(file, at, bytes.len() as u32))
    }
}

impl Packed {
    /// Passes the bytes to `work`.
    ///
    /// # Errors
    /// If the temporary file cannot be read, and those of `work`.
    pub fn with<T>(&self, work: impl FnOnce(&[u8]) -> Result<T>) -> Result<T> {
        match self {
            Self::Memory(bytes) => work(bytes),
            Self::File(file, at, length) => {
                let mut bytes = vec![0; *length as usize];
                let read = file.read_exact_at(&mut bytes, *at);
                read.map_err(|e| Error::io("cannot read the index of blocks again", e))?;
                work(&bytes)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_goes_to_a_file() {
        let store = EntryStore::of(200);
        let kept: Vec<_> = (0..4u8).map(|n| store.keep(&[n; 60]).unwrap()).collect();
        let in_memory = |packed: &&Packed| matches!(packed, Packed::Memory(_));
        assert_eq!(kept.iter().filter(in_memory).count(), 1);
        for (n, packed) in (0..).zip(&kept) {
            assert!(packed.with(|bytes| Ok(bytes == [n; 60])).unwrap());
        }
        let store = EntryStore::of(PLAIN * 20);
        assert!(store.take_plain(7) && !store.take_plain(4) && store.take_plain(3));
    }
}
