//! Outputs that are held back: a writer finishes them, and they are read before they take their name.
//!
//! ```text
//! Writer::finish ─► ReadBack, StagedKeys: noted, nothing appears ─► read ─► release ─► visible
//! ```

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{
    GetRange, KeyOutput, KeyStore, Object, Output, Reference, ReferencedArray, ReservedKey, ValueWriter,
};

/// One object that a writer commits, and that appears only when it is released. Dropped, it leaves nothing.
pub trait ReadBack: Output {
    /// What was written, once it was committed.
    ///
    /// # Errors
    /// If the store fails.
    fn written(self: Arc<Self>) -> io::Result<Arc<dyn Object>>;

    /// Makes the object appear under its name.
    ///
    /// # Errors
    /// Those of [`Output::commit`].
    fn release(&self) -> io::Result<()>;
}

/// One object of a store in which an output can be read before it is committed. As an [`Object`], it is what was written.
pub struct StagedOutput {
    output: Arc<dyn Output>,
    size: AtomicU64,
}

impl StagedOutput {
    /// Holds an output back.
    pub fn new(output: Arc<dyn Output>) -> Self {
        Self {
            output,
            size: AtomicU64::new(0),
        }
    }
}

impl ReadBack for StagedOutput {
    fn written(self: Arc<Self>) -> io::Result<Arc<dyn Object>> {
        Ok(self)
    }

    fn release(&self) -> io::Result<()> {
        self.output.commit()
    }
}

impl Output for StagedOutput {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let end = offset.saturating_add(data.len() as u64);
        self.size.fetch_max(end, Ordering::Relaxed);
        self.output.write_all_at(offset, data)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.size.store(size, Ordering::Relaxed);
        self.output.set_size(size)
    }

    /// Does nothing: releasing it commits.
    fn commit(&self) -> io::Result<()> {
        Ok(())
    }

    fn read_back_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.output.read_back_at(offset, buf)
    }

    fn room(&self) -> Option<u64> {
        self.output.room()
    }
}

impl Object for StagedOutput {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.size.load(Ordering::Relaxed)))
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let size = self.size.load(Ordering::Relaxed);
        let end = offset.checked_add(buf.len() as u64);
        match end.is_some_and(|end| end <= size) {
            true => self.output.read_back_at(offset, buf),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

/// A store of keys that is held back. As a [`KeyStore`], it is what was staged.
pub struct StagedKeys(Arc<dyn KeyOutput>);

impl StagedKeys {
    /// Holds an output back.
    pub fn new(output: Arc<dyn KeyOutput>) -> Self {
        Self(output)
    }

    /// What was staged.
    ///
    /// # Errors
    /// Those of [`KeyOutput::read_staged`].
    pub fn written(self: &Arc<Self>) -> io::Result<Arc<dyn KeyStore>> {
        Ok(match self.0.read_staged()? {
            Some(keys) => keys,
            None => self.clone(),
        })
    }

    /// Makes the dataset appear.
    ///
    /// # Errors
    /// Those of [`KeyOutput::publish`].
    pub fn release(&self) -> io::Result<()> {
        self.0.publish()
    }
}

impl KeyOutput for StagedKeys {
    fn check(&self, key: &str) -> io::Result<()> {
        self.0.check(key)
    }

    fn put(&self, key: &str, value: &[u8]) -> io::Result<()> {
        self.0.put(key, value)
    }

    fn reserve(&self, key: String, size: usize) -> io::Result<ReservedKey> {
        self.0.reserve(key, size)
    }

    fn put_reserved(&self, reserved: ReservedKey, value: &[u8]) -> io::Result<()> {
        self.0.put_reserved(reserved, value)
    }

    fn needs_lengths(&self) -> bool {
        self.0.needs_lengths()
    }

    fn takes_references(&self) -> bool {
        self.0.takes_references()
    }

    fn begin_arrays(&self, arrays: Vec<ReferencedArray>) -> io::Result<()> {
        self.0.begin_arrays(arrays)
    }

    fn put_reference(&self, key: &str, reference: &Reference) -> io::Result<()> {
        self.0.put_reference(key, reference)
    }

    fn put_last(&self, key: &str, value: &[u8]) -> io::Result<()> {
        self.0.put_last(key, value)
    }

    fn create(&self, key: &str) -> io::Result<Box<dyn ValueWriter>> {
        self.0.create(key)
    }

    fn staged(&self, key: &str) -> io::Result<Option<Vec<u8>>> {
        self.0.staged(key)
    }

    fn staged_keys(&self, prefix: &str) -> io::Result<Vec<String>> {
        self.0.staged_keys(prefix)
    }

    /// Does nothing: [`StagedKeys::release`] publishes.
    fn publish(&self) -> io::Result<()> {
        Ok(())
    }
}

impl KeyStore for StagedKeys {
    fn get(&self, key: &str, part: GetRange) -> io::Result<Option<Vec<u8>>> {
        let Some(value) = self.0.staged(key)? else {
            return Ok(None);
        };
        if part == GetRange::Whole {
            return Ok(Some(value));
        }
        let within = part.within(value.len() as u64);
        Ok(Some(value[within.start as usize..within.end as usize].to_vec()))
    }

    fn size(&self, key: &str) -> io::Result<Option<u64>> {
        Ok(self.0.staged(key)?.map(|value| value.len() as u64))
    }

    fn list(&self, prefix: &str) -> io::Result<Vec<String>> {
        self.0.staged_keys(prefix)
    }
}
