//! A text where data was asked for.

use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, Response, StatusCode, request};

use super::super::body::Body;

/// A page as a server sends it that wants a login. It has a sequence that colours a terminal.
pub const LOGIN: &str =
    "<!DOCTYPE html>\n<html><head><title>Log in</title></head><body>Please log in.\u{1b}[31m</body></html>\n";

/// The text, with a status and a type.
pub fn answer(request: &request::Parts, status: u16, content_type: &str, text: &str) -> Response<Body> {
    let mut response = Response::new(match request.method == "HEAD" {
        true => Body::of(""),
        false => Body::of(text.to_owned()),
    });
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let headers = response.headers_mut();
    if let Ok(kind) = HeaderValue::from_str(content_type) {
        headers.insert(CONTENT_TYPE, kind);
    }
    headers.insert(CONTENT_LENGTH, HeaderValue::from(text.len()));
    response
}
