//! Where a dataset is read from, and where one is written to.
//!
//! ```text
//! Location ─┬─► Place        object or keys, name, neighbours ─► format::open
//!           └─► Destination  output or key output, name       ─► format::create
//! ```

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::sync::Arc;

use super::{KeyOutput, KeyStore, Object, Output};
use crate::error::Result;

/// Where a dataset is read from.
#[derive(Clone)]
pub struct Place {
    name: OsString,
    kind: PlaceKind,
    neighbours: Option<Arc<dyn Neighbours>>,
}

/// What is at a [`Place`].
#[derive(Clone)]
#[non_exhaustive]
pub enum PlaceKind {
    /// Bytes at positions.
    Object(Arc<dyn Object>),
    /// Values under keys.
    Keys(Arc<dyn KeyStore>),
}

impl Place {
    /// An object. `name` is what the user typed; messages name the place by it.
    pub fn object(name: impl Into<OsString>, object: Arc<dyn Object>) -> Self {
        Self::new(name.into(), PlaceKind::Object(object))
    }

    /// A store of keys. `name` is what the user typed.
    pub fn keys(name: impl Into<OsString>, store: Arc<dyn KeyStore>) -> Self {
        Self::new(name.into(), PlaceKind::Keys(store))
    }

    fn new(name: OsString, kind: PlaceKind) -> Self {
        Self {
            name,
            kind,
            neighbours: None,
        }
    }

    /// The same place, with others that it may refer to.
    #[must_use]
    pub fn with_neighbours(mut self, neighbours: Arc<dyn Neighbours>) -> Self {
        self.neighbours = Some(neighbours);
        self
    }

    /// What the user typed. Empty for a place without a name.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// What is there.
    pub fn kind(&self) -> &PlaceKind {
        &self.kind
    }

    /// The places that this one may refer to; `None` where it stands alone.
    pub fn neighbours(&self) -> Option<&Arc<dyn Neighbours>> {
        self.neighbours.as_ref()
    }
}

/// A place without a name or neighbours.
impl<T: Object + 'static> From<Arc<T>> for Place {
    fn from(object: Arc<T>) -> Self {
        Self::object("", object)
    }
}

impl From<Arc<dyn Object>> for Place {
    fn from(object: Arc<dyn Object>) -> Self {
        Self::object("", object)
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Place")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The places that the content of one place may refer to by name: targets of external links, and later external and
/// virtual data. An implementation decides what may be opened, as the names come from the content.
pub trait Neighbours: Send + Sync {
    /// The identity of the place itself: two places are the same exactly where their identities are equal.
    fn identity(&self) -> &OsStr;

    /// The place that `name` means, seen from this one. Nothing is opened.
    ///
    /// # Errors
    /// Why there is no such place.
    fn find(&self, name: &str) -> Result<Neighbour, NoNeighbour>;
}

/// A place that was found and is not open.
pub struct Neighbour {
    identity: OsString,
    open: Box<dyn FnOnce() -> Result<Place>>,
}

impl Neighbour {
    /// The place with this identity, which `open` opens.
    pub fn new(identity: impl Into<OsString>, open: impl FnOnce() -> Result<Place> + 'static) -> Self {
        Self {
            identity: identity.into(),
            open: Box::new(open),
        }
    }

    /// See [`Neighbours::identity`].
    pub fn identity(&self) -> &OsStr {
        &self.identity
    }

    /// Opens it. The place has neighbours of its own, under the same rules.
    ///
    /// # Errors
    /// Why it cannot be opened, with its name.
    pub fn open(self) -> Result<Place> {
        (self.open)()
    }
}

/// Why a name leads to no neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoNeighbour {
    /// Nothing has this name.
    #[error("does not exist")]
    Missing,
    /// The name leads out of what may be opened.
    #[error("is outside of the input's folder")]
    Outside,
}

/// Where a dataset is written to.
#[derive(Clone)]
pub struct Destination {
    name: OsString,
    kind: DestinationKind,
}

/// What is written at a [`Destination`].
#[derive(Clone)]
#[non_exhaustive]
pub enum DestinationKind {
    /// One object.
    Object(Arc<dyn Output>),
    /// Values under keys.
    Keys(Arc<dyn KeyOutput>),
}

impl Destination {
    /// One object. `name` is what the user typed; messages name the destination by it.
    pub fn object(name: impl Into<OsString>, output: Arc<dyn Output>) -> Self {
        Self {
            name: name.into(),
            kind: DestinationKind::Object(output),
        }
    }

    /// A store of keys. `name` is what the user typed.
    pub fn keys(name: impl Into<OsString>, output: Arc<dyn KeyOutput>) -> Self {
        Self {
            name: name.into(),
            kind: DestinationKind::Keys(output),
        }
    }

    /// What the user typed. Empty for a destination without a name.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// What is written there.
    pub fn kind(&self) -> &DestinationKind {
        &self.kind
    }
}

/// A destination without a name.
impl<T: Output + 'static> From<Arc<T>> for Destination {
    fn from(output: Arc<T>) -> Self {
        Self::object("", output)
    }
}

impl From<Arc<dyn Output>> for Destination {
    fn from(output: Arc<dyn Output>) -> Self {
        Self::object("", output)
    }
}

impl fmt::Debug for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Destination")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
