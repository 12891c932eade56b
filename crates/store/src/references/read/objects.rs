//! [`Objects`]: the objects that references lead to, of which the last stay open.

use std::io;
use std::sync::Arc;

use crate::references::StoredRange;
use crate::{BoundedCache, ByteRange, ExternalFiles, GetRange, InputKind, NamedAs, Object};

/// Most objects that are known. Of local ones, fewer are open.
const MOST: usize = 4096;

/// The objects that references lead to.
pub struct Objects {
    places: Option<Arc<dyn ExternalFiles>>,
    known: BoundedCache<String, Arc<dyn Object>>,
}

impl Objects {
    /// The objects in `places`; `None` if references lead nowhere.
    pub fn new(places: Option<Arc<dyn ExternalFiles>>) -> Self {
        Self {
            places,
            known: BoundedCache::new(MOST),
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
    let object = stored.object.escape_debug();
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
