//! An object that another one has taken the place of.

use http::header::{AUTHORIZATION, ETAG, IF_MATCH, LAST_MODIFIED};
use http::{HeaderValue, Response, request, response};

use super::super::body::Body;
use super::status;

/// The ETag of the new object.
const NEW: HeaderValue = HeaderValue::from_static("\"ffffffffffffffffffffffffffffffff\"");

/// Its date, which no file of a test has.
const DATE: HeaderValue = HeaderValue::from_static("Fri, 31 Dec 2100 23:59:59 GMT");

/// The server keeps the old object, so that it is not asked for the new one. A signature holds for the header, too.
pub fn forget(request: &mut request::Parts) {
    if !request.headers.contains_key(AUTHORIZATION) {
        request.headers.remove(IF_MATCH);
    }
}

/// Gives an answer with an ETag that of the new object. If `asks`, a request that wants the old one gets 412.
pub fn change(asked: &request::Parts, head: &mut response::Parts, asks: bool) -> Option<Response<Body>> {
    if asks && asked.headers.get(IF_MATCH).is_some_and(|wanted| wanted != NEW) {
        return Some(status::answer(412, "PreconditionFailed", None));
    }
    if head.headers.contains_key(ETAG) {
        head.headers.insert(ETAG, NEW);
        head.headers.insert(LAST_MODIFIED, DATE);
    }
    None
}
