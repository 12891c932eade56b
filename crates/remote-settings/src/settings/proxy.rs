//! [`Proxy`]: the server that requests go through.

use std::net::IpAddr;

use ipnet::IpNet;
use percent_encoding::percent_decode_str;
use url::Url;

use super::chosen::Chosen;
use super::sources::Sources;
use crate::secret::Login;
use ncutils_model::Result;
use ncutils_model::error::usage;

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
pub(super) fn of(sources: &Sources<'_>, server: &str) -> Result<Option<Chosen<Proxy>>> {
    let Ok(server) = Url::parse(server) else {
        return Ok(None);
    };
    let exceptions = sources.variable(&["no_proxy", "NO_PROXY"]);
    if exceptions.is_some_and(|list| is_excepted(&server, &list.value)) {
        return Ok(None);
    }
    let variables: &[&str] = match server.scheme() {
        "https" => &["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
        // A web server puts a client's header into HTTP_PROXY.
        _ if sources.environment.variable("REQUEST_METHOD").is_some() => {
            &["http_proxy", "all_proxy", "ALL_PROXY"]
        }
        _ => &["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
    };
    let named = sources.rc(&["HTTP.PROXY.SERVER", "HTTP.PROXY_SERVER"]);
    let Some(named) = named.or_else(|| sources.variable(variables)) else {
        return Ok(None);
    };
    match parse(&named.value) {
        Some(proxy) => Ok(Some(Chosen::new(proxy, named.from))),
        None => usage(format!("{}: a proxy is http://host:port", named.from)),
    }
}

fn parse(text: &str) -> Option<Proxy> {
    let text = match text.contains("://") {
        true => text.to_owned(),
        false => format!("http://{text}"),
    };
    let url = Url::parse(&text).ok()?;
    let is_http = ["http", "https"].contains(&url.scheme());
    let host = url.host_str().filter(|_| is_http)?;
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let login = (!url.username().is_empty()).then(|| Login {
        user: decoded(url.username()),
        password: decoded(url.password().unwrap_or_default()).into(),
    });
    let port = url.port_or_known_default()?;
    let server = format!("{}://{host}:{port}", url.scheme());
    Some(Proxy { server, login })
}

/// True if a list of hosts, domains, addresses and networks holds a server.
fn is_excepted(server: &Url, list: &str) -> bool {
    let Some(host) = server.host_str() else {
        return false;
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let address: Option<IpAddr> = host.parse().ok();
    let holds = |entry: &str| {
        if entry == "*" {
            return true;
        }
        if let (Some(address), true) = (address, entry.contains('/')) {
            return entry
                .parse()
                .is_ok_and(|network: IpNet| network.contains(&address));
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
        let domain = entry
            .trim_matches(['[', ']'])
            .trim_start_matches(['*', '.'])
            .to_ascii_lowercase();
        match host.strip_suffix(domain.as_str()) {
            _ if domain.is_empty() => false,
            Some("") => true,
            Some(front) => address.is_none() && front.ends_with('.'),
            None => false,
        }
    };
    list.split([',', ' '])
        .filter(|entry| !entry.is_empty())
        .any(holds)
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
