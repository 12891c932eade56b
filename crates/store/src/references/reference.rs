//! [`Reference`]: where the value of a key lies.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::SystemTime;

use crate::Object;

/// Where the value of a key lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// The value stands among the references.
    Inline(Vec<u8>),
    /// The value is a part of an object, or all of it.
    Stored(StoredRange),
}

/// Where other programs find the value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValuePlace {
    /// In an object of its own, which has the name of the store and of the key.
    Own,
    /// In another object.
    Elsewhere(StoredRange),
    /// In a file that they do not read this way.
    Nowhere,
}

/// A range of an object that another program stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRange {
    /// The object: an absolute path or a URL, without secrets.
    pub object: Arc<str>,
    /// Position and number of bytes; `None` for the whole object.
    pub range: Option<(u64, u64)>,
    /// What tells whether the object was changed since; `None` if it is not known.
    pub version: Option<ObjectVersion>,
}

/// An object that references lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferencedObject {
    /// Its name, as stored.
    pub name: String,
    /// Where it is, or the reason why it is not read: a clause without its subject.
    pub found: Result<OsString, String>,
}

/// What tells whether an object was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObjectVersion {
    /// The ETag, as the server gives it.
    ETag(Arc<str>),
    /// The time of the last change.
    LastModified(SystemTime),
}

impl ObjectVersion {
    /// What tells whether an object is changed later, if it is known without another request.
    pub fn of(object: &dyn Object) -> Option<Self> {
        let state = object.state().ok()?;
        match (state.etag, state.modified) {
            (Some(tag), _) if !tag.starts_with("W/") => Some(Self::ETag(tag.into())),
            // A server compares a weak ETag with nothing.
            (_, Some(time)) => Some(Self::LastModified(time)),
            (_, None) => None,
        }
    }
}
