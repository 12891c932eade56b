//! [`Error`]: why an HDF5 file cannot be read or written.

use std::io;

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a file cannot be read or written. Structures have the names of the file format specification. Positions are in
/// bytes from the start of the source.
///
/// A message is complete, and includes the system's error. So that error is not a
/// [`source`](std::error::Error::source), and chains of causes print nothing twice.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no superblock signature at any of its possible positions.
    #[error("not an HDF5 file")]
    NotHdf5,

    /// Reading or writing bytes failed.
    #[error("{what} at byte {offset}: {cause}")]
    Io {
        /// The structure or data that was read or written.
        what: &'static str,
        /// Position, in bytes from the start of the source.
        offset: u64,
        /// The system's error.
        cause: io::Error,
    },

    /// A structure extends past the end of the file.
    #[error("the file is truncated: {what} at byte {offset} needs {need} bytes")]
    Truncated {
        /// The structure.
        what: &'static str,
        /// Position of its beginning, in bytes from the start of the source.
        offset: u64,
        /// Its size, in bytes.
        need: u64,
    },

    /// A structure violates the specification.
    #[error("damaged file: {what} at byte {offset}: {why}")]
    Damaged {
        /// The structure.
        what: &'static str,
        /// Position of its beginning, in bytes from the start of the source.
        offset: u64,
        /// The reason.
        why: String,
    },

    /// A checksum does not match the bytes it covers.
    #[error("damaged file: {what} at byte {offset}: checksum mismatch")]
    Checksum {
        /// The structure.
        what: &'static str,
        /// Position of its beginning, in bytes from the start of the source.
        offset: u64,
    },

    /// The filters of a structure could not be undone.
    #[error("{what} at byte {offset}: {why}")]
    Filter {
        /// The structure.
        what: &'static str,
        /// Position of its beginning, in bytes from the start of the source.
        offset: u64,
        /// The decoder's reason.
        why: String,
    },

    /// A legal feature that this crate does not support.
    #[error("{0} is not supported")]
    Unsupported(String),

    /// A function was called with an unsuitable argument, such as another kind of object. The file is not at fault.
    #[error("{0}")]
    Usage(String),

    /// There is no object at a path.
    #[error("{0}")]
    NotFound(String),

    /// Reading would exceed the [`Limits`](crate::Limits).
    #[error("{0}: more than the limits allow")]
    Limit(String),

    /// The format cannot represent the requested object.
    #[error("cannot write: {0}")]
    CannotWrite(String),
}

impl Error {
    /// True if the source or the sink failed, so that nothing is known of what should have been read. A source that says that
    /// its own content is damaged, or a file that does not exist, is no failure.
    pub fn is_failure(&self) -> bool {
        use io::ErrorKind::{InvalidData, NotFound, UnexpectedEof, Unsupported};
        match self {
            Self::Io { cause, .. } => {
                !matches!(cause.kind(), InvalidData | NotFound | UnexpectedEof | Unsupported)
            }
            _ => false,
        }
    }
}
