//! What can go wrong with an HDF5 file.

use std::io;

/// The result of everything here that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a file cannot be read or written. Names the structure, as the file format specification does, and where it is, in bytes
/// from the start of the source.
///
/// A message says everything, the system's reason included, which is therefore not a
/// [`source`](std::error::Error::source): chains of causes print nothing twice.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No superblock signature at any of the places where one may be.
    #[error("not an HDF5 file")]
    NotHdf5,

    /// Reading or writing bytes failed.
    #[error("{what} at byte {offset}: {cause}")]
    Io {
        /// What was being read or written.
        what: &'static str,
        /// Where, in bytes from the start of the source.
        offset: u64,
        /// The system's reason.
        cause: io::Error,
    },

    /// A structure reaches past the end of the file.
    #[error("the file is truncated: {what} at byte {offset} needs {need} bytes")]
    Truncated {
        /// The structure.
        what: &'static str,
        /// Where it begins, in bytes from the start of the source.
        offset: u64,
        /// How many bytes it needs.
        need: u64,
    },

    /// A structure is not what the specification allows.
    #[error("damaged file: {what} at byte {offset}: {why}")]
    Damaged {
        /// The structure.
        what: &'static str,
        /// Where it begins, in bytes from the start of the source.
        offset: u64,
        /// What is wrong with it.
        why: String,
    },

    /// A checksum does not match what it covers.
    #[error("damaged file: {what} at byte {offset}: checksum mismatch")]
    Checksum {
        /// The structure.
        what: &'static str,
        /// Where it begins, in bytes from the start of the source.
        offset: u64,
    },

    /// The filters of a structure could not be undone.
    #[error("{what} at byte {offset}: {why}")]
    Filter {
        /// The structure.
        what: &'static str,
        /// Where it begins, in bytes from the start of the source.
        offset: u64,
        /// What the decoder says.
        why: String,
    },

    /// Legal, but something this crate does not do.
    #[error("{0} is not supported")]
    Unsupported(String),

    /// A function was called with what it is not for, such as another kind of object. The file is not at fault.
    #[error("{0}")]
    Usage(String),

    /// There is no object at a path.
    #[error("{0}")]
    NotFound(String),

    /// Reading would take more than the [`Limits`](crate::Limits) allow.
    #[error("{0}: more than the limits allow")]
    Limit(String),

    /// What was asked for cannot be written in this format.
    #[error("cannot write: {0}")]
    CannotWrite(String),
}
