//! Headers of answers: texts, dates of HTTP (RFC 9110, section 5.6.7) and of keys (RFC 3339).

use chrono::{DateTime, NaiveDateTime, Utc};
use http::HeaderMap;
use http::header::AsHeaderName;

/// The text of a header.
pub(crate) fn text(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// The date of `Sun, 06 Nov 1994 08:49:37 GMT` or of `1994-11-06T08:49:37Z`, also with fractions and an offset.
pub(crate) fn date(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    let of_http = NaiveDateTime::parse_from_str(text, "%a, %d %b %Y %H:%M:%S GMT").map(|date| date.and_utc());
    of_http
        .or_else(|_| DateTime::parse_from_rfc3339(text).map(|date| date.to_utc()))
        .ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn dates_are_seconds() {
        for (text, expected) in [
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777)),
            ("1994-11-06T08:49:37Z", Some(784_111_777)),
            ("1994-11-06T09:49:37.25+01:00", Some(784_111_777)),
            ("1994-11-06 07:49:37-01:00", Some(784_111_777)),
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2000-02-29T00:00:00Z", Some(951_782_400)),
            ("2024-12-31T23:59:60Z", Some(1_735_689_599)),
            ("Sun, 06 Nov 1994 08:49:37 CET", None),
            ("1994-13-06T08:49:37Z", None),
            ("2000-01-01T00:00:00-2562047788015215:00", None),
            ("2000-01-01T00:00:00+9223372036854775807:00", None),
            ("2000-01-01T00:00:00+-1:00", None),
            ("1994-11-06T08:49Z", None),
            ("soon", None),
            ("99999-01-01T00:00:00Z", None),
        ] {
            assert_eq!(super::date(text).map(|date| date.timestamp()), expected, "{text}");
        }
    }
}
