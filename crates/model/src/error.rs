//! [`Error`]: what failed, and in which file, variable or chunk.

use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::Arc;

pub use crate::request::{Alternative, Request};
use crate::{Item, Kind};

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error for a name, a setting or an option that the user has to change. The text says what is wrong and what to do.
///
/// # Errors
/// Always.
pub fn usage<T>(why: impl Into<String>) -> Result<T> {
    Err(Error::Usage(why.into()))
}

/// The reason of a failure. It is displayed as one line. Contexts such as [`Error::Variable`] and [`Error::File`] wrap
/// the cause.
///
/// The line includes the causes. So `source()` is always `None`, and no cause is shown twice. The cause of a context is
/// in its field `cause`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A failure in a file or other place.
    #[error("{}: {cause}", name.display())]
    File {
        /// The place, as the user named it.
        name: OsString,
        /// The failure.
        cause: Box<Error>,
    },

    /// A failure in a variable.
    #[error("variable {name}: {cause}")]
    Variable {
        /// The variable's path from the root group, without the leading `/` for variables of the root.
        name: String,
        /// The failure.
        cause: Box<Error>,
    },

    /// A failure that concerns one item of the schema. The message names the item already. A caller who knows where the
    /// item was declared can add that.
    #[error("{cause}")]
    About {
        /// The item.
        item: Item,
        /// The reason.
        cause: Box<Error>,
    },

    /// A failure in one chunk.
    #[error("chunk [{}]: {cause}", join(index))]
    Chunk {
        /// The chunk's position in the grid of chunks.
        index: Vec<u64>,
        /// The failure.
        cause: Box<Error>,
    },

    /// A failure in the value of one key of a store.
    #[error("key {key}: {cause}")]
    Key {
        /// The key.
        key: String,
        /// The failure.
        cause: Box<Error>,
    },

    /// A failure in a source of a virtual dataset.
    #[error("source {} in {}: {cause}", dataset.escape_debug(), file.escape_debug())]
    Source {
        /// The source's path in its file.
        dataset: String,
        /// The file, as the virtual dataset names it.
        file: String,
        /// The failure, which may be told again for other elements.
        cause: Arc<Error>,
    },

    /// An error of the operating system, or of a remote store in its place.
    #[error("{}", action_and_cause(what, cause))]
    Io {
        /// The failed action, such as "cannot open" or "cannot write".
        what: String,
        /// The system's error.
        cause: io::Error,
    },

    /// A failure of a remote store: one line that says what cannot be done, and why. It holds no secret.
    #[error("{0}")]
    Remote(String),

    /// An error of a library that reads one file format, such as HDF5.
    #[error("{cause}")]
    Library {
        /// The error.
        cause: Box<dyn std::error::Error + Send + Sync>,
        /// True if a file ends before what it must hold, and something of it may be left.
        truncated: bool,
        /// True if the system or a store failed, so that nothing is known of what should have been read.
        failed: bool,
    },

    /// The file has none of the known formats.
    #[error("not a netCDF file")]
    UnknownFormat,

    /// The file has none of the known formats, and what it is instead is known: the text names it, and says what reads it.
    #[error("not a netCDF file: {0}")]
    OtherFormat(&'static str),

    /// A structure of the file violates its format.
    #[error("damaged file: {0}")]
    Damaged(String),

    /// A file ends before what it must hold.
    #[error("damaged file: {0}")]
    Truncated(String),

    /// The failure in a file that is truncated or damaged so that nothing can be salvaged.
    #[error("{0}")]
    NothingLeft(Box<Error>),

    /// A chunk must be decoded or encoded, but its filter is neither built in nor found.
    #[error(
        "{codec} is not built in{searched}; a copy that keeps shape and filters can still pass its chunks through"
    )]
    UnknownFilter {
        /// The codec's name in its file, as in "filter 307 (bzip2)" or "codec blosc".
        codec: String,
        /// Where it was looked for, after a comma; may be empty.
        searched: String,
    },

    /// A filter failed on its input.
    #[error("{codec}: {why}")]
    Filter {
        /// The codec's name in its file, as in "filter 1 (deflate)".
        codec: String,
        /// The reason.
        why: String,
    },

    /// The user's request contradicts itself, the input or the output format. The message says what to do.
    #[error("{0}")]
    Usage(String),

    /// A request for a copy is malformed, contradicts the input, or cannot be fulfilled. The program adds the name of
    /// its option.
    #[error("{request}{}: {why}", spaced(argument))]
    Request {
        /// The part of the request.
        request: Request,
        /// Its spelling, in quotes, if the spelling is wrong.
        argument: Option<String>,
        /// The reason.
        why: String,
    },

    /// The dataset contains an item that the output's kind cannot hold.
    #[error("{what}, which the kind '{}' cannot hold{all}{}", kind.name(), names(held_by))]
    NotHeld {
        /// The part of the request that needs the item; `None` if the item is in the input.
        request: Option<Request>,
        /// The item, as a clause: "variable v is of type string".
        what: String,
        /// The kind of the output.
        kind: Kind,
        /// The kinds that can hold it.
        held_by: Vec<Kind>,
        /// What a copy can be asked to make of the item, so that the kind holds it: fixed dimensions, say.
        held_as: Option<Request>,
        /// All items that the kind cannot hold, as a clause after a semicolon; empty if there is one.
        all: String,
    },

    /// A request cannot be fulfilled, but an alternative exists. The program adds the name of its option.
    #[error("{why}{alternative}")]
    Alternative {
        /// The request, and the reason that it cannot be fulfilled.
        why: String,
        /// The alternative.
        alternative: Alternative,
    },

    /// Errors in CDL text, in its order. The message shows the line of each.
    #[error("{}", told_together(.0))]
    Cdl(Vec<crate::Diagnostic>),

    /// An error in this program.
    #[error("internal error: {0}")]
    Internal(String),

    /// A legal item that this version does not support.
    #[error("{0} is not supported")]
    Unsupported(String),
}

