//! [`Error`]: why a buffer was not compressed or decompressed.

use crate::limits::MAX_INPUT;

/// The reason for which a buffer was not compressed or decompressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The input is longer than [`MAX_INPUT`].
    #[error("Blosc takes at most {MAX_INPUT} bytes")]
    InputTooLong,
    /// The output would be longer than the caller allows.
    #[error("more than the {0} bytes expected")]
    OutputTooLong(usize),
    /// The compressed buffer is damaged.
    #[error("damaged Blosc buffer: {0}")]
    Damaged(&'static str),
    /// The system has not enough memory.
    #[error("not enough memory for {0} bytes")]
    NoMemory(usize),
}
