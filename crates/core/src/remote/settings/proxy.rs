//! [`Proxy`]: the server that requests go through.

use std::net::IpAddr;

use url::Url;

use super::super::environment::Environment;
use super::super::secret::Login;
use super::super::url::RemoteUrl;
use super::chosen::Chosen;
use super::rc::RcFiles;
use crate::error::{Error, Result};

/// The server that requests go through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proxy {
    /// `http://host:port` or `https://host:port`.
    pub server: String,
    /// User and password.
    pub login: Option<Login>,
}

/// The proxy for requests to a server, `scheme://host:port`. `HTTP.PROXY.SERVER`, then the variables, as curl reads them.
///
/// # Errors
/// A malformed URL of a proxy.
pub(super) fn of(
    url: &RemoteUrl,
    server: &str,
    rc: &RcFiles,
    environment: &dyn Environment,
) -> Result<Option<Chosen<Proxy>>> {
    let Ok(server) = Url::parse(server) else {
        return Ok(None);
    };
    let variable = |names: &[&'static str]| {
        let found = |name: &&'static str| Some(Chosen::new(environment.filled(name)?, *name));
        names.iter().find_map(found)
    };
    if variable(&["no_proxy", "NO_PROXY"]).is_some_and(|list| is_excepted(&server, &list.value)) {
        return Ok(None);
    }
    let in_rc = ["HTTP.PROXY.SERVER", "HTTP.PROXY_SERVER"]
        .into_iter()
        .find_map(|key| rc.get(key, url));
    let named = in_rc
        .map(|found| found.map(str::to_owned))
        .or_else(|| match server.scheme() {
            "https" => variable(&["https_proxy", "HTTPS_PROXY"]),
            // A web server puts a client's header into HTTP_PROXY.
            _ if environment.variable("REQUEST_METHOD").is_some() => variable(&["http_proxy"]),
            _ => variable(&["http_proxy", "HTTP_PROXY"]),
        });
    let Some(named) = named.or_else(|| variable(&["all_proxy", "ALL_PROXY"])) else {
        return Ok(None);
    };
    let proxy = parse(&named.value)
        .ok_or_else(|| Error::Usage(format!("{}: a proxy is http://host:port", named.from)))?;
    Ok(Some(Chosen::new(proxy, named.from)))
}

fn parse(text: &str) -> Option<Proxy> {
    let text = match text.contains("://") {
        true => text.to_owned(),
        false => format!("http://{text}"),
    };
    let url = Url::parse(&text).ok()?;
    let host = url
        .host_str()
        .filter(|_| ["http", "https"].contains(&url.scheme()))?;
    let decoded = |text: &str| -> Option<String> {
        let pair = format!("x={}", text.replace('+', "%2B"));
        let (_, value) = url::form_urlencoded::parse(pair.as_bytes()).next()?;
        Some(value.into_owned())
    };
    let login = match url.username() {
        "" => None,
        user => Some(Login {
            user: decoded(user)?,
            password: decoded(url.password().unwrap_or_default())?.into(),
        }),
    };
    let port = url.port_or_known_default()?;
    Some(Proxy {
        server: format!("{}://{host}:{port}", url.scheme()),
        login,
    })
}

/// True if a list of hosts, domains, addresses and networks holds a server.
fn is_excepted(server: &Url, list: &str) -> bool {
    let Some(host) = server.host_str() else {
        return false;
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let address: Option<IpAddr> = host.parse().ok();
    list.split([',', ' '])
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
        .any(|entry| {
            if entry == "*" {
                return true;
            }
            if let (Some(address), Some((network, bits))) = (address, entry.split_once('/')) {
                return is_within(address, network, bits);
            }
            let entry = match entry.rsplit_once(':') {
                // The colons of an IPv6 address are no port.
                Some((front, port)) if !front.contains(':') || front.ends_with(']') => {
                    if port.parse().ok() != server.port_or_known_default() {
                        return false;
                    }
                    front
                }
                _ => entry,
            };
            let entry = entry
                .trim_start_matches('[')
                .trim_end_matches(']')
                .trim_start_matches('*');
            let domain = entry.trim_start_matches('.').to_ascii_lowercase();
            if domain.is_empty() {
                return false;
            }
            match host.strip_suffix(domain.as_str()) {
                Some("") => true,
                Some(front) => address.is_none() && front.ends_with('.'),
                None => false,
            }
        })
}

/// True if an address is in a network, `10.0.0.0/8`.
fn is_within(address: IpAddr, network: &str, bits: &str) -> bool {
    let (Ok(network), Ok(bits)) = (network.parse::<IpAddr>(), bits.parse::<u32>()) else {
        return false;
    };
    match (address, network) {
        (IpAddr::V4(a), IpAddr::V4(n)) if bits <= 32 => {
            let differing = a.to_bits() ^ n.to_bits();
            differing.checked_shr(32 - bits).unwrap_or(0) == 0
        }
        (IpAddr::V6(a), IpAddr::V6(n)) if bits <= 128 => {
            let differing = a.to_bits() ^ n.to_bits();
            differing.checked_shr(128 - bits).unwrap_or(0) == 0
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_servers_need_no_proxy() {
        for (list, server, expected) in [
            ("*", "https://h", true),
            ("", "https://h", false),
            ("h", "https://h", true),
            ("example.org", "https://data.example.org", true),
            (".example.org", "https://data.example.org", true),
            ("*.example.org", "https://data.example.org", true),
            ("example.org", "https://badexample.org", false),
            ("a, Example.org", "https://example.org", true),
            ("h:443", "https://h", true),
            ("h:444", "https://h", false),
            ("10.0.0.0/8", "http://10.1.2.3", true),
            ("10.0.0.0/8", "http://11.1.2.3", false),
            ("0.0.0.0/0", "http://11.1.2.3", true),
            ("127.0.0.1", "http://127.0.0.1:9000", true),
            ("0.0.1", "http://127.0.0.1", false),
            ("::1", "http://[::1]:9000", true),
            ("fd00::/8", "http://[fd00::5]", true),
            ("10.0.0.0/99", "http://10.1.2.3", false),
        ] {
            let server = Url::parse(server).unwrap();
            assert_eq!(is_excepted(&server, list), expected, "{list} {server}");
        }
    }

    #[test]
    fn proxies_are_parsed() {
        let proxy = parse("http://u:p%40+@h:3128/").unwrap();
        assert_eq!(proxy.server, "http://h:3128");
        let login = proxy.login.unwrap();
        assert_eq!((login.user.as_str(), login.password.expose()), ("u", "p@+"));
        assert_eq!(parse("h:3128").unwrap().server, "http://h:3128");
        assert_eq!(parse("https://h").unwrap().server, "https://h:443");
        for text in ["socks5://h:1", "", "http://", "ftp://h"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
