//! [`checked`]: whether an answer holds the bytes that were asked for (RFC 9110, sections 14 and 15.3.7).

use http::StatusCode;
use http::header::{self, HeaderMap, HeaderValue};
use object_store::client::HttpResponse;

use super::failure::{Failure, Meaning, clean};
use super::headers::text;

/// Returns the answer to a GET if it has the requested range: the value of `Range`, without `bytes=`. A 200 whose whole body lies
/// within the range becomes a 206.
///
/// # Errors
/// An encoding that changes the bytes, a whole object in place of a range, and a range that is another one.
pub(super) fn checked(range: Option<&str>, mut response: HttpResponse) -> Result<HttpResponse, Failure> {
    if let Some(coding) = text(response.headers(), "content-encoding") {
        let changes = |coding: &&str| !matches!(*coding, "" | "identity" | "aws-chunked");
        let coding = coding.split(',').map(str::trim).find(changes);
        if let Some(coding) = coding {
            return Err(Failure::last(format!(
                "the server sends the object encoded (Content-Encoding: {}), so that ranges of it cannot be read; download and decode it first",
                clean(coding)
            )));
        }
    }
    let Some(range) = range else {
        return Ok(response);
    };
    let length: Option<u64> = text(response.headers(), "content-length").and_then(|text| text.parse().ok());
    if response.status() == StatusCode::OK {
        // A server without ranges. An object that ends within the range is there as a whole.
        let fits = |length: &u64| *length > 0 && within(range, *length) == Some((0, length - 1));
        let Some(length) = length.filter(fits) else {
            let why = "the server sends no ranges, only the whole object";
            return Err(Failure::new(Meaning::Whole(length), why));
        };
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        let told = format!("bytes 0-{}/{length}", length - 1);
        set(response.headers_mut(), header::CONTENT_RANGE, &told);
        return Ok(response);
    }
    let told = text(response.headers(), "content-range").map(str::to_owned);
    let Some((first, last, size)) = told.as_deref().and_then(content_range) else {
        if told.as_ref().is_some_and(|told| told.trim_end().ends_with("/*")) {
            return Err(Failure::last(
                "the server does not tell how long the object is (Content-Range: bytes a-b/*)",
            ));
        }
        return Err(Failure::wrong_range(
            &told.map_or("no Content-Range".to_owned(), |told| clean(&told)),
        ));
    };
    let right = within(range, size) == Some((first, last));
    let complete = length.is_none_or(|length| length == last - first + 1);
    if !right || !complete {
        return Err(Failure::wrong_range(&format!(
            "bytes {first}-{last} of {size} in place of {}",
            clean(range)
        )));
    }
    if length.is_none() {
        let length = (last - first + 1).to_string();
        set(response.headers_mut(), header::CONTENT_LENGTH, &length);
    }
    Ok(response)
}

fn set(headers: &mut HeaderMap, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// First and last position of a range, `5-9`, `5-` or `-5`, in an object of `size` bytes.
fn within(range: &str, size: u64) -> Option<(u64, u64)> {
    let (first, last) = range.split_once('-')?;
    let end = size.checked_sub(1)?;
    let found = match (first, last) {
        ("", length) => (size.saturating_sub(length.parse().ok()?), end),
        (first, "") => (first.parse().ok()?, end),
        (first, last) => (first.parse().ok()?, last.parse::<u64>().ok()?.min(end)),
    };
    (found.0 <= found.1).then_some(found)
}

/// First and last position and size of `bytes 5-9/100`.
pub(crate) fn content_range(text: &str) -> Option<(u64, u64, u64)> {
    let (range, size) = text.trim().strip_prefix("bytes ")?.split_once('/')?;
    let (first, last) = range.split_once('-')?;
    let (first, last, size) = (first.parse().ok()?, last.parse().ok()?, size.parse().ok()?);
    (first <= last && last < size).then_some((first, last, size))
}

#[cfg(test)]
mod tests;
