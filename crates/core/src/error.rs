//! What can go wrong, and where.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;

use crate::model::{Item, Kind};

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

    /// What was asked of a copy is wrong, contradicts the input, or cannot be done. A program adds the name of its option.
    #[error("{request}{}: {why}", spaced(argument))]
    Request {
        /// The part of what was asked.
        request: Request,
        /// How it was spelled, in quotes, where the spelling is at fault.
        argument: Option<String>,
        /// What is wrong.
        why: String,
    },

    /// A dataset has what the kind of the output cannot hold.
    #[error("{what}, which the kind '{}' cannot hold{}", kind.name(), names(held_by))]
    NotHeld {
        /// The part of what was asked that needs it; `None` where the input has it.
        request: Option<Request>,
        /// The item, as a clause: "variable v is of type string".
        what: String,
        /// The kind.
        kind: Kind,
        /// The kinds that can hold it.
        held_by: Vec<Kind>,
        /// True where it would be held if unlimited dimensions were made fixed, and a copy can do that.
        held_if_fixed: bool,
    },

    /// Something cannot be done, and something else can. A program adds the name of its option.
    #[error("{why}{alternative}")]
    Alternative {
        /// What cannot be done, and why.
        why: String,
        /// What can be done.
        alternative: Alternative,
    },

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

/// What can be done instead of what was asked. Displayed as the end of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Alternative {
    /// Make the dataset without values.
    NoValues,
    /// Make a program in C.
    CProgram,
}

impl fmt::Display for Alternative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoValues => ", or leave the values out",
            Self::CProgram => "; a C program can",
        })
    }
}

/// A part of what is asked of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Request {
    /// Shapes of chunks, and other storage.
    Chunks,
    /// Filters of named variables, or of all.
    Filters,
    /// Compression of all variables.
    Deflate,
    /// Unlimited dimensions that become fixed.
    FixedDimensions,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Chunks => "chunks",
            Self::Filters => "filters",
            Self::Deflate => "compression",
            Self::FixedDimensions => "fixed dimensions",
        })
    }
}

impl Request {
    /// An error about this part of what was asked.
    pub fn error(self, why: impl Into<String>) -> Error {
        Error::Request {
            request: self,
            argument: None,
            why: why.into(),
        }
    }

    /// An error about how this part was spelled. `argument` is in quotes.
    pub fn misspelled(self, argument: impl Into<String>, why: impl Into<String>) -> Error {
        Error::Request {
            request: self,
            argument: Some(argument.into()),
            why: why.into(),
        }
    }
}

fn spaced(argument: &Option<String>) -> String {
    argument.as_ref().map(|a| format!(" {a}")).unwrap_or_default()
}

fn names(kinds: &[Kind]) -> String {
    let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("; these can: {}", names.join(", ")),
    }
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
