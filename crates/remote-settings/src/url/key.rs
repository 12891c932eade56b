//! Buckets and keys of a URL, checked before they get into a request.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::remote_url::Provider;
use ncutils_model::Result;
use ncutils_model::error::usage;

/// Longest key of S3, Google and Azure, in bytes.
const LONGEST_KEY: usize = 1024;

/// Splits a path at its first slash into bucket and key. The path has no leading slash.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.split_once('/').unwrap_or((path, ""))
}

/// Checks the name of a bucket, or of a container of Azure.
///
/// # Errors
/// Characters that no such name has; a name of the wrong length.
pub(super) fn check_bucket(bucket: &str, provider: Provider) -> Result<()> {
    let what = provider.container();
    if bucket.is_empty() {
        return usage(format!("the URL names no {what}"));
    }
    let is_valid = match provider {
        Provider::Azure => {
            let name = bucket.strip_prefix('$').unwrap_or(bucket);
            let is_valid = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
            bucket.len() <= 63 && !name.is_empty() && name.bytes().all(is_valid)
        }
        // Old buckets of us-east-1 have capitals and underscores, and up to 255 letters.
        _ => {
            bucket.len() <= 255
                && !bucket.contains("..")
                && !bucket.starts_with(['.', '-'])
                && !bucket.ends_with('.')
                && bucket
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b".-_".contains(&b))
        }
    };
    match is_valid {
        true => Ok(()),
        false => usage(format!("'{}' is no name of a {what}", bucket.escape_debug())),
    }
}

/// The key of a path as it is typed after `s3://bucket/`, without slashes around it.
///
/// # Errors
/// A key with empty parts, `.` or `..`, or control characters, which servers and proxies read differently; one that is
/// too long.
pub(super) fn key(path: &str) -> Result<String> {
    let key = path.strip_suffix('/').unwrap_or(path);
    if key.len() > LONGEST_KEY {
        return usage(format!("the key has more than {LONGEST_KEY} bytes"));
    }
    let is_strange = |part: &str| matches!(part, "" | "." | "..") || part.chars().any(char::is_control);
    match !key.is_empty() && key.split('/').any(is_strange) {
        true => usage("the key has an empty part, . or .., or a control character"),
        false => Ok(key.to_owned()),
    }
}

/// The key of `key` below `prefix`. Each of them may be empty.
pub fn joined(prefix: &str, key: &str) -> String {
    match (prefix, key) {
        (whole, "") | ("", whole) => whole.to_owned(),
        (prefix, key) => format!("{prefix}/{key}"),
    }
}

/// What is left of a key below a prefix, which may be empty; `None` for a key that is not below it.
pub fn below<'a>(prefix: &str, key: &'a str) -> Option<&'a str> {
    match prefix {
        "" => Some(key),
        prefix => key.strip_prefix(prefix)?.strip_prefix('/'),
    }
}

/// What is escaped where nothing has a meaning of its own: all but letters, digits and `-._~` (RFC 3986, section 2.3).
pub const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// What is escaped in a key of an object store.
const IN_KEYS: &AsciiSet = &ESCAPED.remove(b'/');

/// What cannot stand in the path or query of a request.
const UNSENDABLE: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Decodes the `%XX` of a URL.
///
/// # Errors
/// A `%` without two digits; bytes that are not UTF-8.
pub fn decoded(text: &str) -> Result<String> {
    let is_escape = |rest: &str| rest.len() >= 2 && rest.bytes().take(2).all(|b| b.is_ascii_hexdigit());
    if !text.split('%').skip(1).all(is_escape) {
        return usage("a % in a URL is followed by two hexadecimal digits");
    }
    let decoded = percent_decode_str(text).decode_utf8().map(Cow::into_owned);
    decoded.or_else(|_| usage("the URL is not UTF-8 when it is decoded"))
}

/// A key as a part of a path, with a slash in front.
pub fn escaped(key: &str) -> String {
    format!("/{}", utf8_percent_encode(key, IN_KEYS))
}

/// A path or query as it is sent: what cannot stand in a request is escaped, the rest stays.
///
/// # Errors
/// Control characters, which are never meant.
pub(super) fn sendable(text: &str) -> Result<String> {
    match text.chars().any(char::is_control) {
        true => usage("the URL has a control character"),
        false => Ok(utf8_percent_encode(text, UNSENDABLE).to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_checked() {
        assert_eq!(key("a/b c%20?/").unwrap(), "a/b c%20?");
        assert_eq!(key("").unwrap(), "");
        assert!(key(&"x".repeat(1024)).is_ok());
        for path in ["/a", "a//b", "a/..", "./a", "a//", "a\nb"] {
            assert!(key(path).is_err(), "{path}");
        }
        assert!(key(&"x".repeat(1025)).is_err());
    }

    #[test]
    fn buckets_are_checked() {
        for name in ["b", "my.dotted-bucket", "Old_Bucket"] {
            assert!(check_bucket(name, Provider::S3).is_ok(), "{name}");
        }
        for name in ["", "a..b", ".a", "a.", "-a", "a b", "a%20", "\u{e4}", "a\r\n"] {
            assert!(check_bucket(name, Provider::S3).is_err(), "{name}");
        }
        for name in ["data", "$root", "a-1"] {
            assert!(check_bucket(name, Provider::Azure).is_ok(), "{name}");
        }
        for name in ["$", "A", "a.b", ""] {
            assert!(check_bucket(name, Provider::Azure).is_err(), "{name}");
        }
    }

    #[test]
    fn escapes() {
        assert_eq!(decoded("a%20b%C3%A4%2F").unwrap(), "a b\u{e4}/");
        for text in ["%", "%2", "%zz", "%\u{e4}x", "%ff"] {
            assert!(decoded(text).is_err(), "{text}");
        }
        assert_eq!(sendable("/a b%20\u{e4}[x]~").unwrap(), "/a%20b%20%C3%A4[x]~");
        assert!(sendable("a\r\nHost: x").is_err());
    }
}
