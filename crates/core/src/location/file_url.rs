//! Paths of `file://` URLs.

use std::ffi::OsString;
use std::fmt::Write;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use url::Url;

use crate::error::{Error, Result};

pub(super) use crate::remote_settings::url::scheme;

/// The path of `file:path`, a file URL that lacks its slashes.
pub(super) fn without_slashes(text: &str) -> Option<&str> {
    let (scheme, path) = text.split_once(':')?;
    (scheme.eq_ignore_ascii_case("file") && !path.starts_with("//")).then_some(path)
}

/// The path of a `file://` URL without its fragment. Its host is empty or `localhost`. With `relative`, other text in
/// the host's place begins a relative path, as netCDF-C reads it. Characters that a URL should escape are accepted,
/// since users type them; a file has neither query nor fragment.
///
/// # Errors
/// A URL of another host, or one that is malformed.
pub(super) fn path(text: &str, relative: bool) -> Result<PathBuf> {
    let is_escape = |rest: &str| rest.len() >= 2 && rest.bytes().take(2).all(|b| b.is_ascii_hexdigit());
    if text.split('%').skip(1).any(|rest| !is_escape(rest)) {
        return Err(Error::Usage(
            "a % in a URL is followed by two hexadecimal digits".to_owned(),
        ));
    }
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or_default();
    if relative && !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        return Ok(PathBuf::from(unescaped(rest)));
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_control() || " ?#\\".contains(c) {
            let _ = write!(escaped, "%{:02X}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    let url = Url::parse(&escaped).map_err(|e| Error::Usage(format!("not a URL: {e}")))?;
    if let Some(host) = url.host_str() {
        return Err(Error::Usage(format!(
            "a file URL of another host, {host}; write file:///path for a file of this one"
        )));
    }
    url.to_file_path()
        .map_err(|()| Error::Usage("the URL names no file".to_owned()))
}

/// The bytes of a text with its `%XX` decoded. Each `%` has two hexadecimal digits after it.
fn unescaped(text: &str) -> OsString {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).unwrap_or((part, ""));
        bytes.extend(u8::from_str_radix(digits, 16));
        bytes.extend(rest.as_bytes());
    }
    OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    #[test]
    fn relative_paths_stand_where_a_host_would() {
        for (url, plain) in [
            ("file://results/x.file", "results/x.file"),
            ("file://x%20y.zarr", "x y.zarr"),
            ("file://../up/x", "../up/x"),
            ("file://./x/", "./x/"),
            ("file://localhost/x", "/x"),
            ("file:///x", "/x"),
            ("FILE://\u{e4}%C3%A4?#", "\u{e4}\u{e4}?#"),
        ] {
            assert_eq!(path(url, true).unwrap(), Path::new(plain), "{url}");
        }
        let raw = path("file://a%ff", true).unwrap();
        assert_eq!(raw, Path::new(OsStr::from_bytes(b"a\xff")));
        assert!(path("file://a%f", true).is_err());
        assert!(path("file://results/x", false).is_err());
    }
}
