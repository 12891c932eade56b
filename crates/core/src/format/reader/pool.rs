//! [`ReaderPool`]: many readers, of which few are open at a time.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use tracing::debug;

use super::known_variable::KnownVariable;
use super::reader::Reader;
use crate::error::{Error, Result};
use crate::model::VarId;
use crate::store::{Lease, LeasePool};

/// Opens a reader by its number.
type Open = dyn Fn(usize) -> Result<Box<dyn Reader>> + Send + Sync;

/// An open reader of a [`ReaderPool`]. It is given back when its last clone is dropped.
pub type PooledReader = Lease<usize, Box<dyn Reader>>;

/// Many readers, of which few are open at a time. A reader is opened when it is asked for. It stays open until another
/// needs its room; the one that was not used for longest makes room first.
#[derive(Clone)]
pub struct ReaderPool {
    open: Arc<Open>,
    names: Arc<[String]>,
    known: Arc<Mutex<HashMap<(usize, VarId), KnownVariable>>>,
    pool: LeasePool<usize, Box<dyn Reader>>,
}

impl ReaderPool {
    /// A pool of which at most `most` readers are open, at least one. `open` opens a reader by its number. It is called
    /// again after the reader was closed, and must then give the same dataset, with the layouts that the copy was prepared
    /// for: a virtual variable's sources are looked at in `open`. Its errors should name the dataset.
    pub fn new(most: usize, open: impl Fn(usize) -> Result<Box<dyn Reader>> + Send + Sync + 'static) -> Self {
        Self {
            open: Arc::new(open),
            names: Arc::default(),
            known: Arc::default(),
            pool: LeasePool::new(most),
        }
    }

    /// The same pool, whose readers have these names, for messages.
    pub fn with_names(self, names: Arc<[String]>) -> Self {
        Self { names, ..self }
    }

    /// The name of a reader, for messages.
    pub fn name(&self, number: usize) -> Option<&str> {
        self.names.get(number).map(String::as_str)
    }

    /// An error in what a reader gave, with the reader's name.
    pub fn named(&self, number: usize, error: Error) -> Error {
        match self.names.get(number) {
            Some(name) => error.in_file(name),
            None => error,
        }
    }

    /// Keeps what is known of a variable, so that its reader need not be opened to find it out again.
    pub fn keep(&self, number: usize, var: VarId, known: KnownVariable) {
        if let Ok(mut all) = self.known.lock() {
            all.insert((number, var), known);
        }
    }

    /// What was kept of a variable, once.
    pub fn take(&self, number: usize, var: VarId) -> Option<KnownVariable> {
        self.known.lock().ok()?.remove(&(number, var))
    }

    /// The readers that are open, each with its number.
    pub fn all_open(&self) -> Vec<(usize, PooledReader)> {
        self.pool.all_open()
    }

    /// True if a reader is open.
    pub fn is_open(&self, number: usize) -> bool {
        self.pool.is_open(&number)
    }

    /// A reader, if it is open.
    pub fn get_open(&self, number: usize) -> Option<PooledReader> {
        self.pool.get_open(&number)
    }

    /// A reader, which is opened if it is not open. Waits while all open readers are in use. So a thread that holds a
    /// reader must not ask for another: all threads could wait for each other.
    ///
    /// # Errors
    /// The error of opening it.
    pub fn get(&self, number: usize) -> Result<PooledReader> {
        self.pool.get(&number, || {
            debug!(reader = number, "opened");
            (self.open)(number)
        })
    }
}

impl fmt::Debug for ReaderPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReaderPool").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::format::in_memory::InMemoryReader;
    use crate::model::{Kind, Schema};

    fn empty() -> Box<dyn Reader> {
        Box::new(InMemoryReader::new(Schema::new(Kind::Netcdf4), Vec::new()))
    }

    #[test]
    fn a_reader_stays_open_until_another_needs_its_room() {
        let opened = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&opened);
        let pool = ReaderPool::new(2, move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            Ok(empty())
        });
        for n in [0, 1, 0, 1, 0] {
            pool.get(n).unwrap();
        }
        assert_eq!(opened.load(Ordering::Relaxed), 2);
        assert!(pool.get_open(0).is_some() && pool.get_open(2).is_none());
        assert!(pool.is_open(0) && !pool.is_open(2));
        // This closes 1, which was not used for longest.
        pool.get(2).unwrap();
        pool.get(0).unwrap();
        assert_eq!(opened.load(Ordering::Relaxed), 3);
        pool.get(1).unwrap();
        assert_eq!(opened.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn errors_have_the_name_of_their_reader() {
        let fails = |_| Err(Error::Usage("wrong".into()));
        let pool = ReaderPool::new(1, fails).with_names(vec!["a.nc".to_owned(), "b.nc".to_owned()].into());
        assert!(pool.get(1).is_err());
        assert_eq!(
            pool.named(1, Error::Usage("wrong".into())).to_string(),
            "b.nc: wrong"
        );
        assert_eq!(pool.named(7, Error::Usage("wrong".into())).to_string(), "wrong");
    }
}
