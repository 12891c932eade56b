//! [`PartKeys`]: where a part writes the keys of a dataset that other processes write to as well.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::content_sum::ContentSum;
use super::notes::{PartNotes, over};
use crate::store::{KeyOutput, KeyStore, ReservedKey, ValueWriter};

/// The keys of a part. Metadata is left to the process that completes the dataset. In place of publishing, the part is marked as
/// done.
pub struct PartKeys {
    keys: Arc<dyn KeyOutput>,
    notes: Arc<PartNotes>,
    content: Arc<ContentSum>,
    is_over: Arc<AtomicBool>,
}

impl PartKeys {
    /// The keys of a dataset that is not published yet. Nothing is put once `is_over` is true.
    pub fn new(keys: Arc<dyn KeyOutput>, notes: Arc<PartNotes>, is_over: Arc<AtomicBool>) -> Self {
        Self {
            keys,
            notes,
            content: Arc::default(),
            is_over,
        }
    }

    fn check_runs(&self) -> io::Result<()> {
        match self.is_over.load(Ordering::Relaxed) {
            false => Ok(()),
            true => Err(io::Error::other(over())),
        }
    }
}

impl KeyOutput for PartKeys {
    fn check(&self, key: &str) -> io::Result<()> {
        self.keys.check(key)
    }

    fn put(&self, key: &str, value: &[u8]) -> io::Result<()> {
        self.check_runs()?;
        self.content
            .add(key.as_bytes(), value.len() as u64, crc32c::crc32c(value));
        self.content.add_key();
        self.keys.put(key, value)
    }

    fn reserve(&self, key: String, size: usize) -> io::Result<ReservedKey> {
        self.keys.reserve(key, size)
    }

    fn put_last(&self, _: &str, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn create(&self, key: &str) -> io::Result<Box<dyn ValueWriter>> {
        self.check_runs()?;
        Ok(Box::new(PartValue {
            value: self.keys.create(key)?,
            key: key.to_owned(),
            content: Arc::clone(&self.content),
        }))
    }

    fn staged(&self, key: &str) -> io::Result<Option<Vec<u8>>> {
        self.keys.staged(key)
    }

    fn staged_keys(&self, prefix: &str) -> io::Result<Vec<String>> {
        self.keys.staged_keys(prefix)
    }

    fn read_staged(&self) -> io::Result<Option<Arc<dyn KeyStore>>> {
        self.keys.read_staged()
    }

    fn publish(&self) -> io::Result<()> {
        self.keys.wait()?;
        self.check_runs()?;
        let content = self.content.content();
        let ended = self
            .notes
            .check_same(&content)
            .and_then(|()| self.notes.end(&content));
        ended.map_err(io::Error::other)
    }
}

/// A value of the part.
struct PartValue {
    value: Box<dyn ValueWriter>,
    key: String,
    content: Arc<ContentSum>,
}

impl ValueWriter for PartValue {
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let name = format!("{}@{offset}", self.key);
        self.content
            .add(name.as_bytes(), bytes.len() as u64, crc32c::crc32c(bytes));
        self.value.write_at(offset, bytes)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.value.set_size(size)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        // One that is not finished has no key.
        self.content.add_key();
        self.value.finish()
    }
}
