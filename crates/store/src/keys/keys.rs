//! The traits of a store of keys: each key has a value of bytes.
//!
//! ```text
//! KeyStore    get, fetch many, list            what a reader sees
//! KeyOutput   put, create, put_last ─► publish what a writer stages; nobody sees it before
//!             reserve ─► put_reserved          the same, in an order that does not depend on threads
//! ValueWriter write_at ─► set_size ─► finish   one value, written by many threads before its size is known
//! ```

use std::io;
use std::sync::Arc;

use crate::keys::joined_gets::join_gets;
use crate::keys::key::check_key;
use crate::references::{Reference, ReferencedArray, ReferencedObject, ValuePlace};
use crate::requests::requests::{Done, FailedRequest, Get, GetRange, Requests};
use crate::{Object, ObjectState, Sought};
use ncutils_model::error::Result;

/// A store of keys that many threads read at once. Keys are paths: names joined with `/`, without a leading
/// one.
pub trait KeyStore: Send + Sync {
    /// A part of a key's value; `None` if the key does not exist.
    ///
    /// # Errors
    /// If the store fails.
    fn get(&self, key: &str, part: GetRange) -> io::Result<Option<Vec<u8>>>;

    /// The size of a key's value in bytes; `None` if the key does not exist.
    ///
    /// # Errors
    /// If the store fails.
    fn size(&self, key: &str) -> io::Result<Option<u64>>;

    /// What tells whether the value of a key was changed since someone wrote it down. On a slow store, this is a request.
    ///
    /// # Errors
    /// If the store fails.
    fn state(&self, key: &str) -> io::Result<ObjectState> {
        let _ = key;
        Ok(ObjectState::default())
    }

    /// Where other programs find the value of a key that exists. This default is for stores whose values are files or objects, by the
    /// name of the store and the key.
    ///
    /// # Errors
    /// If the store fails.
    fn value_place(&self, key: &str) -> io::Result<ValuePlace> {
        let _ = key;
        Ok(ValuePlace::Own)
    }

    /// The objects elsewhere that values lie in, each once, ascending by name. Each is looked up and not opened.
    ///
    /// # Errors
    /// If the store fails, or they are too many.
    fn referenced_objects(&self) -> io::Result<Vec<ReferencedObject>> {
        Ok(Vec::new())
    }

    /// The name of an object elsewhere that values lie in and that is at the place `sought`; `None` if there is none. Opens no object.
    ///
    /// # Errors
    /// If the store fails, or the objects are too many.
    fn find_referenced(&self, sought: &Sought<'_>) -> io::Result<Option<String>> {
        let _ = sought;
        Ok(None)
    }

    /// Opens a value of which many ranges will be read; `None` if the key does not exist. This default is for stores in
    /// which that saves nothing.
    ///
    /// # Errors
    /// `Unsupported` if ranges are best read by [`get`](Self::get). Otherwise the store's error.
    fn open_value(&self, key: &str) -> io::Result<Option<Arc<dyn Object>>> {
        let _ = key;
        Err(io::ErrorKind::Unsupported.into())
    }

    /// All keys that start with `prefix`, ascending.
    ///
    /// # Errors
    /// `Unsupported` if the store cannot list keys. Otherwise the store's error.
    fn list(&self, prefix: &str) -> io::Result<Vec<String>>;

    /// Passes each key of a chunk that starts with `prefix` to `each`, in any order, with a handle for
    /// [`get_by_handle`](Self::get_by_handle). Keys that are no chunks may come too; all start with `prefix`. If a key comes twice, its
    /// first handle counts. Returns false if some keys have no handle, or all as in this default; the caller then lists again and forgets
    /// the handles. Handles stay valid as long as the store.
    ///
    /// # Errors
    /// Those of [`list`](Self::list).
    fn list_handles(&self, prefix: &str, each: &mut dyn FnMut(&str, u32)) -> io::Result<bool> {
        let _ = (prefix, each);
        Ok(false)
    }

