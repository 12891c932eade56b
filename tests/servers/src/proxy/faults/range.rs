//! Servers that mistake ranges.

use http::header::{AUTHORIZATION, CONTENT_RANGE, RANGE};
use http::{HeaderValue, request, response};

/// Azure's header for a range.
const OF_AZURE: &str = "x-ms-range";

/// True if a range is asked for.
pub fn is_asked(request: &request::Parts) -> bool {
    request.headers.contains_key(RANGE) || request.headers.contains_key(OF_AZURE)
}

/// Asks for the whole instead, without the signature.
pub fn forget(request: &mut request::Parts) {
    request.headers.remove(AUTHORIZATION);
    request.headers.remove(RANGE);
    request.headers.remove(OF_AZURE);
}

/// Moves the stated range by one byte.
pub fn shift(head: &mut response::Parts) {
    let Some(moved) = head
        .headers
        .get(CONTENT_RANGE)
        .and_then(|range| moved(range.to_str().ok()?))
    else {
        return;
    };
    if let Ok(moved) = HeaderValue::from_str(&moved) {
        head.headers.insert(CONTENT_RANGE, moved);
    }
}

fn moved(range: &str) -> Option<String> {
    let (ends, size) = range.strip_prefix("bytes ")?.split_once('/')?;
    let (first, last) = ends.split_once('-')?;
    let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
    Some(format!("bytes {}-{}/{size}", first + 1, last + 1))
}

#[cfg(test)]
mod tests {
    use super::moved;

    #[test]
    fn a_range_moves_by_a_byte() {
        assert_eq!(moved("bytes 0-9/100").as_deref(), Some("bytes 1-10/100"));
        assert_eq!(moved("bytes */100"), None);
    }
}
