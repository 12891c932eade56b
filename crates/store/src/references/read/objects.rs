//! [`Objects`]: the objects that references lead to, of which the last stay open.

use std::ffi::OsString;
use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use crate::references::{ObjectVersion, StoredRange};
use crate::{
    BoundedCache, ByteRange, ExternalFiles, GetRange, InputKind, NamedAs, NoExternalFile, Object, ObjectState,
};

/// Most objects that are known. Of local ones, fewer are open.
const MOST: usize = 4096;

/// The objects that references lead to.
pub struct Objects {
    places: Option<Arc<dyn ExternalFiles>>,
    known: BoundedCache<String, Arc<dyn Object>>,
    /// What tells whether objects were changed, of those whose references tell what they were.
    states: BoundedCache<String, ObjectState>,
    /// The names of remote objects that references may be passed on to.
    passed: BoundedCache<String, ()>,
    /// The last object, as most references lead to the same one as the reference before them.
    last: RwLock<Option<LastObject>>,
}

/// An object that has not changed since a reference to it was made.
struct LastObject {
    name: Arc<str>,
    version: Option<ObjectVersion>,
    object: Arc<dyn Object>,
}

impl Objects {
    /// The objects in `places`; `None` if references lead nowhere.
    pub fn new(places: Option<Arc<dyn ExternalFiles>>) -> Self {
        Self {
            places,
            known: BoundedCache::new(MOST),
            states: BoundedCache::new(MOST),
            passed: BoundedCache::new(MOST),
            last: RwLock::default(),
        }
    }

    /// The places that references may lead to.
    pub fn places(&self) -> Option<&Arc<dyn ExternalFiles>> {
        self.places.as_ref()
    }

    /// The object of a name.
    ///
    /// # Errors
    /// If it may not be read, or there is none.
    pub fn object(&self, name: &str) -> io::Result<Arc<dyn Object>> {
        if let Some(object) = self.known.get(name) {
            return Ok(object);
        }
        let places = self
            .places
            .as_ref()
            .ok_or_else(|| io::Error::other("references of an input without a folder or URL lead nowhere"))?;
        let found = places.find(name, NamedAs::Reference).map_err(io::Error::other)?;
        if found.identity() == places.identity() {
            return Err(io::Error::other("is the file of references itself"));
        }
        let input = found.open().map_err(io::Error::other)?;
        let object = match input.as_ref().map(|input| input.kind()) {
            Some(InputKind::Object(object)) => Arc::clone(object),
            Some(InputKind::Keys(_) | InputKind::Queries(_)) => {
                return Err(io::Error::other("is no single object"));
            }
            None => return Err(io::ErrorKind::NotFound.into()),
        };
        self.known.keep(name.to_owned(), Arc::clone(&object), 1);
        Ok(object)
    }

    /// Where the object of a name is, or the reason why it is not read. Nothing is opened.
    pub fn look_up(&self, name: &str) -> Result<OsString, String> {
        let Some(places) = &self.places else {
            return Err("is not looked up, as it is not known what lies beside the input".to_owned());
        };
        let found = places
            .find(name, NamedAs::Reference)
            .map_err(|why| why.to_string())?;
        match places.exists(&found) {
            Ok(true) => Ok(found.identity().to_owned()),
            Ok(false) => Err(NoExternalFile::Missing.to_string()),
            Err(why) => Err(NoExternalFile::Unreadable(why.to_string()).to_string()),
        }
    }

    /// Checks a reference that is passed on to other references. A local object must not end before it does, and a remote input must not
    /// lead readers to local files. An object that cannot be read is not checked.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check_passed_on(&self, stored: &StoredRange) -> io::Result<()> {
        let Some(places) = &self.places else {
            return Ok(());
        };
        let name = &*stored.object;
        if places.requests_of(name).ahead {
            if self.passed.get(name).is_none() {
                match places.find(name, NamedAs::Reference) {
                    Err(why @ (NoExternalFile::Local | NoExternalFile::Strange(_))) => {
                        return Err(io::Error::other(why));
                    }
                    _ => self.passed.keep(name.to_owned(), (), 1),
                }
            }
            return Ok(());
        }
        match self.object(name) {
            Ok(object) if stored.range.is_some() => range_of(&*object, stored, GetRange::Whole).map(drop),
            _ => Ok(()),
        }
    }

    /// The object of a reference, which is what it was when the reference was made, as far as that is known.
    ///
    /// # Errors
    /// Those of [`object`](Self::object); an object that was changed.
    pub fn object_of(&self, stored: &StoredRange) -> io::Result<Arc<dyn Object>> {
        let last = self.last.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = &*last
            && Arc::ptr_eq(&last.name, &stored.object)
            && last.version == stored.version
        {
            return Ok(Arc::clone(&last.object));
        }
        drop(last);
        let object = self.object(&stored.object)?;
        if let Some(version) = &stored.version {
            self.check_state(&object, &stored.object, version)?;
        }
        *self.last.write().unwrap_or_else(PoisonError::into_inner) = Some(LastObject {
            name: Arc::clone(&stored.object),
            version: stored.version.clone(),
            object: Arc::clone(&object),
        });
        Ok(object)
    }

    /// Checks that an object has not changed since a reference to it was made.
    fn check_state(&self, object: &Arc<dyn Object>, name: &str, version: &ObjectVersion) -> io::Result<()> {
        let state = match self.states.get(name) {
            Some(state) => state,
            None => {
                let state = object.state()?;
                self.states.keep(name.to_owned(), state.clone(), 1);
                state
            }
        };
        match was_changed(version, &state) {
            true => Err(io::Error::other(
                "the object was changed since the reference was made",
            )),
            false => Ok(()),
        }
    }
}