    /// Reads a part of the value of a key with a handle into `bytes`, in place of what they were.
    ///
    /// # Errors
    /// `Unsupported` if the store has no handles. Otherwise the store's error.
    fn get_by_handle(&self, handle: u32, part: GetRange, bytes: &mut Vec<u8>) -> io::Result<()> {
        let _ = (handle, part, bytes);
        Err(io::ErrorKind::Unsupported.into())
    }

    /// All keys that start with `prefix`, ascending, each with the bytes that its value takes in the store. This default asks for
    /// the size of each key.
    ///
    /// # Errors
    /// Those of [`list`](Self::list) and [`size`](Self::size).
    fn list_sizes(&self, prefix: &str) -> io::Result<Vec<(String, u64)>> {
        let sized = |key: String| Ok((self.size(&key)?.map(|size| (key, size))).into_iter());
        let found: io::Result<Vec<_>> = self.list(prefix)?.into_iter().map(sized).collect();
        Ok(found?.into_iter().flatten().collect())
    }

    /// Bytes of the object that holds all keys and their values, such as a zip file. `None` if each value is an object of its own, or
    /// if the object has more than these keys.
    ///
    /// # Errors
    /// If the store fails.
    fn container_size(&self) -> io::Result<Option<u64>> {
        Ok(None)
    }

    /// The names directly below a folder, ascending: of keys, and of folders, which end in `/`. `folder` is empty or ends in
    /// `/`. This default lists all keys below the folder; a store that can list one level does so.
    ///
    /// # Errors
    /// Those of [`list`](Self::list).
    fn list_children(&self, folder: &str) -> io::Result<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        for key in self.list(folder)? {
            let rest = key.get(folder.len()..).unwrap_or_default();
            let name = match rest.find('/') {
                Some(end) => &rest[..=end],
                None => rest,
            };
            if names.last().is_none_or(|last| last != name) {
                names.push(name.to_owned());
            }
        }
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// True if each value that is read whole is compared with a checksum.
    fn verifies(&self) -> bool {
        false
    }

    /// What a user must know of values that the store lacks, though something there says that it had them.
    fn lacking(&self) -> Vec<String> {
        Vec::new()
    }

    /// Compares what the store says twice of its keys, such as the two names of each entry of a zip file. Tells each contradiction
    /// to `found`.
    ///
    /// # Errors
    /// If the store fails.
    fn check_keys(&self, found: &mut dyn FnMut(String)) -> Result<()> {
        let _ = found;
        Ok(())
    }

    /// Compares the object that holds all keys with what it was when it was opened, as far as that takes no request.
    ///
    /// # Errors
    /// The object has changed.
    fn check_unchanged(&self) -> io::Result<()> {
        Ok(())
    }

    /// The requests that suit this store best.
    fn requests(&self) -> Requests {
        Requests::LOCAL
    }

    /// Gets many values and passes them to `done`, in the requested order. A slow store returns at once and
    /// runs up to [`Requests::in_flight`] requests at a time. Neighbouring ranges of one key are one request. This
    /// default makes one request after another before it returns.
    ///
    /// # Errors
    /// `done` receives the error if a value cannot be read: a [`FailedRequest`] if it is known which one.
    fn fetch(self: Arc<Self>, gets: Vec<Get>, done: Done<io::Result<Vec<Option<Vec<u8>>>>>) {
        let mut found: Vec<Option<Vec<u8>>> = vec![None; gets.len()];
        for one in join_gets(gets, self.requests().gap) {
            let got = one.run(|key, part| self.get(key, part));
            match got {
                Ok(values) => {
                    for (n, value) in values {
                        found[n] = value;
                    }
                }
                Err((n, e)) => return done(Err(FailedRequest::error(n, e))),
            }
        }
        done(Ok(found));
    }
}

