//! Answers.

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode};
use http_body_util::Full;
use time::OffsetDateTime;
use time::format_description::well_known::{Rfc2822, Rfc3339};

use super::Answer;
use super::objects::Object;

/// An answer of a status without a body.
pub fn empty(status: u16) -> Answer {
    text(status, "application/xml", String::new())
}

/// An error with Google's document.
pub fn error(status: u16, code: &str) -> Answer {
    xml(
        status,
        &format!("<Error><Code>{code}</Code><Message>{code}</Message></Error>"),
    )
}

/// A document.
pub fn xml(status: u16, elements: &str) -> Answer {
    let document = format!("<?xml version='1.0' encoding='UTF-8'?>{elements}");
    text(status, "application/xml", document)
}

/// An access token.
pub fn token(token: &str) -> Answer {
    let answer = serde_json::json!({ "access_token": token, "expires_in": 3600, "token_type": "Bearer" });
    text(200, "application/json", answer.to_string())
}

/// Adds the headers of an object.
pub fn describe(answer: &mut Answer, object: &Object) {
    let headers = answer.headers_mut();
    let made = object
        .made
        .format(&Rfc2822)
        .unwrap_or_default()
        .replace("+0000", "GMT");
    let crc = u32::to_be_bytes(crc32c::crc32c(&object.bytes));
    for (name, value) in [
        ("etag", object.etag.clone()),
        ("x-goog-generation", object.generation.to_string()),
        ("last-modified", made),
        ("x-goog-hash", format!("crc32c={}", base64(&crc))),
    ] {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
}

/// A time as lists have it.
pub fn time(at: OffsetDateTime) -> String {
    at.format(&Rfc3339).unwrap_or_default()
}

/// Text in an element.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Base64 with padding, as `x-goog-hash` has it.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group
            .iter()
            .enumerate()
            .fold(0_u32, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        for at in 0..4 {
            match at <= group.len() {
                true => text.push(DIGITS[(bits >> (18 - 6 * at) & 63) as usize].into()),
                false => text.push('='),
            }
        }
    }
    text
}

fn text(status: u16, kind: &'static str, text: String) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(text)));
    *answer.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    answer
        .headers_mut()
        .insert("content-type", HeaderValue::from_static(kind));
    answer
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_has_padding() {
        assert_eq!(base64(b""), "");
        assert_eq!(base64(b"f"), "Zg==");
        assert_eq!(base64(b"fo"), "Zm8=");
        assert_eq!(base64(b"foobar"), "Zm9vYmFy");
    }
}
