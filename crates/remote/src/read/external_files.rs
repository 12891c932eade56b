//! [`RemoteExternalFiles`]: the objects that a remote object may refer to: those below its own prefix.
//!
//! ```text
//! object store   session of the bucket ─────────── key ─┐
//! plain HTTP     session of the URL's folder ─ relative ─┴─► find: name ─► key below the prefix ─► RemoteObject
//! ```

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::get::{head, path};
use super::object::RemoteObject;
use crate::requests::{Session, Task};
use crate::wire::Failure;
use ncutils_model::Error;
use ncutils_remote_settings::url::{Provider, RemoteUrl, decoded};
use ncutils_store::{ExternalFile, ExternalFiles, Input, NamedAs, NoExternalFile};

/// The external files of a remote object. Names are relative to its prefix. They lead to no other bucket or host, and to no
/// local file.
#[derive(Clone)]
pub struct RemoteExternalFiles {
    connect: Connect,
    /// The key of the object, which is its identity. On a plain server, its name below the folder of the input.
    key: String,
    /// The prefix of the input, with a slash at its end; empty for the bucket's root.
    prefix: String,
    /// The input's URL up to the prefix, for messages.
    shown: String,
    /// True if a missing source of a virtual dataset is an error.
    requires_sources: bool,
}

/// Gives the session that the objects of one input are read by.
type Connect = Arc<dyn Fn() -> Result<Arc<Session>, Error> + Send + Sync>;

/// Makes the session once one is needed.
fn once(make: impl Fn() -> Result<Arc<Session>, Error> + Send + Sync + 'static) -> Connect {
    let made: OnceLock<Arc<Session>> = OnceLock::new();
    Arc::new(move || match made.get() {
        Some(session) => Ok(Arc::clone(session)),
        None => make().map(|session| Arc::clone(made.get_or_init(|| session))),
    })
}

