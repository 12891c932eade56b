//! [`ReaderPool`]: many readers, of which few are open at a time.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tracing::debug;

use crate::error::Result;
use crate::format::Reader;

/// Opens a reader by its number.
type Open = dyn Fn(usize) -> Result<Box<dyn Reader>> + Send + Sync;

/// Many readers, of which few are open at a time. A reader is opened when it is asked for. It stays open until another
/// needs its room; the one that was not used for longest makes room first.
#[derive(Clone)]
pub struct ReaderPool(Arc<Pool>);

struct Pool {
    open: Box<Open>,
    most: usize,
    state: Mutex<State>,
    /// Told when a reader is given back, was opened, or could not be opened.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    entries: HashMap<usize, Entry>,
    /// Number of uses so far.
    uses: u64,
}

/// A reader that is open, or that a thread is opening.
#[derive(Default)]
struct Entry {
    /// `None` while a thread opens it.
    reader: Option<Arc<dyn Reader>>,
    /// Number of [`PooledReader`]s of it, clones not counted.
    users: usize,
    /// Value of [`State::uses`] at the last use.
    used: u64,
}

impl ReaderPool {
    /// A pool of which at most `most` readers are open, at least one. `open` opens a reader by its number. It is called
    /// again after the reader was closed, and must then give the same dataset, with the layouts that the copy was prepared
    /// for: a virtual variable's sources are looked at in `open`. Its errors should name the dataset.
    pub fn new(most: usize, open: impl Fn(usize) -> Result<Box<dyn Reader>> + Send + Sync + 'static) -> Self {
        Self(Arc::new(Pool {
            open: Box::new(open),
            most: most.max(1),
            state: Mutex::default(),
            changed: Condvar::new(),
        }))
    }

    /// A reader, which is opened if it is not open. Waits while all open readers are in use. So a thread that holds a
    /// reader must not ask for another: all threads could wait for each other.
    ///
    /// # Errors
    /// The error of opening it.
    pub fn get(&self, number: usize) -> Result<PooledReader> {
        let pool = &self.0;
        let mut state = pool.lock();
        loop {
            let uses = state.uses + 1;
            if let Some(entry) = state.entries.get_mut(&number) {
                // `None` while another thread opens it.
                if let Some(reader) = entry.reader.clone() {
                    entry.users += 1;
                    entry.used = uses;
                    state.uses = uses;
                    return Ok(PooledReader::new(reader, pool, number));
                }
            } else {
                let has_room = state.entries.len() < pool.most;
                let closed = if has_room { None } else { state.take_idle() };
                if has_room || closed.is_some() {
                    state.entries.insert(number, Entry::default());
                    drop(state);
                    drop(closed);
                    return pool.open(number);
                }
            }
            state = pool.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl fmt::Debug for ReaderPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReaderPool")
            .field("most", &self.0.most)
            .finish_non_exhaustive()
    }
}

impl State {
    /// Takes out the reader that nobody uses and that was not used for longest.
    fn take_idle(&mut self) -> Option<Entry> {
        let idle = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.users == 0 && entry.reader.is_some());
        let number = idle
            .min_by_key(|(_, entry)| entry.used)
            .map(|(number, _)| *number)?;
        self.entries.remove(&number)
    }
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a reader whose entry is in the list already, so that no other thread opens it.
    fn open(self: &Arc<Self>, number: usize) -> Result<PooledReader> {
        let opening = Opening { pool: self, number };
        debug!(reader = number, "opened");
        let reader: Arc<dyn Reader> = Arc::from((self.open)(number)?);
        let mut state = self.lock();
        state.uses += 1;
        let used = state.uses;
        let kept = Arc::clone(&reader);
        state.entries.insert(
            number,
            Entry {
                reader: Some(kept),
                users: 1,
                used,
            },
        );
        drop(state);
        drop(opening);
        Ok(PooledReader::new(reader, self, number))
    }
}

/// A reader that a thread is opening. If that fails or panics, its entry is removed.
struct Opening<'a> {
    pool: &'a Pool,
    number: usize,
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.lock();
        if state
            .entries
            .get(&self.number)
            .is_some_and(|entry| entry.reader.is_none())
        {
            state.entries.remove(&self.number);
        }
        drop(state);
        self.pool.changed.notify_all();
    }
}

/// An open reader of a [`ReaderPool`]. It is given back when its last clone is dropped.
#[derive(Clone)]
pub struct PooledReader(Arc<Use>);

struct Use {
    // Dropped before it is given back, so that a closed reader is gone.
    reader: Arc<dyn Reader>,
    _given_back: GiveBack,
}

/// Gives a reader back when it is dropped.
struct GiveBack {
    pool: Arc<Pool>,
    number: usize,
}

impl PooledReader {
    fn new(reader: Arc<dyn Reader>, pool: &Arc<Pool>, number: usize) -> Self {
        let given_back = GiveBack {
            pool: Arc::clone(pool),
            number,
        };
        Self(Arc::new(Use {
            reader,
            _given_back: given_back,
        }))
    }

    /// The reader.
    pub fn reader(&self) -> &(dyn Reader + 'static) {
        &*self.0.reader
    }
}

impl Drop for GiveBack {
    fn drop(&mut self) {
        let mut state = self.pool.lock();
        if let Some(entry) = state.entries.get_mut(&self.number) {
            entry.users = entry.users.saturating_sub(1);
        }
        drop(state);
        self.pool.changed.notify_all();
    }
}
