//! [`Settings`]: how a remote store is reached, and where each setting is from.
//!
//! ```text
//!              ┌─► fragment: aws.profile, aws.region, aws.endpoint
//! RemoteUrl ───┤
//!              └─► host, port, path ─► RcFiles: .ncrc, .daprc, .dodsrc ─┐
//! Environment ─┬─► variables ───────────────────────────────────────────┼─► Settings
//!              └─► ~/.aws/config, credentials ─► ini ─► Profiles ───────┘
//! ```
//!
//! | setting | the first of |
//! | --- | --- |
//! | profile | `aws.profile=`, rc `AWS.PROFILE`, `AWS_PROFILE`, `default`; `no` and `none` are anonymous |
//! | credentials of S3 | a profile that the fragment or an rc file names, `AWS_ACCESS_KEY_ID`, the profile, and on AWS's hosts web identity, container, instance role; anonymous |
//! | region | host, `aws.region=`, rc `AWS.REGION`, profile, `AWS_REGION`, `AWS_DEFAULT_REGION`, us-east-1; `aws.region=` before the host of another server |
//! | endpoint | host, `aws.endpoint=`, rc `AWS.ENDPOINT`, `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, profile |
//!
//! A file or value that is malformed is an error that names it. Nothing is dropped silently.

mod aws;
mod azure;
mod chosen;
mod credential_process;
mod credentials;
mod endpoint;
mod google;
mod http;
mod ini;
mod keys;
mod netrc;
mod profiles;
mod proxy;
mod rc;
mod tls;

use std::path::PathBuf;

pub use chosen::Chosen;
pub use credential_process::{CredentialProcess, ProcessKeys};
pub use credentials::{Credentials, MetadataToken};
pub use endpoint::Endpoint;
pub use keys::AccessKeys;
pub use netrc::NetRc;
pub use proxy::Proxy;
pub use tls::{ClientCertificate, Roots, Tls};

use super::environment::Environment;
use super::secret::Secret;
use super::url::{Provider, RemoteUrl};
use crate::error::Result;
use profiles::Profiles;
use rc::RcFiles;

/// How a remote store is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// What requests are signed with.
    pub credentials: Chosen<Credentials>,
    /// The region of S3's signatures; `None` for other protocols.
    pub region: Option<Chosen<String>>,
    /// The account of Azure; `None` for other protocols.
    pub account: Option<Chosen<String>>,
    /// The server.
    pub endpoint: Chosen<Endpoint>,
    /// Which servers are trusted.
    pub tls: Tls,
    /// The proxy; `None` for direct requests.
    pub proxy: Option<Chosen<Proxy>>,
    /// Logins of other hosts, to which a server may redirect; only for HTTP.
    pub netrc: Option<Chosen<NetRc>>,
    /// The file in which cookies are kept; only for HTTP.
    pub cookies: Option<Chosen<PathBuf>>,
    /// What the user should know: lines that were not understood, a server that is not verified.
    pub warnings: Vec<String>,
}

impl Settings {
    /// The settings for a URL. Files are read, no request is made, and no program is run.
    ///
    /// # Errors
    /// A profile that is missing or incomplete; a file that cannot be read; a value that is malformed.
    pub fn of(url: &RemoteUrl, environment: &dyn Environment) -> Result<Self> {
        let mut rc = RcFiles::read(environment)?;
        let mut warnings = std::mem::take(&mut rc.warnings);
        let (mut region, mut account, mut netrc, mut cookies) = (None, None, None, None);
        let (endpoint, credentials) = match url.provider {
            Provider::S3 => {
                let mut profiles = Profiles::read(environment)?;
                warnings.append(&mut profiles.warnings);
                let (rc, profiles) = (&rc, &profiles);
                let sources = aws::Sources {
                    url,
                    rc,
                    profiles,
                    environment,
                };
                let (found, endpoint, credentials) = sources.settings()?;
                region = Some(found);
                (endpoint, credentials)
            }
            Provider::Gcs => google::settings(url, environment)?,
            Provider::Azure => {
                let (found, endpoint, credentials) = azure::settings(url, environment)?;
                account = Some(found);
                (endpoint, credentials)
            }
            Provider::Http => {
                netrc = http::netrc(url, &rc, environment)?;
                cookies = http::cookies(url, &rc, environment);
                let server = url.server.as_ref().map(|server| Endpoint::of_server(server, ""));
                let endpoint =
                    server.ok_or_else(|| crate::error::Error::Usage("the URL has no host".to_owned()))?;
                let credentials = http::credentials(url, &rc, netrc.as_ref())?;
                (Chosen::new(endpoint, "the URL"), credentials)
            }
        };
        let tls = Tls::of(url, &rc, environment)?;
        if !tls.verify.value {
            warnings.push(format!(
                "the server's certificate is not verified ({}), so anybody can take its place",
                tls.verify.from
            ));
        }
        let proxy = proxy::of(url, &endpoint.value.root, &rc, environment)?;
        Ok(Self {
            credentials,
            region,
            account,
            endpoint,
            tls,
            proxy,
            netrc,
            cookies,
            warnings,
        })
    }

