//! The keys of chunks.

/// Most dimensions of an array.
pub const MOST_DIMENSIONS: usize = 64;

/// The array of a chunk's key, and the number of the chunk's coordinates, which are put into `index`: `a/v/c/0/1`.
pub fn chunk_of<'k>(key: &'k str, index: &mut [u32; MOST_DIMENSIONS]) -> Option<(&'k str, usize)> {
    // The array may be the root, and the chunk that of a scalar.
    let (array, numbers) = match (key, key.strip_suffix("/c"), key.rfind("/c/")) {
        ("c", ..) => return Some(("", 0)),
        (_, Some(array), _) => return Some((array, 0)),
        (_, _, Some(at)) => (&key[..at], &key[at + 3..]),
        (..) => ("", key.strip_prefix("c/")?),
    };
    let mut rank = 0;
    for number in numbers.split('/') {
        // Other spellings are other keys.
        if number.starts_with('+') || number.starts_with('0') && number != "0" {
            return None;
        }
        *index.get_mut(rank)? = number.parse().ok()?;
        rank += 1;
    }
    Some((array, rank))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(found("c"), Some(("", Vec::new())));
        for other in [
            "v/zarr.json",
            "v/c/x",
            "v/c/4294967296",
            "v",
            "ac/3",
            "v/c/01",
            "v/c/+1",
            "v/c/1/",
            "v/c/",
        ] {
            assert_eq!(found(other), None, "{other}");
        }
    }
}
