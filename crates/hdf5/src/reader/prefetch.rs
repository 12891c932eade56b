//! Reads ahead the metadata of many objects, for sources that are slow to answer.
//!
//! The parts of an object are only known by reading it: its header tells where the rest of the header is, that tells
//! where a heap is, and so on. So each object is read from the cache as far as possible. Missing blocks are collected
//! over all objects and fetched in one step. Objects that missed blocks are then read again, until nothing is missing:
//!
//! ```text
//! objects ─► read, from the cache alone ─► done
//!    ▲               │ something is missing
//!    └── fetch all ◄─┘
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use super::file::File;
use crate::datatype::{Class, Datatype};

/// Maximum number of rounds. Later reads fetch the rest one by one.
const ROUNDS: usize = 64;

impl File {
    /// Fetches the metadata that `read` reads of `items`, in few requests. Does nothing if the
    /// [source](crate::ByteSource::readahead) is fast.
    ///
    /// `read` is called for each item, several times, with a view of the file that contains only the bytes fetched so
    /// far; other reads fail. Its results and errors are ignored. It must not read raw data.
    ///
    /// Returns the number of items, from the first on, whose metadata is now cached. It is at least one, and less than
    /// all if the cache (`Limits::cache_bytes`) is full. Read these items, then call again for the rest.
    ///
    /// ```
    /// # use ncutils_hdf5::{File, LinkTarget, Result};
    /// # fn main() -> Result<()> {
    /// # let bytes = std::fs::read("tests/data/dense.h5").unwrap();
    /// let file = File::open(bytes)?;
    /// let links = file.links(&file.object(file.root())?)?;
    /// let addresses: Vec<u64> = links.links.iter().filter_map(|link| link.target.address()).collect();
    /// let mut rest = &addresses[..];
    /// while !rest.is_empty() {
    ///     let fetched = file.prefetch(rest, |file, address| {
    ///         if let Ok(object) = file.object(*address) {
    ///             let _ = file.attributes(&object);
    ///         }
    ///     });
    ///     for address in &rest[..fetched] {
    ///         let object = file.object(*address)?;
    ///         println!("{} attributes", file.attributes(&object)?.len());
    ///     }
    ///     rest = &rest[fetched..];
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn prefetch<T>(&self, items: &[T], mut read: impl FnMut(&Self, &T)) -> usize {
        if !self.reader().is_slow() {
            return items.len();
        }
        let misses = Arc::new(self.reader().misses());
        let view = self.read_by(self.reader().gathering(misses.clone()));
        let mut pending: Vec<(usize, &T)> = items.iter().enumerate().collect();
        for _ in 0..ROUNDS {
            pending.retain(|(_, item)| {
                if misses.is_full() {
                    return true;
                }
                read(&view, item);
                misses.has_missed()
            });
            let is_full = misses.is_full();
            match self.reader().fetch(&misses) {
                Ok(0) | Err(_) => break,
                // The blocks of this item are cached now, but could be dropped for later items.
                Ok(_) if is_full => {
                    pending.retain(|(_, item)| {
                        read(&view, item);
                        misses.has_missed()
                    });
                    break;
                }
                Ok(_) => {}
            }
        }
        match pending.first() {
            Some((first, _)) => (*first).max(1),
            None => items.len(),
        }
    }

    /// Fetches the global heap collections that variable-length elements refer to, in few requests. Does nothing if the
    /// source is fast. `values` are stored elements with their datatypes.
    pub fn prefetch_sequences<'a>(&self, values: impl IntoIterator<Item = (&'a Datatype, &'a [u8])>) {
        if !self.reader().is_slow() {
            return;
        }
        let collections: BTreeSet<u64> = values
            .into_iter()
            .flat_map(|(datatype, bytes)| self.collections(datatype, bytes))
            .collect();
        let collections: Vec<u64> = collections.into_iter().collect();
        let mut rest = collections.as_slice();
        while !rest.is_empty() {
            // Collections have a cache of their own.
            let fetched = self.prefetch(rest, |file, address| {
                let _ = file.global_heap_object(*address, 1);
            });
            rest = rest.get(fetched..).unwrap_or_default();
        }
    }

    /// Addresses of the collections that variable-length elements refer to.
    fn collections(&self, datatype: &Datatype, bytes: &[u8]) -> Vec<u64> {
        let is_sequence = matches!(
            datatype.class,
            Class::VariableLength { .. } | Class::VariableString { .. }
        );
        let (size, address_size) = (datatype.size as usize, usize::from(self.offset_size()));
        if !is_sequence || size == 0 {
            return Vec::new();
        }
        // An element is a length, the address of a collection, and an index in it.
        let addresses = bytes.chunks_exact(size).filter_map(|element| {
            let address = element.get(4..4 + address_size)?;
            Some(address.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte)))
        });
        let mut addresses: Vec<u64> = addresses.filter(|address| *address != 0).collect();
        addresses.dedup();
        addresses
    }
}
