//! The URLs of objects elsewhere.

use std::borrow::Cow;
use std::io;

use percent_encoding::percent_decode_str;

/// The URL of an object: a repository has no relative names.
///
/// # Errors
/// A relative name.
pub fn url_of(object: &str) -> io::Result<Cow<'_, str>> {
    if object.contains("://") {
        return Ok(Cow::Borrowed(object));
    }
    if !object.starts_with('/') {
        let why = format!("{object}: Icechunk has no names relative to a folder; leave out --relative");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    // Readers compare it with the folders that they may read, as it stands. Only what ends a path is spelled otherwise.
    let path = object.replace('%', "%25").replace('#', "%23").replace('?', "%3F");
    Ok(Cow::Owned(format!("file://{path}")))
}

/// The object at the location of a virtual chunk: a local file by its path, every other one by its URL. A location is a URL, whose
/// escapes are decoded once.
pub fn object_at(location: &str) -> Cow<'_, str> {
    let path = location
        .strip_prefix("file://")
        .filter(|path| path.starts_with('/'));
    match path.map(|path| percent_decode_str(path).decode_utf8()) {
        Some(Ok(path)) => path,
        _ => location.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_have_urls() {
        assert_eq!(url_of("/a=1/b#2.nc").unwrap(), "file:///a=1/b%232.nc");
        assert_eq!(url_of("s3://b/k").unwrap(), "s3://b/k");
        assert!(url_of("a.nc").is_err());
    }

    #[test]
    fn locations_are_decoded_once() {
        for path in ["/a/50%41/b.nc", "/a/50%2541/b.nc", "/a b#?.nc"] {
            assert_eq!(object_at(&url_of(path).unwrap()), path);
        }
        assert_eq!(object_at("file:///a%20b.nc"), "/a b.nc");
        for other in [
            "s3://b/a%20b.nc",
            "file://host/a.nc",
            "file:///%ff.nc",
            "chunks/A",
        ] {
            assert_eq!(object_at(other), other);
        }
    }
}