/// True if an object has another state than a reference was made for.
fn was_changed(version: &ObjectVersion, state: &ObjectState) -> bool {
    // Some programs keep the quotes of an ETag.
    let plain = |etag: &str| etag.trim_start_matches("W/").trim_matches('"').to_owned();
    match (version, &state.etag, state.modified) {
        (ObjectVersion::ETag(was), Some(is), _) => plain(was) != plain(is),
        // References keep whole seconds, rounded up by whoever writes them: Icechunk compares so, too.
        (ObjectVersion::LastModified(was), _, Some(is)) => is > *was,
        _ => false,
    }
}

/// The bytes of `part` of the value that a reference leads to.
///
/// # Errors
/// If the object ends before the reference does, as far as its size is known without a request.
pub fn range_of(object: &dyn Object, stored: &StoredRange, part: GetRange) -> io::Result<ByteRange> {
    // The size of a remote object takes a request, so its reads tell.
    let size = match stored.range.is_none() || !object.requests().ahead {
        true => object.size()?,
        false => None,
    };
    let (offset, length) = match (stored.range, size) {
        (Some((offset, length)), Some(size)) if offset.checked_add(length).is_none_or(|end| end > size) => {
            let told = format!("the object has {size} bytes");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, told));
        }
        (Some(range), _) => range,
        (None, Some(size)) => (0, size),
        (None, None) => return Err(io::Error::other("the object does not tell its size")),
    };
    let within = part.within(length);
    let start = offset
        .checked_add(within.start)
        .ok_or(io::ErrorKind::UnexpectedEof)?;
    let length = usize::try_from(within.end - within.start).map_err(|_| io::ErrorKind::OutOfMemory)?;
    Ok(ByteRange {
        offset: start,
        length,
    })
}

/// The error of a read of what a reference leads to.
pub fn unreadable(stored: &StoredRange, error: &io::Error) -> io::Error {
    let bytes = match stored.range {
        Some((offset, length)) => format!(", bytes {offset} to {}", offset.saturating_add(length)),
        None => String::new(),
    };
    let object = without_secrets(&stored.object);
    let object = object.escape_debug();
    let why = match error.kind() {
        io::ErrorKind::NotFound => "does not exist".to_owned(),
        io::ErrorKind::UnexpectedEof if error.get_ref().is_none() => "the object ends before".to_owned(),
        _ => error.to_string(),
    };
    // A value that is not found reads as fill. This one is lost.
    let kind = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::Unsupported => io::ErrorKind::Other,
        kind => kind,
    };
    io::Error::new(kind, format!("the reference to {object}{bytes}: {why}"))
}

/// A name without what may be a login or a signature.
fn without_secrets(name: &str) -> String {
    let (scheme, rest) = match name.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => return name.to_owned(),
    };
    let (place, query) = match rest.split_once('?') {
        Some((place, _)) => (place, "?…"),
        None => (rest, ""),
    };
    let (host, path) = place.split_at(place.find('/').unwrap_or(place.len()));
    let host = host.rsplit('@').next().unwrap_or(host);
    format!("{scheme}{host}{path}{query}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn names_are_shown_without_secrets() {
        for (name, shown) in [
            ("s3://b/x?X-Amz-Signature=S", "s3://b/x?…"),
            ("https://user:pass@h:1/a@b", "https://h:1/a@b"),
            ("/a?b@c", "/a?b@c"),
        ] {
            assert_eq!(without_secrets(name), shown);
        }
    }

    #[test]
    fn changed_objects_are_told() {
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_millis(seconds);
        let state = ObjectState {
            etag: Some("\"abc\"".to_owned()),
            modified: Some(at(5_400)),
        };
        for (version, changed) in [
            (ObjectVersion::ETag("abc".into()), false),
            (ObjectVersion::ETag("W/\"abc\"".into()), false),
            (ObjectVersion::ETag("abd".into()), true),
            (ObjectVersion::LastModified(at(5_000)), true),
            (ObjectVersion::LastModified(at(6_000)), false),
            (ObjectVersion::LastModified(at(4_000)), true),
        ] {
            assert_eq!(was_changed(&version, &state), changed, "{version:?}");
            assert!(!was_changed(&version, &ObjectState::default()));
        }
    }
}
