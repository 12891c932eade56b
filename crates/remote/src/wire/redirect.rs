//! [`Redirects`]: where redirects may lead, and what is sent there.

use std::collections::HashMap;
use std::sync::Arc;

use http::header::{ACCEPT_ENCODING, AUTHORIZATION, HeaderMap, HeaderValue};
use http::{Method, StatusCode};
use object_store::client::{HttpRequest, HttpRequestBody, HttpResponse};
use parking_lot::Mutex;
use url::{Host, Url};

use super::fault::Fault;
use super::headers::text;
use super::known_secrets::{KnownSecrets, basic};
use crate::secret::Login;
use crate::settings::NetRc;
use crate::transport::{Limit, Resolver};

/// Most redirects of one request.
const MOST_REDIRECTS: usize = 5;

/// Most URLs whose redirects are remembered.
const MOST_MOVED: usize = 1000;

/// How requests to a plain server follow redirects.
pub(crate) struct Redirects {
    /// The login of the URL's own server.
    login: Option<Login>,
    /// Logins of other hosts.
    logins: Option<NetRc>,
    resolver: Resolver,
    /// Where redirects from a URL led, so that each range of an object needs not be redirected again.
    moved: Mutex<HashMap<Url, Url>>,
}

/// A request that may be redirected.
pub(crate) struct Redirected {
    origin: Url,
    at: Url,
    method: Method,
    headers: HeaderMap,
    hops: usize,
}

impl Redirected {
    /// # Errors
    /// A URL that is malformed.
    pub(crate) fn of(request: &HttpRequest) -> Result<Self, Fault> {
        let origin = Url::parse(&request.uri().to_string())
            .map_err(|_| Fault::Redirect("the URL of a request is malformed".to_owned()))?;
        Ok(Self {
            at: origin.clone(),
            origin,
            method: request.method().clone(),
            headers: request.headers().clone(),
            hops: 0,
        })
    }
}

impl Redirects {
    pub(crate) fn new(login: Option<Login>, logins: Option<NetRc>, resolver: Resolver) -> Arc<Self> {
        Arc::new(Self {
            login,
            logins,
            resolver,
            moved: Mutex::default(),
        })
    }

    /// The login for the request's own server.
    pub(crate) fn sign(&self, headers: &mut HeaderMap, secrets: &KnownSecrets) -> Result<(), Fault> {
        match &self.login {
            Some(login) => add_login(headers, login, secrets),
            None => Ok(()),
        }
    }

    /// The request to where earlier redirects led.
    ///
    /// # Errors
    /// A URL or a login that cannot be sent.
    pub(crate) fn remembered(
        &self,
        request: &Redirected,
        secrets: &KnownSecrets,
    ) -> Result<Option<HttpRequest>, Fault> {
        let at = self.moved.lock().get(&request.origin).cloned();
        at.map(|at| self.led(request, &at, secrets)).transpose()
    }

    /// Notes whether the place answered that redirects led to. One that did not is forgotten: it may have ended, as signed URLs do.
    pub(crate) fn note(&self, request: &Redirected, status: StatusCode) {
        let mut moved = self.moved.lock();
        if !status.is_success() {
            moved.remove(&request.origin);
        } else if request.hops > 0 && moved.len() < MOST_MOVED {
            moved.insert(request.origin.clone(), request.at.clone());
        }
    }

    /// The next request, after an answer that redirects.
    ///
    /// # Errors
    /// A redirect that is not followed.
    pub(crate) fn next(
        &self,
        request: &mut Redirected,
        response: &HttpResponse,
        secrets: &KnownSecrets,
    ) -> Result<HttpRequest, Fault> {
        if request.hops == MOST_REDIRECTS {
            let why = format!("the server redirects more than {MOST_REDIRECTS} times");
            return Err(Fault::Redirect(why));
        }
        request.hops += 1;
        let Some(location) = text(response.headers(), "location") else {
            let why = "the server redirects and does not say where";
            return Err(Fault::Redirect(why.to_owned()));
        };
        request.at = target(&request.at, location, &self.resolver).map_err(Fault::Redirect)?;
        self.led(request, &request.at, secrets)
    }

    /// The request to where redirects led. Credentials stay with their host.
    fn led(&self, request: &Redirected, at: &Url, secrets: &KnownSecrets) -> Result<HttpRequest, Fault> {
        let mut next = HttpRequest::new(HttpRequestBody::empty());
        *next.method_mut() = request.method.clone();
        let headers = next.headers_mut();
        *headers = request.headers.clone();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        headers.remove(AUTHORIZATION);
        let login = match same_server(&request.origin, at) {
            true => self.login.as_ref(),
            // The server chooses the target of a redirect. A login is sent only to a host that the file names, and only over TLS
            // or within this machine.
            false => self
                .logins
                .as_ref()
                .filter(|_| at.scheme() == "https" || is_this_machine(at))
                .and_then(|logins| logins.login_of_host(at.host_str()?)),
        };
        if let Some(login) = login {
            add_login(headers, login, secrets)?;
        }
        let uri = at.as_str().split('#').next().unwrap_or_default();
        *next.uri_mut() = uri
            .parse()
            .map_err(|_| Fault::Redirect("the server redirects to a place that is no URL".to_owned()))?;
        Ok(next)
    }
}

/// Adds the header that names a user to a server.
fn add_login(headers: &mut HeaderMap, login: &Login, secrets: &KnownSecrets) -> Result<(), Fault> {
    secrets.add_login(login);
    let value = HeaderValue::try_from(format!("Basic {}", basic(login)));
    let cannot = |_| Fault::Redirect("the user's name or password cannot be sent".to_owned());
    headers.insert(AUTHORIZATION, value.map_err(cannot)?);
    Ok(())
}

/// Where a redirect from one URL leads.
///
/// # Errors
/// The reason why it is not followed. It holds no path and no query of the target.
fn target(from: &Url, location: &str, resolver: &Resolver) -> Result<Url, String> {
    let to = from.join(location);
    let mut to = to.map_err(|_| "the server redirects to a place that is no URL".to_owned())?;
    // A server has no say in who asks, and what it writes there must not be logged.
    let _ = (to.set_username(""), to.set_password(None));
    let host = to.host_str().unwrap_or_default();
    match (from.scheme(), to.scheme()) {
        ("https", "http") => Err(format!(
            "the server redirects from https to http ({host}), which is not followed"
        )),
        (_, "http" | "https") => Ok(()),
        (_, scheme) => Err(format!(
            "the server redirects to {scheme}:, which is not followed"
        )),
    }?;
    let (Some(from_host), Some(to_host)) = (from.host_str(), to.host_str()) else {
        return Err("the server redirects to a URL without a host".to_owned());
    };
    if from_host != to_host {
        let limit = match resolver.is_private(from_host) {
            true => Limit::NotLinkLocal,
            false => Limit::Public,
        };
        let limited = resolver.limit(to_host, limit);
        limited.map_err(|why| format!("{why} ({to_host}), which is not followed"))?;
    }
    Ok(to)
}

/// True if credentials for one URL may go to another: scheme, host and port are the same.
fn same_server(one: &Url, other: &Url) -> bool {
    one.origin() == other.origin()
}

/// True for an address of this machine itself, or `localhost`.
fn is_this_machine(url: &Url) -> bool {
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
