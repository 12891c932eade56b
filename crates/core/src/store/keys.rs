//! A store of keys: each key has a value of bytes.
//!
//! ```text
//! KeyStore    get, fetch many, list            what a reader sees
//! KeyOutput   put, create, put_last ─► publish what a writer stages; nobody sees it before
//! ```

use std::io;
use std::sync::Arc;

use super::requests::{Done, Get, Part, Requests};

/// A store of keys that can be read by many threads at once. Keys are paths: names joined with `/`, without a leading one.
pub trait KeyStore: Send + Sync {
    /// A part of a key's value; `None` where there is no such key.
    ///
    /// # Errors
    /// What the store says.
    fn get(&self, key: &str, part: Part) -> io::Result<Option<Vec<u8>>>;

    /// The size of a key's value in bytes; `None` where there is no such key.
    ///
    /// # Errors
    /// What the store says.
    fn size(&self, key: &str) -> io::Result<Option<u64>>;

    /// All keys that begin with `prefix`, ascending.
    ///
    /// # Errors
    /// What the store says; `Unsupported` where it cannot list.
    fn list(&self, prefix: &str) -> io::Result<Vec<String>>;

    /// How the store likes to be asked.
    fn requests(&self) -> Requests {
        Requests::LOCAL
    }

    /// Gets many values and hands them to `done`, in the order asked for. A slow store returns at once and has up to
    /// [`Requests::in_flight`] requests under way. This default gets one value after another before it returns.
    ///
    /// # Errors
    /// `done` receives the error of a value that cannot be read.
    fn fetch(self: Arc<Self>, gets: Vec<Get>, done: Done<io::Result<Vec<Option<Vec<u8>>>>>) {
        done(gets.iter().map(|get| self.get(&get.key, get.part)).collect());
    }
}

/// A dataset of keys being written, by one process or by several. Nobody who reads the place sees any of it before
/// [`publish`](Self::publish).
pub trait KeyOutput: Send + Sync {
    /// Stores a whole value. A value that was put before is replaced.
    ///
    /// # Errors
    /// What the store says.
    fn put(&self, key: &str, value: &[u8]) -> io::Result<()>;

    /// Stores a value that makes the dataset known (its metadata). A store that cannot rename writes such keys last of
    /// all, when it publishes.
    ///
    /// # Errors
    /// What the store says.
    fn put_last(&self, key: &str, value: &[u8]) -> io::Result<()>;

    /// Begins a value that need not fit into memory. It exists once the writer is finished.
    ///
    /// # Errors
    /// What the store says.
    fn create(&self, key: &str) -> io::Result<Box<dyn ValueWriter>>;

    /// What was staged so far under a key, by any process.
    ///
    /// # Errors
    /// What the store says.
    fn staged(&self, key: &str) -> io::Result<Option<Vec<u8>>>;

    /// The staged keys that begin with `prefix`, ascending, of all processes.
    ///
    /// # Errors
    /// What the store says.
    fn staged_keys(&self, prefix: &str) -> io::Result<Vec<String>>;

    /// Makes all that was staged visible, in place of what was there. One process calls it, once all others are done.
    ///
    /// # Errors
    /// What the store says. What was at the place before is still there then.
    fn publish(&self) -> io::Result<()>;
}

/// A value being written from its beginning to its end.
pub trait ValueWriter: Send {
    /// Adds bytes at the end.
    ///
    /// # Errors
    /// What the store says.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Completes the value. Without it nothing is stored.
    ///
    /// # Errors
    /// What the store says.
    fn finish(self: Box<Self>) -> io::Result<()>;
}