/// A dataset of keys that is being written, by one process or several. Readers see no part of it before
/// [`publish`](Self::publish).
///
/// Values have an order in some stores: in a zip file, that of the calls of [`put`](Self::put) and
/// [`reserve`](Self::reserve). A writer whose threads race, but whose output must not depend on them, reserves values in a
/// fixed order, such as the turns of a `ReorderWindow`, and writes them by
/// [`put_reserved`](Self::put_reserved) from any thread.
pub trait KeyOutput: Send + Sync {
    /// Checks that a value can be stored under a key, and stores nothing. A writer checks its longest keys before it begins.
    ///
    /// # Errors
    /// `InvalidInput` if the store does not take such a key.
    fn check(&self, key: &str) -> io::Result<()> {
        check_key(key)
    }

    /// Stores a whole value. It replaces an earlier value of the same key. A slow store may return before it has the value.
    ///
    /// # Errors
    /// If the store fails, also in an earlier put: a [`FailedKey`] tells in which.
    fn put(&self, key: &str, value: &[u8]) -> io::Result<()>;

    /// Gives a value of `size` bytes its place among the others. This is cheap: no bytes are written. The value must
    /// follow by [`put_reserved`](Self::put_reserved) before the dataset is published. This default is for stores
    /// without an order.
    ///
    /// # Errors
    /// If the store has no room, or the key is not one.
    fn reserve(&self, key: String, size: usize) -> io::Result<ReservedKey> {
        Ok(ReservedKey { key, size, place: 0 })
    }

    /// Stores the value of a reserved key. It replaces an earlier value of the same key.
    ///
    /// # Errors
    /// If the store fails, or the value's size is not the reserved one.
    fn put_reserved(&self, reserved: ReservedKey, value: &[u8]) -> io::Result<()> {
        reserved.check_size(value)?;
        self.put(&reserved.key, value)
    }

    /// True if the reference to a whole object must tell its length.
    fn needs_lengths(&self) -> bool {
        false
    }

    /// True if values can be [references](Self::put_reference). Documents are then put before anything else.
    fn takes_references(&self) -> bool {
        false
    }

    /// Tells the arrays whose chunks follow. Called once, before the first reference.
    ///
    /// # Errors
    /// If the store fails.
    fn begin_arrays(&self, arrays: Vec<ReferencedArray>) -> io::Result<()> {
        let _ = arrays;
        Ok(())
    }

    /// Stores where the value of a key lies. Calls come in the order that the references are to have. This default is for stores of
    /// values.
    ///
    /// # Errors
    /// `Unsupported` if the store takes values alone. Otherwise the store's error.
    fn put_reference(&self, key: &str, reference: &Reference) -> io::Result<()> {
        let _ = (key, reference);
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Stores a value that marks the dataset as one: its metadata. A store that cannot rename writes such
    /// keys last, when it publishes: those of arrays first, then those of groups, those of the root last, in the order of their names.
    ///
    /// # Errors
    /// If the store fails.
    fn put_last(&self, key: &str, value: &[u8]) -> io::Result<()>;

    /// Begins a value that may be larger than memory. It exists once its writer is finished. In a store with an order,
    /// [`put`](Self::put), [`reserve`](Self::reserve) and this call fail until its [size is set](ValueWriter::set_size),
    /// because the place of the next value is not known before.
    ///
    /// # Errors
    /// If the store fails.
    fn create(&self, key: &str) -> io::Result<Box<dyn ValueWriter>>;

    /// The value staged so far under a key, by any process.
    ///
    /// # Errors
    /// If the store fails.
    fn staged(&self, key: &str) -> io::Result<Option<Vec<u8>>>;

    /// The staged keys of all processes that start with `prefix`, ascending.
    ///
    /// # Errors
    /// If the store fails.
    fn staged_keys(&self, prefix: &str) -> io::Result<Vec<String>>;

    /// What was staged, as a store to read many values of at once; `None` where [`staged`](Self::staged) is as quick.
    ///
    /// # Errors
    /// If the store fails, also in an earlier put.
    fn read_staged(&self) -> io::Result<Option<Arc<dyn KeyStore>>> {
        Ok(None)
    }

    /// Waits until the store has every value that was put.
    ///
    /// # Errors
    /// If the store fails, also in an earlier put.
    fn wait(&self) -> io::Result<()> {
        Ok(())
    }

    /// Makes everything that was staged visible, in place of the old content. One process calls this, after
    /// all others are done.
    ///
    /// # Errors
    /// If the store fails. The old content is still there then.
    fn publish(&self) -> io::Result<()>;
}

/// What a mark has behind its note as soon as values of [`put_last`](KeyOutput::put_last) may be there.
pub const SWITCHING: &str = "\nswitching";

/// A dataset of keys that values are added to where it is. Values of [`put_last`](KeyOutput::put_last) appear when all others are durable,
/// in the order of the calls. [`publish`](KeyOutput::publish) removes the mark that [`GROWING`](crate::GROWING) names.
pub trait GrowingKeys: KeyOutput {
    /// Notes what a later run needs to undo what follows. It is durable when this returns, and has no line break. [`SWITCHING`]
    /// follows it later.
    ///
    /// # Errors
    /// The store fails.
    fn note(&self, note: &[u8]) -> io::Result<()>;

