//! The names that a repository is given: keys of chunks, and objects elsewhere.

use std::borrow::Cow;
use std::io;

/// Most dimensions of an array.
pub const MOST_DIMENSIONS: usize = 64;

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

/// The array of a chunk's key, and the number of the chunk's coordinates, which are put into `index`: `a/v/c/0/1`.
pub fn chunk_of<'k>(key: &'k str, index: &mut [u32; MOST_DIMENSIONS]) -> Option<(&'k str, usize)> {
    let (array, numbers) = match key.rfind("/c/") {
        _ if key.ends_with("/c") => (key.strip_suffix("/c")?, ""),
        Some(at) => (&key[..at], &key[at + 3..]),
        // The array is the root.
        None => (
            "",
            key.strip_prefix("c/")
                .or(key.strip_prefix('c').filter(|rest| rest.is_empty()))?,
        ),
    };
    let mut rank = 0;
    for number in numbers.split('/').filter(|_| !numbers.is_empty()) {
        *index.get_mut(rank)? = number.parse().ok()?;
        rank += 1;
    }
    Some((array, rank))
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
    fn keys_of_chunks_have_an_array_and_coordinates() {
        let found = |key| {
            let mut index = [0; MOST_DIMENSIONS];
            let (array, rank) = chunk_of(key, &mut index)?;
            Some((array, index[..rank].to_vec()))
        };
        assert_eq!(found("v/c/0/12"), Some(("v", vec![0, 12])));
        assert_eq!(found("a/c/c"), Some(("a/c", Vec::new())));
        assert_eq!(found("c/c/3"), Some(("c", vec![3])));
        assert_eq!(found("c/3"), Some(("", vec![3])));
        for other in ["v/zarr.json", "v/c/x", "v/c/4294967296", "v", "ac/3"] {
            assert_eq!(found(other), None, "{other}");
        }
    }
}
