//! Bodies that end early.

use bytes::Bytes;
use http::header::CONTENT_LENGTH;
use http::{HeaderMap, HeaderValue, response};

/// How a body ends before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The connection ends.
    End,
    /// The connection is reset.
    Reset,
    /// Nothing more comes.
    Silence,
}

/// Half of the stated length, in bytes.
pub fn middle(head: &HeaderMap) -> usize {
    let length = head
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse().ok());
    length.unwrap_or(0_usize) / 2
}

/// Half of the body, with its length. `Content-Range` stays.
pub fn halved(head: &mut response::Parts, body: &Bytes) -> Bytes {
    let half = body.slice(..body.len() / 2);
    head.headers.insert(CONTENT_LENGTH, HeaderValue::from(half.len()));
    half
}