    /// Replaces the value of a key, if it is still `old`, once all values are durable that were put before. Returns false if it is not:
    /// another program has changed it.
    ///
    /// # Errors
    /// The store fails.
    fn replace(&self, key: &str, old: &[u8], new: &[u8]) -> io::Result<bool>;

    /// Removes the value of a key, if there is one.
    ///
    /// # Errors
    /// The store fails.
    fn remove(&self, key: &str) -> io::Result<()>;

    /// Ends where nothing was added, or everything was undone: the mark goes.
    ///
    /// # Errors
    /// The store fails.
    fn end(&self) -> io::Result<()>;
}

/// The error of a value that was put before. It is inside the `io::Error` of a later call.
#[derive(Debug, thiserror::Error)]
#[error("{cause}")]
pub struct FailedKey {
    key: String,
    cause: io::Error,
}

impl FailedKey {
    /// The error of a later call, after the value of `key` could not be stored. Its kind is that of `cause`.
    pub fn error(key: impl Into<String>, cause: io::Error) -> io::Error {
        let key = key.into();
        io::Error::new(cause.kind(), Self { key, cause })
    }

    /// The key of the value that could not be stored, and its own error. Without a key if `error` does not tell it.
    pub fn split(error: io::Error) -> (Option<String>, io::Error) {
        match error.downcast::<Self>() {
            Ok(failed) => (Some(failed.key), failed.cause),
            Err(error) => (None, error),
        }
    }
}

/// A key whose value has a place among the others, and no bytes yet.
#[derive(Debug, PartialEq, Eq)]
pub struct ReservedKey {
    /// The key.
    pub key: String,
    /// The value's size in bytes.
    pub size: usize,
    /// The value's place. Only the store that reserved it knows what it means.
    pub place: u64,
}

impl ReservedKey {
    /// Checks that a value has the reserved size.
    ///
    /// # Errors
    /// `InvalidInput` if it has another one.
    pub fn check_size(&self, value: &[u8]) -> io::Result<()> {
        match value.len() == self.size {
            true => Ok(()),
            false => Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!(
                    "the key {:?} has a value of {} bytes, not the reserved {}",
                    self.key,
                    value.len(),
                    self.size
                ),
            )),
        }
    }
}

/// A value that many threads write, and whose size need not be known when it is begun. So it can be larger than memory.
///
/// In a store with an order, its place is behind the values that were reserved before it was begun. The next value can
/// get a place once the size is set.
pub trait ValueWriter: Send + Sync {
    /// Writes bytes at `offset` of the value. Every byte of the value is written once, in any order.
    ///
    /// # Errors
    /// If the store fails.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Sets the value's size in bytes. This is cheap, and called once. Bytes may still be written afterwards.
    ///
    /// # Errors
    /// If the store has no room.
    fn set_size(&self, size: u64) -> io::Result<()>;

    /// Completes the value. Without this call nothing is stored.
    ///
    /// # Errors
    /// If the store fails, or notices that bytes of the value were not written.
    fn finish(self: Box<Self>) -> io::Result<()>;
}
