//! Headers of answers as texts.

use http::HeaderMap;
use http::header::AsHeaderName;

/// The text of a header.
pub(crate) fn text(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}
