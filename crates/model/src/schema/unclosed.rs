//! [`Unclosed`]: a dataset that its writer has not closed.

use std::fmt;

/// Why a dataset may lack what its writer meant to write. It is displayed as a sentence without a full stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unclosed {
    /// A program has the file open for writing.
    BeingWritten,
    /// No program has the file open, and the one that wrote it did not close it.
    NotClosed,
    /// One of the two. The lock does not tell which: it cannot be asked, or the writer lets others read the file (SWMR) and holds none.
    Open,
}

impl fmt::Display for Unclosed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BeingWritten => "the file is being written by another program",
            Self::NotClosed => "the file was not closed by its writer",
            Self::Open => "the file is being written by another program, or was not closed by its writer",
        })
    }
}
