//! A body that is compressed, as by a server that does so to all it sends.

use std::io::Write;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use http::{HeaderValue, response};

/// The body as gzip has it.
pub fn compressed(head: &mut response::Parts, body: &Bytes) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // A vector takes all that is written.
    let _ = encoder.write_all(body);
    let encoded = encoder.finish().unwrap_or_default();
    head.headers
        .insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    head.headers
        .insert(CONTENT_LENGTH, HeaderValue::from(encoded.len()));
    Bytes::from(encoded)
}
