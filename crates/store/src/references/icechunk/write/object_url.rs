//! The URLs of objects elsewhere.

use std::borrow::Cow;
use std::io;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_have_urls() {
        assert_eq!(url_of("/a=1/b#2.nc").unwrap(), "file:///a=1/b%232.nc");
        assert_eq!(url_of("s3://b/k").unwrap(), "s3://b/k");
        assert!(url_of("a.nc").is_err());
    }
}
