//! [`Place`]: where a dataset is read from, with its name.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::sync::Arc;

use crate::place::neighbours::Neighbours;
use crate::{KeyStore, Object};
use ncutils_model::error::{Error, Result};

/// The input of a dataset.
#[derive(Clone)]
pub struct Place {
    name: OsString,
    kind: PlaceKind,
    neighbours: Option<Arc<dyn Neighbours>>,
    damage: Option<String>,
    is_verified: bool,
}

/// The two kinds of input.
#[derive(Clone)]
pub enum PlaceKind {
    /// One sequence of bytes.
    Object(Arc<dyn Object>),
    /// Many values, each under a key.
    Keys(Arc<dyn KeyStore>),
}

impl Place {
    /// An input that is one object. `name` is the name that the user typed; messages contain it.
    pub fn object(name: impl Into<OsString>, object: Arc<dyn Object>) -> Self {
        Self::new(name.into(), PlaceKind::Object(object))
    }

    /// An input that is a store of keys. `name` is the name that the user typed.
    pub fn keys(name: impl Into<OsString>, store: Arc<dyn KeyStore>) -> Self {
        Self::new(name.into(), PlaceKind::Keys(store))
    }

    fn new(name: OsString, kind: PlaceKind) -> Self {
        Self {
            name,
            kind,
            neighbours: None,
            damage: None,
            is_verified: false,
        }
    }

    /// Tells why the content is not all that it should be: a compressed file or a zip is truncated.
    #[must_use]
    pub fn with_damage(mut self, damage: Option<String>) -> Self {
        self.damage = damage;
        self
    }

    /// Tells whether checksums of the file that the content lies in cover the content.
    #[must_use]
    pub fn with_checksums(mut self, is_verified: bool) -> Self {
        self.is_verified = is_verified;
        self
    }

    /// Sets the places that this one may refer to.
    #[must_use]
    pub fn with_neighbours(mut self, neighbours: Arc<dyn Neighbours>) -> Self {
        self.neighbours = Some(neighbours);
        self
    }

    /// The name that the user typed; empty for a place without a name.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// The object or store of keys.
    pub fn kind(&self) -> &PlaceKind {
        &self.kind
    }

    /// Why the content is not all that it should be; `None` if it is.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// True if checksums of the file that the content lies in, such as a compressed one, cover the content.
    pub fn is_verified(&self) -> bool {
        self.is_verified
    }

    /// Reads a pipe to its end, so that it tells everything about itself. Other places are left alone.
    ///
    /// # Errors
    /// If the pipe cannot be read.
    pub fn read_to_end(&self) -> Result<()> {
        match &self.kind {
            PlaceKind::Object(object) => object.end().map(drop).map_err(|e| Error::io("cannot read", e)),
            PlaceKind::Keys(_) => Ok(()),
        }
    }

    /// The places that this one may refer to; `None` if there are none.
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
