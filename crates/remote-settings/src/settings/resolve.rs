//! [`Settings::of`]: the settings for a URL.

use super::chosen::Chosen;
use super::credential_kinds::Credentials;
use super::proxy::{self, Proxy};
use super::rc_files::RcFiles;
use super::sources::{OfProvider, Sources};
use super::tls::{Roots, Tls};
use super::{azure, gcs, http, s3};
use crate::environment::Environment;
use crate::secret::Secret;
use crate::url::{Endpoint, Provider, RemoteUrl, escaped, joined};
use ncutils_model::Result;

/// How a remote store is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// What requests are signed with.
    pub credentials: Chosen<Credentials>,
    /// The server.
    pub endpoint: Chosen<Endpoint>,
    /// What only stores of this provider have.
    pub of_provider: OfProvider,
    /// Which servers are trusted.
    pub tls: Tls,
    /// The proxy; `None` for direct requests.
    pub proxy: Option<Chosen<Proxy>>,
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
        let rc = &rc;
        let sources = &Sources { url, rc, environment };
        let (of_provider, endpoint, credentials) = match url.provider() {
            Provider::S3 => s3::settings(sources, &mut warnings),
            Provider::Gcs => gcs::settings(sources),
            Provider::Azure => azure::settings(sources),
            Provider::Http => http::settings(sources),
        }?;
        let tls = Tls::of(sources)?;
        if !tls.verify.value {
            warnings.push(format!(
                "the server's certificate is not verified ({}), so anybody can take its place",
                tls.verify.from
            ));
        }
        let proxy = proxy::of(sources, &endpoint.value.root)?;
        Ok(Self {
            credentials,
            endpoint,
            of_provider,
            tls,
            proxy,
            warnings,
        })
    }

    /// The region of S3's signatures; empty for other providers.
    pub fn region(&self) -> &str {
        match &self.of_provider {
            OfProvider::S3 { region } => &region.value,
            _ => "",
        }
    }

    /// The URL of a request for a key below the dataset's, which is empty for the dataset itself. It is secret, as it
    /// may hold a signature.
    pub fn request_url(&self, url: &RemoteUrl, key: &str) -> Secret {
        if url.provider() == Provider::Http {
            return http_url(&self.http_front(url), key, url.query()).into();
        }
        self.endpoint
            .value
            .url_of(&url.bucket, &joined(&url.key, key))
            .into()
    }

    /// The URL of a dataset on a plain HTTP server, up to the query.
    pub fn http_front(&self, url: &RemoteUrl) -> Secret {
        format!("{}{}", self.endpoint.value.root, url.key).into()
    }

    /// What was chosen and why, a line each: for `--verbose`. It holds no secret.
    pub fn explanation(&self) -> Vec<String> {
        let root = &self.endpoint.value.root;
        let mut lines = vec![format!("server {root} (from {})", self.endpoint.from)];
        match &self.of_provider {
            OfProvider::S3 { region } => lines.push(format!("region {region}")),
            OfProvider::Azure { account } => lines.push(format!("account {account}")),
            OfProvider::Gcs | OfProvider::Http { .. } => {}
        }
        lines.push(format!("credentials: {}", self.credentials));
        if let Some(proxy) = &self.proxy {
            lines.push(format!("proxy {} (from {})", proxy.value.server, proxy.from));
        }
        if let Roots::File(path) | Roots::Folder(path) = &self.tls.roots.value {
            let (path, from) = (path.display(), &self.tls.roots.from);
            lines.push(format!("certificates of authorities: {path} (from {from})"));
        }
        if let Some(client) = &self.tls.client {
            let path = client.value.certificate.display();
            lines.push(format!("certificate of the user: {path} (from {})", client.from));
        }
        if let OfProvider::Http { netrc, cookies } = &self.of_provider {
            let netrc = netrc
                .iter()
                .map(|netrc| format!("logins of other hosts (from {})", netrc.from));
            let cookies = cookies.iter();
            let cookies =
                cookies.map(|file| format!("cookies in {} (from {})", file.value.display(), file.from));
            lines.extend(netrc.chain(cookies));
        }
        lines
    }
}

/// The URL of a key below that of a dataset on a plain HTTP server; the query stays behind it.
pub fn http_url(front: &Secret, key: &str, query: Option<&Secret>) -> String {
    let mut url = front.expose().to_owned();
    if !key.is_empty() {
        url.truncate(url.trim_end_matches('/').len());
        url.push_str(&escaped(key));
    }
    if let Some(query) = query {
        url.push('?');
        url.push_str(query.expose());
    }
    url
}
