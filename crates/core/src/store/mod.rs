//! Where bytes live.
//!
//! What is read is a [`ByteSource`](ncutils_hdf5::ByteSource); what is written is an [`Output`], which appears under its
//! name only when it is committed.
//!
//! ```text
//! path ─► FileSource ─► format::open
//! pipe ─► SpooledSource ─► a text
//!         format::create ─► FileOutput ── partial file ── commit: sync, rename, sync the directory ─► path
//! ```

mod fetch_pool;
mod file_output;
mod file_source;
mod keys;
mod memory;
mod object;
mod partial;
mod requests;
mod spooled;
mod temporary;
mod unnamed;

use std::io;
use std::path::PathBuf;

use ncutils_hdf5::{ByteSink, ByteSource};

use crate::error::{Error, Result};

pub use fetch_pool::FetchPool;
pub use file_output::{FileOutput, same_file};
pub use file_source::FileSource;
pub use keys::{KeyOutput, KeyStore, ValueWriter};
pub use memory::MemoryOutput;
pub use object::Object;
pub use requests::{ByteRange, Done, Get, Part, Requests};
pub use spooled::{SpooledSource, open_stream, temporary_folder};
pub use temporary::temporary_file;

/// A file (or other object) being written.
pub trait Output: ByteSink {
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

/// The size of a source that must know it, in bytes.
///
/// # Errors
/// Where the source cannot tell its size.
pub fn known_size(source: &dyn ByteSource) -> Result<u64> {
    let size = source.size().map_err(|e| Error::io("cannot read", e))?;
    size.ok_or_else(|| Error::Unsupported("a source that does not tell its size".to_owned()))
}

/// Where a dataset was found: what a format needs to open its neighbours (external links), and to name it in messages.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// The local file, where it is one.
    pub path: Option<PathBuf>,
}
