//! The authority of a URL: `user:password@host:port`.

use url::Host;

use ncutils_model::Result;
use ncutils_model::error::usage;

/// The parts of an authority.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Authority<'a> {
    /// What is in front of the `@`, not decoded.
    pub(super) user: Option<&'a str>,
    /// The host in lower case, an IPv6 address in brackets. Numbers are IPv4 addresses in their usual form.
    pub(super) host: String,
    pub(super) port: Option<u16>,
}

/// Parses an authority. Messages hold nothing of it, since it may have a password.
///
/// # Errors
/// No host, or a malformed host or port.
pub(super) fn parse(text: &str) -> Result<Authority<'_>> {
    let (user, rest) = match text.rsplit_once('@') {
        Some((user, rest)) => (Some(user), rest),
        None => (None, text),
    };
    // The colons of an IPv6 address are within its brackets.
    let after_bracket = rest.rfind(']').map_or(0, |at| at + 1);
    let (host, port) = match rest[after_bracket..].split_once(':') {
        Some((front, port)) => (&rest[..after_bracket + front.len()], Some(port)),
        None => (rest, None),
    };
    let port = match port {
        None => None,
        Some(port) => {
            let is_number = port.bytes().all(|b| b.is_ascii_digit());
            match port.parse().ok().filter(|&port| is_number && port > 0) {
                Some(port) => Some(port),
                None => {
                    return usage(
                        "what follows the host's colon is no port; escape a : or @ of a password by %3A, %40",
                    );
                }
            }
        }
    };
    if host.is_empty() {
        return usage("the URL has no host");
    }
    let host = Host::parse(host).or_else(|_| usage("the URL's host is not valid"))?;
    Ok(Authority {
        user,
        host: host.to_string(),
        port,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authorities() {
        for (text, user, host, port) in [
            ("Example.ORG", None, "example.org", None),
            ("h:80", None, "h", Some(80)),
            ("u:p@h:80", Some("u:p"), "h", Some(80)),
            ("u:a@b@h", Some("u:a@b"), "h", None),
            ("[::1]:9000", None, "[::1]", Some(9000)),
            ("[0:0:0:0:0:0:0:1]", None, "[::1]", None),
            ("0x7f.1", None, "127.0.0.1", None),
            ("2130706433:1", None, "127.0.0.1", Some(1)),
        ] {
            let host = host.to_owned();
            assert_eq!(parse(text).unwrap(), Authority { user, host, port }, "{text}");
        }
        for text in [
            "", ":80", "h:", "h:0", "h:65536", "h:+1", "h:x", "[::1", "a b", "h\r\nX", "u@",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
