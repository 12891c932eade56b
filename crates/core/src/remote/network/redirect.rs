//! Where a redirect may lead.

use std::collections::HashMap;

use url::{Host, Url};

use super::resolver::Resolver;

/// Most redirects of one request.
pub(super) const MOST_REDIRECTS: usize = 5;

/// Where a redirect from one URL leads.
///
/// # Errors
/// The reason why it is not followed. It holds no path and no query of the target.
pub(super) fn target(from: &Url, location: &str, resolver: &Resolver) -> Result<Url, String> {
    let mut to = from
        .join(location)
        .map_err(|_| "the server redirects to a place that is no URL".to_owned())?;
    // A server has no say in who asks, and what it writes there must not be logged.
    let _ = (to.set_username(""), to.set_password(None));
    if !matches!(to.scheme(), "http" | "https") {
        return Err(format!(
            "the server redirects to {}:, which is not followed",
            to.scheme()
        ));
    }
    if from.scheme() == "https" && to.scheme() == "http" {
        return Err(format!(
            "the server redirects from https to http ({}), which is not followed",
            to.host_str().unwrap_or_default()
        ));
    }
    let (Some(from_host), Some(to_host)) = (from.host_str(), to.host_str()) else {
        return Err("the server redirects to a URL without a host".to_owned());
    };
    if from_host != to_host && !resolver.is_private(from_host) {
        resolver
            .allow_public_only(to_host)
            .map_err(|why| format!("{why} ({to_host}), which is not followed"))?;
    }
    if from_host != to_host {
        resolver
            .never_link_local(to_host)
            .map_err(|why| format!("{why} ({to_host}), which is not followed"))?;
    }
    Ok(to)
}

/// Most URLs whose redirects are remembered.
const MOST_MOVED: usize = 1000;

/// Where redirects led, so that each range of an object needs not be redirected again.
#[derive(Default)]
pub(super) struct Moved(HashMap<Url, Url>);

impl Moved {
    /// Notes that redirects from one URL led to another, which answered.
    pub(super) fn note(&mut self, from: &Url, to: &Url) {
        if self.0.len() < MOST_MOVED {
            self.0.insert(from.clone(), to.clone());
        }
    }

    /// Where redirects from a URL led.
    pub(super) fn find(&self, from: &Url) -> Option<Url> {
        self.0.get(from).cloned()
    }

    /// Forgets where redirects from a URL led: it may have ended, as signed URLs do.
    pub(super) fn forget(&mut self, from: &Url) {
        self.0.remove(from);
    }
}

impl std::fmt::Debug for Moved {
    // A URL may hold a signature.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Moved({})", self.0.len())
    }
}

/// True if credentials for one URL may go to another: scheme, host and port are the same.
pub(super) fn same_server(one: &Url, other: &Url) -> bool {
    one.scheme() == other.scheme()
        && one.host_str() == other.host_str()
        && one.port_or_known_default() == other.port_or_known_default()
}

/// True for an address of this machine itself, or `localhost`.
pub(super) fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_redirects_are_followed() {
        for (from, location, expected) in [
            ("https://a.org/x", "/y?z", Ok("https://a.org/y?z")),
            ("https://a.org/x", "https://b.org/y", Ok("https://b.org/y")),
            ("http://a.org/x", "https://a.org/x", Ok("https://a.org/x")),
            (
                "http://127.0.0.1:1/x",
                "http://127.0.0.1:2/y",
                Ok("http://127.0.0.1:2/y"),
            ),
            (
                "http://10.0.0.1/x",
                "http://192.168.0.1/y",
                Ok("http://192.168.0.1/y"),
            ),
            (
                "https://a.org/x",
                "http://a.org/x",
                Err("from https to http (a.org)"),
            ),
            ("https://a.org/x", "file:///etc/passwd", Err("redirects to file:")),
            ("https://a.org/x", "ftp://a.org/x", Err("redirects to ftp:")),
            (
                "http://a.org/x",
                "http://127.0.0.1/x",
                Err("private address (127.0.0.1)"),
            ),
            (
                "http://a.org/x",
                "http://169.254.169.254/latest",
                Err("private address"),
            ),
            (
                "http://a.org/x",
                "http://localhost:9000/x",
                Err("private address (localhost)"),
            ),
            ("http://a.org/x", "http://[::1]/x", Err("private address")),
            (
                "http://a.org/x",
                "http://0x7f.1/x",
                Err("private address (127.0.0.1)"),
            ),
            (
                "http://a.org/x",
                "http://2130706433/x",
                Err("private address (127.0.0.1)"),
            ),
            ("http://a.org/x", "http://", Err("no URL")),
            ("http://a.org/x", "http://u:p@b.org/y", Ok("http://b.org/y")),
            (
                "http://10.0.0.1/x",
                "http://169.254.169.254/latest",
                Err("address of this link (169.254.169.254)"),
            ),
            (
                "http://[::1]/x",
                "http://[fe80::1]/y",
                Err("address of this link"),
            ),
            (
                "http://[::1]/x",
                "http://[fd00:ec2::254]/y",
                Err("address of this link"),
            ),
            ("http://169.254.1.1/x", "/y", Ok("http://169.254.1.1/y")),
        ] {
            let found = target(&Url::parse(from).unwrap(), location, &Resolver::default());
            match (found, expected) {
                (Ok(url), Ok(expected)) => assert_eq!(url.as_str(), expected),
                (Err(why), Err(part)) => assert!(why.contains(part), "{location}: {why}"),
                (found, _) => panic!("{location}: {found:?}"),
            }
        }
    }

    #[test]
    fn credentials_stay_with_their_server() {
        let same = |a: &str, b: &str| same_server(&Url::parse(a).unwrap(), &Url::parse(b).unwrap());
        assert!(same("https://a/x", "https://a:443/y"));
        assert!(!same("https://a/x", "https://a:444/x"));
        assert!(!same("https://a/x", "http://a/x"));
        assert!(!same("https://a/x", "https://b/x"));
    }
}
