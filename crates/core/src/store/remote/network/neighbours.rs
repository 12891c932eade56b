//! [`RemoteNeighbours`]: the objects that a remote object may refer to: those below its own prefix.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use object_store::path::Path;

use super::failure::{Failure, Meaning};
use super::object::{RemoteObject, size};
use super::session::{Session, Task};
use crate::error::Error;
use crate::store::place::{NamedAs, Neighbour, Neighbours, NoNeighbour, Place};
use crate::store::remote::url::{Provider, RemoteUrl};

/// The neighbours of a remote object. Names are relative to its prefix. They lead to no other bucket or host, and to no
/// local file.
pub(crate) struct RemoteNeighbours {
    session: Arc<Session>,
    /// The key of the object.
    key: String,
    /// The prefix of the input, with a slash at its end; empty for the bucket's root.
    prefix: String,
    /// The input's URL up to the prefix, for messages.
    shown: String,
    identity: OsString,
    /// True if a missing source of a virtual dataset is an error.
    requires_sources: bool,
}

impl RemoteNeighbours {
    /// The neighbours of the object at a URL. `None` on a plain server, whose names below a URL nobody can know.
    pub(crate) fn of(url: &RemoteUrl, session: &Arc<Session>, requires_sources: bool) -> Option<Self> {
        if url.provider == Provider::Http {
            return None;
        }
        let (folder, name) = url.key.rsplit_once('/').unwrap_or(("", &url.key));
        let prefix = if folder.is_empty() {
            String::new()
        } else {
            format!("{folder}/")
        };
        Some(Self {
            session: Arc::clone(session),
            identity: OsString::from(&url.key),
            key: url.key.clone(),
            prefix,
            shown: url.shown.strip_suffix(name).unwrap_or(&url.shown).to_owned(),
            requires_sources,
        })
    }

    /// The key of a name, without `.` and `..`; `None` if it leads out of the bucket.
    fn key_of(&self, name: &str) -> Option<String> {
        let mut parts: Vec<&str> = self.key.split('/').collect();
        parts.pop();
        for part in name.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()?),
                part => parts.push(part),
            }
        }
        Some(parts.join("/"))
    }
}

impl Neighbours for RemoteNeighbours {
    fn identity(&self) -> &OsStr {
        &self.identity
    }

    fn find(&self, name: &str, _: NamedAs) -> Result<Neighbour, NoNeighbour> {
        let outside = || NoNeighbour::Outside {
            path: PathBuf::from(name),
            advice: "",
        };
        // An absolute name leads to a local file, and one with a scheme to another host.
        if name.starts_with('/') || name.contains("://") || name.contains('\\') {
            return Err(outside());
        }
        let key = self.key_of(name).filter(|key| key.starts_with(&self.prefix));
        let key = key.ok_or_else(outside)?;
        let path = Path::parse(&key).map_err(|_| NoNeighbour::Missing)?;
        let shown = format!("{}{}", self.shown, &key[self.prefix.len()..]);
        let found = Self {
            session: Arc::clone(&self.session),
            identity: OsString::from(&key),
            prefix: self.prefix.clone(),
            shown: self.shown.clone(),
            key: key.clone(),
            requires_sources: self.requires_sources,
        };
        Ok(Neighbour::new(key, move || {
            let opened = match RemoteObject::open(&found.session, &path) {
                Ok(opened) => opened,
                Err(e) if is_no_object(&e) => return Ok(None),
                Err(e) => return Err(Error::Remote(e.to_string()).in_file(&shown)),
            };
            let place = Place::object(&shown, opened.object);
            Ok(Some(place.with_neighbours(Arc::new(found))))
        }))
    }

    fn requires_sources(&self) -> bool {
        self.requires_sources
    }

    fn exists(&self, found: &Neighbour) -> Result<bool, Error> {
        // The identity of a neighbour is its key.
        let key = found.identity().to_string_lossy().into_owned();
        let path = Path::parse(&key).map_err(|_| Error::Remote("not a key".to_owned()))?;
        let task = Task::new("look up", key);
        match self.session.run(&task, |store| size(store, path.clone())) {
            Ok(_) => Ok(true),
            Err(e) if is_no_object(&e) => Ok(false),
            Err(e) => Err(Error::Remote(e.to_string())),
        }
    }
}

fn is_no_object(error: &io::Error) -> bool {
    Failure::inside(error).is_some_and(|failure| failure.meaning == Meaning::NoObject)
}

#[cfg(test)]
mod tests {
    use super::*;
    use object_store::memory::InMemory;

    #[test]
    fn only_what_lies_below_the_prefix_is_found() {
        let url = crate::location::remote_url::parse("s3://b/run/x.nc").unwrap().url;
        let session = Session::over(Arc::new(InMemory::new()), "memory");
        let neighbours = RemoteNeighbours::of(&url, &session, false).unwrap();
        let key = |name: &str| {
            neighbours
                .find(name, NamedAs::ExternalLink)
                .map(|found| found.identity().to_str().unwrap().to_owned())
        };
        assert_eq!(key("y.nc").unwrap(), "run/y.nc");
        assert_eq!(key("./sub/../z.nc").unwrap(), "run/z.nc");
        for name in [
            "/etc/passwd",
            "../y.nc",
            "../../../y.nc",
            "../run-2/y.nc",
            "https://h/x",
            "file:///etc/passwd",
            "a\\b",
        ] {
            let refused = key(name).unwrap_err();
            assert!(matches!(refused, NoNeighbour::Outside { .. }), "{name}");
        }
        let missing = neighbours.find("y.nc", NamedAs::VirtualSource).unwrap();
        assert!(!neighbours.exists(&missing).unwrap());
        assert!(missing.open().unwrap().is_none());
        let http = crate::location::remote_url::parse("https://h/x.nc").unwrap().url;
        assert!(RemoteNeighbours::of(&http, &session, false).is_none());
    }
}