impl RemoteExternalFiles {
    /// The external files of the object at a URL, which `session` is for. On a plain server, `connect` makes the session of its folder,
    /// once an external file is needed. `None` for a URL with a query, beside which nobody knows what lies, and for that of a folder.
    pub fn of(
        url: &RemoteUrl,
        session: &Arc<Session>,
        connect: fn(&RemoteUrl, usize) -> Result<Arc<Session>, Error>,
        requires_sources: bool,
    ) -> Option<Self> {
        let last = url.key.rsplit('/').next().unwrap_or_default();
        let prefix = url.key.strip_suffix(last).unwrap_or_default();
        let shown = url.shown.strip_suffix(last).unwrap_or(&url.shown).to_owned();
        if url.provider() != Provider::Http {
            let session = Arc::clone(session);
            return Some(Self {
                connect: Arc::new(move || Ok(Arc::clone(&session))),
                key: url.key.clone(),
                prefix: prefix.to_owned(),
                shown,
                requires_sources,
            });
        }
        let key = decoded(last).ok()?;
        if url.query().is_some() || key.is_empty() || key.contains('/') {
            return None;
        }
        let folder = RemoteUrl {
            key: prefix.to_owned(),
            shown: shown.clone(),
            ..url.clone()
        };
        let requests = session.requests();
        Some(Self {
            connect: once(move || connect(&folder, requests)),
            key,
            prefix: String::new(),
            shown,
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

impl ExternalFiles for RemoteExternalFiles {
    fn identity(&self) -> &OsStr {
        OsStr::new(&self.key)
    }

    fn find(&self, name: &str, named_as: NamedAs) -> Result<ExternalFile, NoExternalFile> {
        let refused = NoExternalFile::Outside {
            path: PathBuf::from(name),
            advice: "",
        };
        let outside = || refused.clone();
        // An absolute name leads to a local file, and one with a scheme to another host.
        if name.contains("://") || name.contains('\\') {
            return Err(outside());
        }
        // That of an HDF5 file also stands for one that was moved, as in libhdf5.
        let (name, is_absolute) = match name.rsplit_once('/').filter(|_| name.starts_with('/')) {
            Some((_, "")) => return Err(outside()),
            Some(_) if matches!(named_as, NamedAs::ExternalData | NamedAs::Reference) => {
                return Err(outside());
            }
            Some((_, last)) => (last, true),
            None => (name, false),
        };
        let key = self.key_of(name).filter(|key| key.starts_with(&self.prefix));
        let key = key.ok_or_else(outside)?;
        let path = path(&key).map_err(|_| NoExternalFile::Missing)?;
        let shown = format!("{}{}", self.shown, &key[self.prefix.len()..]);
        let found = Self {
            key: key.clone(),
            ..self.clone()
        };
        Ok(ExternalFile::new(key, move || {
            let opened = match RemoteObject::open(&(found.connect)()?, &path) {
                Ok(opened) => opened,
                // The file that it names is a local one.
                Err(e) if Failure::is_missing(&e) && is_absolute => {
                    return Err(Error::Usage(refused.to_string()));
                }
                Err(e) if Failure::is_missing(&e) => return Ok(None),
                Err(e) => return Err(Error::Remote(e.to_string()).in_file(&shown)),
            };
            let input = Input::object(&shown, opened.object);
            Ok(Some(input.with_external_files(Arc::new(found))))
        }))
    }

    fn requires_sources(&self) -> bool {
        self.requires_sources
    }

    fn exists(&self, found: &ExternalFile) -> Result<bool, Error> {
        // The identity of an external file is its key.
        let key = found.identity().to_string_lossy().into_owned();
        let session = (self.connect)()?;
        let found = path(&key).and_then(|path| {
            let task = Task::new("look up", key);
            session.wait(head(&session, &task, &path))?
        });
        match found {
            Ok(found) => Ok(found.is_some()),
            Err(e) => Err(Error::Remote(e.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use object_store::memory::InMemory;

    #[test]
    fn only_what_lies_below_the_prefix_is_found() {
        let url = crate::tests::fixtures::parsed("s3://b/run/x.nc");
        let session = Session::over(Arc::new(InMemory::new()), "memory");
        let external_files = RemoteExternalFiles::of(&url, &session, |_, _| unreachable!(), false).unwrap();
        let key = |name: &str| {
            external_files
                .find(name, NamedAs::ExternalLink)
                .map(|found| found.identity().to_str().unwrap().to_owned())
        };
        assert_eq!(key("y.nc").unwrap(), "run/y.nc");
        assert_eq!(key("./sub/../z.nc").unwrap(), "run/z.nc");
        assert_eq!(key("/data/y.nc").unwrap(), "run/y.nc");
        let local = external_files
            .find("/etc/passwd", NamedAs::VirtualSource)
            .unwrap();
        let refused = local.open().unwrap_err().to_string();
        assert!(
            refused.contains("outside") && refused.contains("/etc/passwd"),
            "{refused}"
        );
        assert!(external_files.find("/etc/passwd", NamedAs::ExternalData).is_err());
        for name in [
            "/etc/",
            "/etc/..",
            "../y.nc",
            "../../../y.nc",
            "../run-2/y.nc",
            "https://h/x",
            "file:///etc/passwd",
            "a\\b",
        ] {
            let refused = key(name).unwrap_err();
            assert!(matches!(refused, NoExternalFile::Outside { .. }), "{name}");
        }
        let missing = external_files.find("y.nc", NamedAs::VirtualSource).unwrap();
        assert!(!external_files.exists(&missing).unwrap());
        assert!(missing.open().unwrap().is_none());
    }

    #[test]
    fn external_files_on_a_plain_server_lie_below_the_folder_of_the_url() {
        let connect = |folder: &RemoteUrl, _| {
            assert_eq!(
                (folder.key.as_str(), folder.shown.as_str()),
                ("/a%20b/", "https://h/a%20b/")
            );
            Ok(Session::over(Arc::new(InMemory::new()), "memory"))
        };
        let beside = |url: &str| {
            let url = crate::tests::fixtures::parsed(url);
            let session = Session::over(Arc::new(InMemory::new()), "memory");
            RemoteExternalFiles::of(&url, &session, connect, false)
        };
        let external_files = beside("https://h/a%20b/x.nc").unwrap();
        let key = |name: &str| {
            let found = external_files.find(name, NamedAs::VirtualSource);
            found.map(|found| found.identity().to_str().unwrap().to_owned())
        };
        assert_eq!(external_files.identity(), "x.nc");
        assert_eq!(key("y z#?%2e.nc").unwrap(), "y z#?%2e.nc");
        assert_eq!(key("/data/sub/../y.nc").unwrap(), "y.nc");
        for name in ["../y.nc", "sub/../../y.nc", "//h2/..", "http://h/y.nc"] {
            assert!(key(name).is_err(), "{name}");
        }
        let missing = external_files.find("y.nc", NamedAs::VirtualSource).unwrap();
        assert!(!external_files.exists(&missing).unwrap());
        assert!(missing.open().unwrap().is_none());
        assert!(beside("https://h/x.nc?key=1").is_none());
        assert!(beside("https://h/x/").is_none());
    }
}
