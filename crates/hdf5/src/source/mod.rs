//! [`ByteSource`] and [`ByteSink`]: storage that a file is read from and written to.
//!
//! They may be a local file, memory, a member of a zip archive or a remote object. Both are positional, so that many
//! threads can read and write without a lock.

mod byte_sink;
mod byte_source;
mod file;
mod memory;
mod pointer;

pub use byte_sink::ByteSink;
pub(crate) use byte_source::LOCAL_READAHEAD;
pub use byte_source::{ByteSource, ReadRequest};
