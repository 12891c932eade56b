//! What can go wrong, and where.

use std::ffi::{OsStr, OsString};
use std::io;

use crate::model::Item;

/// The result of everything here that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something failed. Displayed as one line; contexts ([`Error::Variable`], [`Error::File`]) wrap the cause.
///
/// The line tells the causes too. Therefore `source()` is always `None`, so that nothing is told twice; a cause is found
/// in the field of this name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A failure within a file or another place.
    #[error("{}: {cause}", name.display())]
    File {
        /// The place, as the user named it.
        name: OsString,
        /// What went wrong there.
        cause: Box<Error>,
    },

    /// A failure within a variable.
    #[error("variable {name}: {cause}")]
    Variable {
        /// The variable's path from the root group, without the leading `/` for variables of the root.
        name: String,
        /// What went wrong there.
        cause: Box<Error>,
    },

    /// A failure that has to do with one thing of the schema, which the cause names already: whoever knows where that
    /// thing was declared can say so.
    #[error("{cause}")]
    About {
        /// The thing.
        item: Item,
        /// What is wrong with it.
        cause: Box<Error>,
    },

    /// A failure within one chunk.
    #[error("chunk [{}]: {cause}", join(index))]
    Chunk {
        /// The chunk's position in the grid of chunks.
        index: Vec<u64>,
        /// What went wrong there.
        cause: Box<Error>,
    },

    /// The system refused.
    #[error("{what}: {cause}")]
    Io {
        /// What was tried, such as "cannot open" or "cannot write".
        what: String,
        /// The system's reason.
        cause: io::Error,
    },

    /// The HDF5 layer failed.
    #[error("{0}")]
    Hdf5(ncutils_hdf5::Error),

    /// None of the formats known.
    #[error("not a netCDF file")]
    UnknownFormat,

    /// A structure of the file is not what its format allows.
    #[error("damaged file: {0}")]
    Damaged(String),

    /// A chunk must be decoded or encoded and its filter is not known.
    #[error("{codec} is not known; a copy that keeps shape and filters can still pass its chunks through")]
    UnknownFilter {
        /// The codec as its file names it, as in "filter 307 (bzip2)" or "codec blosc".
        codec: String,
    },

    /// A filter failed on its input.
    #[error("{codec}: {why}")]
    Filter {
        /// The codec as its file names it, as in "filter 1 (deflate)".
        codec: String,
        /// What went wrong.
        why: String,
    },

    /// What the user asked for contradicts itself, the input or the output format. Says what to do.
    #[error("{0}")]
    Usage(String),

    /// CDL text that is not right; the message shows the place.
    #[error("{0}")]
    Cdl(Box<crate::diagnostic::Diagnostic>),

    /// A mistake in this program.
    #[error("internal error: {0}")]
    Internal(String),

    /// Legal, but something this version does not do.
    #[error("{0} is not supported")]
    Unsupported(String),
}

fn join(index: &[u64]) -> String {
    index.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

impl From<ncutils_hdf5::Error> for Error {
    fn from(cause: ncutils_hdf5::Error) -> Self {
        Self::Hdf5(cause)
    }
}

impl Error {
    /// Says that it happened in the variable `name`. Keeps the innermost variable where one is already named.
    #[must_use]
    pub fn in_variable(self, name: &str) -> Self {
        match self {
            e @ (Self::Variable { .. } | Self::File { .. } | Self::Cdl(_)) => e,
            e => Self::Variable {
                name: name.to_owned(),
                cause: Box::new(e),
            },
        }
    }

    /// Says which thing of the schema it has to do with. Keeps the innermost where one is already said.
    #[must_use]
    pub fn about(self, item: Item) -> Self {
        match self {
            e @ (Self::About { .. } | Self::Cdl(_)) => e,
            e => Self::About {
                item,
                cause: Box::new(e),
            },
        }
    }

    /// Says that it happened in the file, or other place, that the user calls `name`. Keeps the innermost where one is
    /// already named.
    #[must_use]
    pub fn in_file(self, name: impl AsRef<OsStr>) -> Self {
        match self {
            e @ (Self::File { .. } | Self::Cdl(_)) => e,
            e => Self::File {
                name: name.as_ref().to_owned(),
                cause: Box::new(e),
            },
        }
    }

    /// Says that it happened in the chunk at `index` of the chunk grid.
    #[must_use]
    pub fn in_chunk(self, index: &[u64]) -> Self {
        match self {
            e @ Self::Cdl(_) => e,
            e => Self::Chunk {
                index: index.to_vec(),
                cause: Box::new(e),
            },
        }
    }

    /// Says what was tried when the system refused.
    pub fn io(what: impl Into<String>, cause: io::Error) -> Self {
        Self::Io {
            what: what.into(),
            cause,
        }
    }
}
