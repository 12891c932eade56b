//! Where bytes live.
//!
//! What is read is an [`Object`] or a [`KeyStore`]; what is written is an [`Output`] or a [`KeyOutput`], of which nothing
//! is visible under its name before it is committed or published. A [`Place`] and a [`Destination`] are one of the two,
//! with a name.
//!
//! ```text
//! path ─► FileSource ───┐
//! pipe ─► SpooledSource ┴─► Place ─► format::open       folder ─► DirectoryKeys ─► Place
//!
//! format::create ─► Destination ─┬─► FileOutput ──── partial file ── commit: sync, rename, sync the directory ─► path
//!                                └─► DirectoryOutput ── stage ── publish: sync, rename, sync the directory ─► folder
//! ```

mod directory_keys;
mod directory_output;
mod fetch_pool;
mod file_neighbours;
mod file_output;
mod file_source;
mod key;
mod keys;
mod memory;
mod memory_keys;
mod object;
mod partial;
mod place;
mod requests;
mod spooled;
mod temporary;
mod unnamed;

use std::io;

use crate::error::{Error, Result};

pub use directory_keys::DirectoryKeys;
pub use directory_output::DirectoryOutput;
pub use fetch_pool::FetchPool;
pub use file_neighbours::FileNeighbours;
pub use file_output::{FileOutput, same_file};
pub use file_source::FileSource;
pub use keys::{KeyOutput, KeyStore, ValueWriter};
pub use memory::MemoryOutput;
pub use memory_keys::MemoryKeys;
pub use object::Object;
pub use partial::{NoPartialFiles, remove_partial_files};
pub use place::{Destination, DestinationKind, Neighbour, Neighbours, NoNeighbour, Place, PlaceKind};
pub use requests::{ByteRange, Done, Get, Part, Requests};
pub use spooled::{SpooledSource, open_stream, temporary_folder};
pub use temporary::temporary_file;

/// An object being written, by many threads at once. Positions never written read as zero.
pub trait Output: Send + Sync {
    /// Writes the whole of `data` at byte `offset`, growing the object where needed.
    ///
    /// # Errors
    /// What the store says.
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()>;

    /// Sets the size in bytes, cutting or extending with zeros (as a hole where the store can).
    ///
    /// # Errors
    /// What the store says.
    fn set_size(&self, size: u64) -> io::Result<()>;

    /// Makes what was written durable and visible under the output's name, whole. Dropping without it leaves nothing.
    fn commit(&self) -> io::Result<()>;

    /// Fills `buf` with what was written from byte `offset` on, below the size that was set.
    ///
    /// # Errors
    /// `Unsupported` where the output can only be written; a writer then does without.
    fn read_back_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let _ = (offset, buf);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// The size of an object that must know it, in bytes.
///
/// # Errors
/// Where the object cannot tell its size.
pub fn known_size(source: &dyn Object) -> Result<u64> {
    let size = source.size().map_err(|e| Error::io("cannot read", e))?;
    size.ok_or_else(|| Error::Unsupported("an object that does not tell its size".to_owned()))
}
