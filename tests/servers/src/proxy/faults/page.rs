//! A page in HTML where data was asked for, as a server sends that wants a login.

use http::header::{CONTENT_RANGE, CONTENT_TYPE};
use http::{HeaderValue, Response, StatusCode, request};

use super::super::body::Body;

const PAGE: &str =
    "<!DOCTYPE html>\n<html><head><title>Log in</title></head><body>Please log in.\u{1b}[31m</body></html>\n";

/// The page, with status 200.
pub fn answer(request: &request::Parts) -> Response<Body> {
    let mut response = Response::new(match request.method == "HEAD" {
        true => Body::of(""),
        false => Body::of(PAGE),
    });
    *response.status_mut() = StatusCode::OK;
    let headers = response.headers_mut();
    headers.remove(CONTENT_RANGE);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert("content-length", HeaderValue::from(PAGE.len()));
    response
}