    /// The URL of a request for a key below the dataset's, which is empty for the dataset itself. It is secret, as it
    /// may hold a signature.
    pub fn request_url(&self, url: &RemoteUrl, key: &str) -> Secret {
        if url.provider == Provider::Http {
            return http_url(&self.http_front(url), key, url.query.as_ref()).into();
        }
        let key = match (url.key.as_str(), key) {
            (whole, "") => whole.to_owned(),
            ("", key) => key.to_owned(),
            (front, key) => format!("{front}/{key}"),
        };
        self.endpoint.value.url_of(&url.bucket, &key).into()
    }

    /// The URL of a dataset on a plain HTTP server, up to the query.
    pub(crate) fn http_front(&self, url: &RemoteUrl) -> Secret {
        format!("{}{}", self.endpoint.value.root, url.key).into()
    }

    /// What was chosen and why, a line each: for `--verbose`. It holds no secret.
    pub fn explanation(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "server {} (from {})",
            self.endpoint.value.root, self.endpoint.from
        )];
        lines.extend(self.region.as_ref().map(|region| format!("region {region}")));
        lines.extend(self.account.as_ref().map(|account| format!("account {account}")));
        lines.push(format!("credentials: {}", self.credentials));
        if let Some(proxy) = &self.proxy {
            lines.push(format!("proxy {} (from {})", proxy.value.server, proxy.from));
        }
        match &self.tls.roots.value {
            Roots::System => {}
            Roots::File(path) | Roots::Folder(path) => lines.push(format!(
                "certificates of authorities: {} (from {})",
                path.display(),
                self.tls.roots.from
            )),
        }
        if let Some(client) = &self.tls.client {
            let path = client.value.certificate.display();
            lines.push(format!("certificate of the user: {path} (from {})", client.from));
        }
        lines.extend(
            self.netrc
                .as_ref()
                .map(|netrc| format!("logins of other hosts (from {})", netrc.from)),
        );
        lines.extend(
            self.cookies
                .as_ref()
                .map(|file| format!("cookies in {} (from {})", file.value.display(), file.from)),
        );
        lines
    }
}

/// The URL of a key below that of a dataset on a plain HTTP server; the query stays behind it.
pub(crate) fn http_url(front: &Secret, key: &str, query: Option<&Secret>) -> String {
    let mut url = front.expose().to_owned();
    if !key.is_empty() {
        url.truncate(url.trim_end_matches('/').len());
        url.push_str(&Endpoint::escaped(key));
    }
    if let Some(query) = query {
        url.push('?');
        url.push_str(query.expose());
    }
    url
}

/// Why requests to Google and Azure are anonymous: `aws.profile=no`, which has no other meaning there.
fn asked_for_none(url: &RemoteUrl) -> Option<String> {
    let profile = url.asked.profile.as_deref()?;
    let is_none = ["no", "none"].iter().any(|no| profile.eq_ignore_ascii_case(no));
    is_none.then(|| format!("#aws.profile= is '{profile}'"))
}
