//! Answers with an error.

use http::header::{CONTENT_TYPE, DATE, RETRY_AFTER};
use http::{HeaderValue, Response, StatusCode};
use time::format_description::well_known::Rfc2822;
use time::{Duration, OffsetDateTime};

use super::super::body::Body;

/// An error with the document that S3 sends.
pub fn answer(status: u16, code: &str, retry_after: Option<u64>) -> Response<Body> {
    let code = match code {
        "" => "Injected",
        code => code,
    };
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>{code}</Code><Message>made by the test</Message></Error>"
    );
    let mut response = Response::new(Body::of(text));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/xml"));
    if let Some(seconds) = retry_after {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// 403 `RequestTimeTooSkewed`, with a date an hour ahead.
pub fn skewed() -> Response<Body> {
    let mut response = answer(403, "RequestTimeTooSkewed", None);
    let ahead = OffsetDateTime::now_utc() + Duration::HOUR;
    // HTTP names the zone GMT.
    let date = ahead.format(&Rfc2822).map(|date| date.replace("+0000", "GMT"));
    if let Some(date) = date.ok().and_then(|date| HeaderValue::from_str(&date).ok()) {
        response.headers_mut().insert(DATE, date);
    }
    response
}
