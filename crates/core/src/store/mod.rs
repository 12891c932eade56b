//! Storage of bytes: local files, pipes, folders and memory, for reading and for writing.
//!
//! Readers use an [`Object`] (one sequence of bytes) or a [`KeyStore`] (many named values). Writers use an
//! [`Output`] or a [`KeyOutput`]; nothing is visible under the final name before commit or publish. A
//! [`Place`] is an input with a name, a [`Destination`] an output with a name.
//!
//! ```text
//! path ─► FileSource ────┐
//! pipe ─► ArrivingSource ┴─► Place ─► format::open       folder ─► DirectoryKeys ─► Place
//!
//! format::create ─► Destination ─┬─► FileOutput ──── partial file ── commit: sync, rename, sync the directory ─► path
//!                                └─► DirectoryOutput ── stage ── publish: sync, rename, sync the directory ─► folder
//!
//! .zst, .gz ─► open_compressed ─► Object                  compress_seekable ─► any Output
//! any Object ─► ZipKeys ─► Place                        Destination ─► ZipOutput ─ publish: directory, commit ─► any Output
//! ```

pub(crate) mod arriving;
mod compressed;
mod data_access;
mod directory_keys;
mod directory_output;
pub(crate) mod fetch_pool;
pub(crate) mod fetch_queue;
pub(crate) mod file_neighbours;
mod file_output;
mod file_pool;
pub(crate) mod file_source;
pub(crate) mod gathered;
pub(crate) mod held;
pub(crate) mod joined_gets;
pub(crate) mod key;
pub(crate) mod keys;
pub(crate) mod memory;
mod memory_keys;
pub(crate) mod object;
pub(crate) mod object_stream;
pub(crate) mod open_values;
pub(crate) mod partial;
pub(crate) mod pieces_ahead;
pub(crate) mod place;
mod raw_files;
pub(crate) mod read_ahead;
pub(crate) mod requests;
pub(crate) mod spooled;
mod stop_point;
pub(crate) mod temporary;
pub(crate) mod unfinished;
mod unnamed;
pub(crate) mod written_bytes;
mod zip_archive;
mod zip_directory;
mod zip_growing;
mod zip_keys;
mod zip_output;
mod zip_records;
mod zip_scan;
mod zip_value;
mod zst_fetch;
mod zst_frames;
mod zst_output;
mod zst_source;

use std::io;

use crate::error::{Error, Result};

pub use arriving::ArrivingSource;
pub use compressed::{Content, open_compressed, open_damaged_compressed, verify_compressed};
pub use data_access::{DataAccess, Prefixes};
pub use directory_keys::DirectoryKeys;
pub use directory_output::{DirectoryOutput, FolderCheck};
pub use fetch_pool::FetchPool;
pub(crate) use fetch_pool::allocate;
pub(crate) use fetch_queue::{Admitted, FetchQueue};
pub use file_neighbours::FileNeighbours;
pub use file_output::{FileOutput, same_file};
pub use file_pool::{FilePool, PooledFile};
pub use file_source::FileSource;
pub(crate) use held::ReadBack;
pub use held::{HeldKeys, HeldOutput};
pub(crate) use key::{PARTIAL, check_key};
pub use keys::{FailedKey, KeyOutput, KeyStore, ReservedKey, ValueWriter};
pub use memory::MemoryOutput;
pub use memory_keys::{MemoryKeys, MemoryKeysOutput};
pub use object::Object;
pub(crate) use object_stream::object_stream;
pub use open_values::OpenValues;
pub use partial::{NoPartialFiles, remove_partial_files};
pub use place::{
    Destination, DestinationKind, NamedAs, Neighbour, Neighbours, NoNeighbour, Place, PlaceKind,
};
pub use raw_files::{RawData, RawFiles};
pub use read_ahead::read_ahead;
pub use requests::{ByteRange, Done, FailedRequest, Get, Part, Requests, awaited};
pub use spooled::{SpooledSource, open_stream, temporary_folder};
pub use temporary::temporary_file;
pub(crate) use temporary::{no_room, room_for_temporary_files};
pub use unfinished::take_remains;
pub(crate) use written_bytes::WrittenBytes;
pub use zip_keys::ZipKeys;
pub use zip_output::ZipOutput;
pub use zst_output::compress_seekable;

/// An object that is being written, by many threads at once. Bytes never written read as zero.
pub trait Output: Send + Sync {
    /// Writes all of `data` at byte `offset`. The object grows if needed.
    ///
    /// # Errors
    /// If the store fails.
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()>;

    /// Sets the size in bytes. Cuts the object, or extends it with zeros (a hole if the store supports them).
    ///
    /// # Errors
    /// If the store fails.
    fn set_size(&self, size: u64) -> io::Result<()>;

    /// Makes what was written so far durable, so that a commit takes little time. Outputs that cannot do nothing.
    ///
    /// # Errors
    /// If the store fails.
    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Makes the whole output durable and visible under its name. If it is dropped without a commit, nothing
    /// remains.
    fn commit(&self) -> io::Result<()>;

    /// Fills `buf` with bytes written earlier, starting at byte `offset`. The range lies below the size that
    /// was set.
    ///
    /// # Errors
    /// `Unsupported` if the output can only be written. A writer then does without.
    fn read_back_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let _ = (offset, buf);
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Bytes that the store still has room for; `None` if it is not known.
    fn room(&self) -> Option<u64> {
        None
    }
}

/// The size in bytes of an object that must have one.
///
/// # Errors
/// If the object does not know its size.
pub fn known_size(source: &dyn Object) -> Result<u64> {
    let size = source.end().map_err(|e| Error::io("cannot read", e))?;
    size.ok_or_else(|| Error::Unsupported("an object that does not tell its size".to_owned()))
}
