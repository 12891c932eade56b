//! [`Version`]: what tells one version of an object from another.

use std::time::SystemTime;

use ncutils_store::ObjectState;
use object_store::{ObjectMeta, UpdateVersion};

/// What tells one version of an object from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    e_tag: Option<String>,
    /// The name that the store gives the version itself.
    name: Option<String>,
    /// The date of the last change; `None` if the server tells none.
    date: Option<SystemTime>,
    pub(crate) size: u64,
}

impl Version {
    pub(crate) fn of(meta: &ObjectMeta) -> Self {
        let date = SystemTime::from(meta.last_modified);
        Self {
            e_tag: meta.e_tag.clone(),
            name: meta.version.clone(),
            date: (date > SystemTime::UNIX_EPOCH).then_some(date),
            size: meta.size,
        }
    }

    /// What the server told of the object.
    pub(crate) fn state(&self) -> ObjectState {
        ObjectState {
            etag: self.e_tag.clone(),
            modified: self.date,
        }
    }

    /// The condition for a put in place of this version.
    pub(crate) fn update(self) -> UpdateVersion {
        UpdateVersion {
            e_tag: self.e_tag,
            version: self.name,
        }
    }

    /// The ETag.
    pub(crate) fn e_tag(&self) -> Option<&str> {
        self.e_tag.as_deref()
    }

    /// Date and size; `None` if the server does not tell the size.
    pub(crate) fn date_and_size(&self) -> Option<(Option<SystemTime>, u64)> {
        (self.size != u64::MAX).then_some((self.date, self.size))
    }

    /// One line that tells the version.
    pub(crate) fn line(&self) -> String {
        let seconds = self
            .date
            .and_then(|date| date.duration_since(SystemTime::UNIX_EPOCH).ok());
        let seconds = seconds.map_or(0, |date| date.as_secs());
        let e_tag = self.e_tag.as_deref().unwrap_or("-");
        format!("etag {e_tag} time {seconds} size {}", self.size)
    }

    /// True if both may be of the same bytes: by ETag, else by date, and by size.
    pub(crate) fn fits(&self, other: &Self) -> bool {
        let same = match (&self.e_tag, &other.e_tag) {
            (Some(a), Some(b)) if is_weak(a) => a == b && self.date == other.date,
            (Some(a), Some(b)) => a == b,
            _ => self.date == other.date,
        };
        same && self.size == other.size
    }

    /// The condition for requests. A weak ETag never meets one.
    pub(crate) fn condition(&self) -> Option<String> {
        self.e_tag.clone().filter(|tag| !is_weak(tag))
    }
}

/// True for an ETag that objects of other bytes may have too (RFC 9110, section 8.8.1).
pub(crate) fn is_weak(tag: &str) -> bool {
    tag.starts_with("W/")
}
