//! What the content of a place names: external links, raw data, and sources of virtual datasets.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::Place;
use ncutils_model::error::Result;

/// The places that the content of a place may refer to by name, as the targets of external links. The names
/// come from untrusted content, so an implementation decides which of them may be opened.
pub trait Neighbours: Send + Sync {
    /// Identifies the place itself: two places are the same if, and only if, their identities are equal.
    fn identity(&self) -> &OsStr;

    /// Looks up `name`, as seen from this place. Nothing is opened. On a slow store, a name may be found that does not exist:
    /// opening it tells.
    ///
    /// # Errors
    /// The reason why there is no such place.
    fn find(&self, name: &str, named_as: NamedAs) -> Result<Neighbour, NoNeighbour>;

    /// True if a place that was found exists. On a slow store, this is one request.
    ///
    /// # Errors
    /// If the store does not tell.
    fn exists(&self, _found: &Neighbour) -> Result<bool> {
        Ok(true)
    }

    /// True if a source of a virtual dataset that is missing is an error. Otherwise it reads as fill values.
    fn requires_sources(&self) -> bool {
        false
    }
}

/// What a name in a place's content stands for. It decides where the name is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NamedAs {
    /// The target of an external link of HDF5.
    ExternalLink,
    /// Raw data of an HDF5 dataset.
    ExternalData,
    /// The source of a virtual HDF5 dataset.
    VirtualSource,
}

/// A place that was found but is not open.
pub struct Neighbour {
    identity: OsString,
    open: Box<dyn FnOnce() -> Result<Option<Place>>>,
}

impl Neighbour {
    /// A place with this identity, which `open` opens. `open` returns `None` if nothing is there.
    pub fn new(
        identity: impl Into<OsString>,
        open: impl FnOnce() -> Result<Option<Place>> + 'static,
    ) -> Self {
        Self {
            identity: identity.into(),
            open: Box::new(open),
        }
    }

    /// See [`Neighbours::identity`].
    pub fn identity(&self) -> &OsStr {
        &self.identity
    }

    /// Opens the place. It has neighbours of its own, under the same rules. `None` if nothing is there, which a slow store tells
    /// only now.
    ///
    /// # Errors
    /// If it cannot be opened; the error contains its name.
    pub fn open(self) -> Result<Option<Place>> {
        (self.open)()
    }
}

/// The reason why a name leads to no neighbour.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoNeighbour {
    /// No place has this name.
    #[error("does not exist")]
    Missing,
    /// A file in the working directory has the name. libhdf5 would read it.
    #[error(
        "does not exist in the folder of the file that names it; the file in the working directory, which HDF5's library would take, is not read"
    )]
    InWorkingDirectory,
    /// The name leads to a file that may not be opened.
    #[error("is outside of the input's folder: it is {}{}{advice}", path.display(), if advice.is_empty() { "" } else { "; " })]
    Outside {
        /// Its path, without symbolic links.
        path: PathBuf,
        /// How a user allows its folder; may be empty.
        advice: &'static str,
    },
    /// The name leads to a folder, a pipe or a device.
    #[error("is not a regular file")]
    NotRegular,
    /// The system does not tell what the name leads to. The text is its reason.
    #[error("cannot be looked up: {0}")]
    Unreadable(String),
}