impl Request {
    /// An error about this part of the request.
    pub fn error(self, why: impl Into<String>) -> Error {
        Error::Request {
            request: self,
            argument: None,
            why: why.into(),
        }
    }

    /// An error about the spelling of this part of the request. `argument` is in quotes.
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

fn told_together(errors: &[crate::Diagnostic]) -> String {
    errors
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

fn join(index: &[u64]) -> String {
    index.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

impl Error {
    /// Adds the variable `name` as context, unless the error has a variable already.
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

    /// Adds the item of the schema as context, unless the error has one already.
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

    /// Adds the file or other place that the user calls `name` as context, unless the error has one already.
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

    /// Adds the chunk at `index` of the chunk grid as context, unless the error has a chunk already. A variable and a
    /// file of the error stay in front of the chunk.
    #[must_use]
    pub fn in_chunk(self, index: &[u64]) -> Self {
        match self {
            e @ (Self::Chunk { .. } | Self::Cdl(_)) => e,
            Self::Variable { name, cause } => Self::Variable {
                name,
                cause: Box::new(cause.in_chunk(index)),
            },
            Self::File { name, cause } => Self::File {
                name,
                cause: Box::new(cause.in_chunk(index)),
            },
            e => Self::Chunk {
                index: index.to_vec(),
                cause: Box::new(e),
            },
        }
    }

    /// Adds a key of a store as context, unless the error has one already.
    #[must_use]
    pub fn in_key(self, key: &str) -> Self {
        match self {
            e @ Self::Key { .. } => e,
            Self::Variable { name, cause } => Self::Variable {
                name,
                cause: Box::new(cause.in_key(key)),
            },
            Self::Chunk { index, cause } => Self::Chunk {
                index,
                cause: Box::new(cause.in_key(key)),
            },
            e => Self::Key {
                key: key.to_owned(),
                cause: Box::new(e),
            },
        }
    }

    /// Says of an unknown filter why a chunk must pass it, in place of the hint that a chunk need not.
    #[must_use]
    pub fn with_need(self, need: &str) -> Self {
        match self {
            Self::UnknownFilter { codec, searched } => Self::Filter {
                codec,
                why: format!("not built in{searched}, but {need}"),
            },
            e => e,
        }
    }

    /// The error for an item that an output cannot hold, and that a request can leave out.
    pub fn can_be_left_out(why: impl Into<String>) -> Self {
        Self::Alternative {
            why: why.into(),
            alternative: Alternative::LeavingOut,
        }
    }

    /// Applies `change` to the innermost cause. Contexts such as [`Error::Variable`] stay.
    #[must_use]
    pub fn map_bare(mut self, change: impl FnOnce(Self) -> Self) -> Self {
        let mut bare = &mut self;
        while let Self::File { cause, .. }
        | Self::Variable { cause, .. }
        | Self::About { cause, .. }
        | Self::Chunk { cause, .. }
        | Self::Key { cause, .. } = bare
        {
            bare = cause;
        }
        let placeholder = Self::Usage(String::new());
        *bare = change(std::mem::replace(bare, placeholder));
        self
    }

    /// True if a codec is neither built in nor found, so that nothing is known of what it encoded.
    pub fn is_unknown_filter(&self) -> bool {
        matches!(self.bare(), Self::UnknownFilter { .. })
    }

    /// True if a chunk could not be decoded for want of a filter or of memory, so that nothing is known of what it holds.
    pub fn leaves_unchecked(&self) -> bool {
        let memory = Alternative::MoreMemory;
        self.is_unknown_filter()
            || matches!(self.bare(), Self::Alternative { alternative, .. } if *alternative == memory)
    }

    /// The error without the places that it names.
    fn bare(&self) -> &Self {
        match self {
            Self::File { cause, .. }
            | Self::Variable { cause, .. }
            | Self::About { cause, .. }
            | Self::Chunk { cause, .. }
            | Self::Key { cause, .. } => cause.bare(),
            bare => bare,
        }
    }

    /// True if a file is of no known format.
    pub fn is_unknown_format(&self) -> bool {
        matches!(self.bare(), Self::UnknownFormat | Self::OtherFormat(_))
    }

    /// True if a file ends before what it must hold, and something of it may be left.
    pub fn is_truncated(&self) -> bool {
        match self.bare() {
            Self::Truncated(_) => true,
            Self::Library { truncated, .. } => *truncated,
            _ => false,
        }
    }

    /// True if the system or a store failed, so that nothing is known of what should have been read. A file that does not exist
    /// is no failure.
    pub fn is_failure(&self) -> bool {
        match self.bare() {
            Self::Library { failed, .. } => *failed,
            Self::Io { cause, .. } => !matches!(
                cause.kind(),
                io::ErrorKind::InvalidData
                    | io::ErrorKind::UnexpectedEof
                    | io::ErrorKind::Unsupported
                    | io::ErrorKind::NotFound
            ),
            Self::Remote(_) => true,
            Self::Source { cause, .. } => cause.is_failure(),
            _ => false,
        }
    }

    /// An error of the operating system in the action `what`.
    pub fn io(what: impl Into<String>, cause: io::Error) -> Self {
        Self::Io {
            what: what.into(),
            cause,
        }
    }
}

/// An action and why it failed. A remote store's cause names the action already.
fn action_and_cause(what: &str, cause: &io::Error) -> String {
    let cause = cause.to_string();
    match cause
        .strip_prefix(what)
        .is_some_and(|rest| rest.starts_with(": "))
    {
        true => cause,
        false => format!("{what}: {cause}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_told_once() {
        for cause in ["no such object", "cannot read: no such object"] {
            let error = Error::io("cannot read", io::Error::other(cause));
            assert_eq!(error.to_string(), "cannot read: no such object");
        }
    }

    #[test]
    fn contexts_are_told_once_and_in_order() {
        let error = || Error::UnknownFormat;
        for told in [
            error().in_chunk(&[1, 2]).in_variable("v").in_file("f"),
            error().in_variable("v").in_file("f").in_chunk(&[1, 2]),
            error()
                .in_variable("v")
                .in_chunk(&[1, 2])
                .in_variable("w")
                .in_file("f"),
            error()
                .in_chunk(&[1, 2])
                .in_variable("v")
                .in_chunk(&[3])
                .in_file("f"),
        ] {
            assert_eq!(told.to_string(), "f: variable v: chunk [1, 2]: not a netCDF file");
        }
    }
}
