//! [`Redirects`]: where redirects may lead, and what is sent there.

use std::collections::HashMap;
use std::sync::Arc;

use http::StatusCode;
use http::header::{AUTHORIZATION, HeaderValue};
use object_store::client::{HttpRequest, HttpResponse};
use parking_lot::Mutex;
use url::{Host, Url};

use super::failure::Failure;
use super::headers::text;
use super::known_secrets::{KnownSecrets, basic};
use crate::transport::{Limit, Resolver};
use ncutils_remote_settings::Login;
use ncutils_remote_settings::settings::NetRc;

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

impl Redirects {
    pub(crate) fn new(login: Option<Login>, logins: Option<NetRc>, resolver: Resolver) -> Arc<Self> {
        Arc::new(Self {
            login,
            logins,
            resolver,
            moved: Mutex::default(),
        })
    }

    /// Makes a request by `send`, and follows its redirects. What fails where earlier redirects led is asked for at the origin
    /// again: that place may have ended, as signed URLs do.
    ///
    /// # Errors
    /// Those of `send`; a redirect that is not followed.
    pub(crate) async fn followed<F: Future<Output = Result<HttpResponse, Failure>>>(
        &self,
        request: &HttpRequest,
        secrets: &KnownSecrets,
        send: impl Fn(HttpRequest) -> F,
    ) -> Result<HttpResponse, Failure> {
        let origin = Url::parse(&request.uri().to_string())
            .map_err(|_| Failure::last("the URL of a request is malformed"))?;
        let known = self.moved.lock().get(&origin).cloned();
        if let Some(at) = known {
            let response = send(self.led(request, &origin, &at, secrets)?).await?;
            if response.status().is_success() {
                return Ok(response);
            }
            self.moved.lock().remove(&origin);
        }
        let mut at = origin.clone();
        for _ in 0..=MOST_REDIRECTS {
            let response = send(self.led(request, &origin, &at, secrets)?).await?;
            if !is_redirect(&response) {
                let mut moved = self.moved.lock();
                if at != origin && response.status().is_success() && moved.len() < MOST_MOVED {
                    moved.insert(origin, at);
                }
                return Ok(response);
            }
            check_region(&response)?;
            let location = text(response.headers(), "location")
                .ok_or_else(|| Failure::last("the server redirects and does not say where"))?;
            at = target(&at, location, &self.resolver).map_err(Failure::last)?;
        }
        let why = format!("the server redirects more than {MOST_REDIRECTS} times");
        Err(Failure::last(why))
    }

    /// The request at a place to which redirects led, or at its origin. Credentials stay with their host.
    fn led(
        &self,
        request: &HttpRequest,
        origin: &Url,
        at: &Url,
        secrets: &KnownSecrets,
    ) -> Result<HttpRequest, Failure> {
        let mut request = request.clone();
        let login = match same_server(origin, at) {
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
            secrets.add_login(login);
            let value = HeaderValue::try_from(format!("Basic {}", basic(login)))
                .map_err(|_| Failure::last("the user's name or password cannot be sent"))?;
            request.headers_mut().insert(AUTHORIZATION, value);
        }
        // The URL of the origin stays as it was typed.
        if at != origin {
            let uri = at.as_str().split('#').next().unwrap_or_default();
            *request.uri_mut() = uri
                .parse()
                .map_err(|_| Failure::last("the server redirects to a place that is no URL"))?;
        }
        Ok(request)
    }
}

/// True for an answer that redirects.
pub(super) fn is_redirect(response: &HttpResponse) -> bool {
    response.status().is_redirection() && response.status() != StatusCode::NOT_MODIFIED
}

/// Finds the region of a bucket to which S3 redirects.
///
/// # Errors
/// That region, if there is one.
pub(super) fn check_region(response: &HttpResponse) -> Result<(), Failure> {
    match text(response.headers(), "x-amz-bucket-region") {
        Some(region) => Err(Failure::other_region(region)),
        None => Ok(()),
    }
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
