//! Redirects.

use http::header::LOCATION;
use http::{HeaderValue, Response, StatusCode, request};

use super::super::body::Body;

/// A redirect to `to`, in which `{path}` stands for the path and query of the request.
pub fn answer(request: &request::Parts, to: &str) -> Response<Body> {
    let path = request.uri.path_and_query().map_or("/", |path| path.as_str());
    let mut response = Response::new(Body::of(""));
    *response.status_mut() = StatusCode::TEMPORARY_REDIRECT;
    if let Ok(place) = HeaderValue::from_str(&to.replace("{path}", path)) {
        response.headers_mut().insert(LOCATION, place);
    }
    response
}
