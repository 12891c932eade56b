//! [`Destination`]: where a dataset is written to, with its name.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::sync::Arc;

use crate::{KeyOutput, Output, RawFiles};

/// The output of a dataset.
#[derive(Clone)]
pub struct Destination {
    name: OsString,
    kind: DestinationKind,
    raw: Option<Arc<RawFiles>>,
}

/// The two kinds of output.
#[derive(Clone)]
pub enum DestinationKind {
    /// One sequence of bytes.
    Object(Arc<dyn Output>),
    /// Many values, each under a key.
    Keys(Arc<dyn KeyOutput>),
}

impl Destination {
    /// An output that is one object. `name` is the name that the user typed; messages contain it.
    pub fn object(name: impl Into<OsString>, output: Arc<dyn Output>) -> Self {
        Self {
            name: name.into(),
            kind: DestinationKind::Object(output),
            raw: None,
        }
    }

    /// An output that is a store of keys. `name` is the name that the user typed.
    pub fn keys(name: impl Into<OsString>, output: Arc<dyn KeyOutput>) -> Self {
        Self {
            name: name.into(),
            kind: DestinationKind::Keys(output),
            raw: None,
        }
    }

    /// The same destination with files for raw data beside it. Its output is one that commits them: see
    /// [`RawFiles::beside`].
    #[must_use]
    pub fn with_raw_files(mut self, raw: Arc<RawFiles>) -> Self {
        self.raw = Some(raw);
        self
    }

    /// The files for raw data beside this destination; `None` if there are none.
    pub fn raw_files(&self) -> Option<&Arc<RawFiles>> {
        self.raw.as_ref()
    }

    /// The name that the user typed; empty for a destination without a name.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// The object or store of keys.
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
