//! [`connect`]: from a URL and its settings to a [`Session`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::StatusCode;

use super::access_keys::{self, KeySource, check_header};
use super::http_store::HttpStore;
use super::secrets::secrets;
use super::shared_client::SharedClient;
use super::stores;
use crate::requests::{Recipe, RemoteStore, RetryConfig, Session};
use crate::transport::innermost;
use crate::wire::{Checksum, Failure, Meaning, Redirects, Service, clean};
use ncutils_model::{Error, Result};
use ncutils_remote_settings::settings::{Credentials, OfProvider, Settings};
use ncutils_remote_settings::url::{Provider, RemoteUrl};

/// Talks to the bucket, container or host of a URL, with at most `requests` requests under way. No request is made
/// yet, but for the role of an instance.
///
/// # Errors
/// Certificates, keys or other files of the settings that cannot be read.
pub fn connect(url: &RemoteUrl, settings: Settings, requests: usize) -> Result<Arc<Session>> {
    let root = &settings.endpoint.value.root;
    let shown = match url.provider() {
        Provider::Http => root.clone(),
        _ => format!("{} at {root}", url.bucket),
    };
    let shared = SharedClient::of(&settings, requests)?;
    let recipe = Connection::new(url, settings, &shared)?;
    let store = recipe.in_region(recipe.settings.region()).map_err(Error::Usage)?;
    let limiter = Arc::clone(&shared.limiter);
    Ok(Session::new(store, recipe, shown, limiter, RetryConfig::asked()))
}

/// How the store of a session is made, and made again.
struct Connection {
    url: RemoteUrl,
    settings: Settings,
    service: Service,
    /// What requests to S3 are signed with; `None` for anonymous ones, and for other providers.
    keys: Option<Arc<KeySource>>,
}

impl Connection {
    fn new(url: &RemoteUrl, settings: Settings, shared: &SharedClient) -> Result<Self> {
        let credentials = &settings.credentials.value;
        if let Credentials::Configured(found) = credentials
            && let Some(token) = found.secret_of("bearer_token")
        {
            check_header(token, "the token").map_err(Error::Usage)?;
        }
        let (redirects, checksum) = match &settings.of_provider {
            OfProvider::Http { netrc, .. } => {
                let login = match credentials {
                    Credentials::Login(login) => Some(login.clone()),
                    _ => None,
                };
                let logins = netrc.as_ref().map(|netrc| netrc.value.clone());
                (
                    Some(Redirects::new(login, logins, shared.resolver.clone())),
                    Checksum::Unsent,
                )
            }
            OfProvider::Gcs => (None, Checksum::Crc32c),
            OfProvider::Azure { account } => (None, stores::azure_checksum(&settings, &account.value)),
            OfProvider::S3 { .. } => (None, Checksum::Unsent),
        };
        let service = Service {
            client: shared.client.clone(),
            redirects,
            not_before: Arc::clone(&shared.not_before),
            checksum: Arc::new(checksum),
            secrets: Arc::new(secrets(url, &settings)?),
        };
        let keys = match &settings.of_provider {
            OfProvider::S3 { .. } => access_keys::keys(url, &settings, &service)?,
            _ => None,
        };
        let url = url.clone();
        Ok(Self {
            url,
            settings,
            service,
            keys,
        })
    }
}

impl Recipe for Connection {
    fn in_region(&self, region: &str) -> Result<Arc<dyn RemoteStore>, String> {
        // A server may name the region, which becomes a part of the host that gets the signed requests.
        let is_valid = |c: u8| c.is_ascii_alphanumeric() || c == b'-';
        if region.len() > 63 || !region.bytes().all(is_valid) {
            return Err(format!("'{}' is no region", clean(region)));
        }
        let Self {
            url,
            settings,
            service,
            keys,
        } = self;
        fn shared(store: impl RemoteStore) -> Arc<dyn RemoteStore> {
            Arc::new(store)
        }
        let store = match &settings.of_provider {
            OfProvider::S3 { .. } => stores::s3(url, settings, region, keys.as_ref(), service).map(shared),
            OfProvider::Gcs => stores::gcs(url, settings, service).map(shared),
            OfProvider::Azure { account } => {
                stores::azure(url, settings, &account.value, service).map(shared)
            }
            OfProvider::Http { .. } => {
                let front = settings.http_front(url);
                Ok(shared(HttpStore::new(
                    service.clone(),
                    front,
                    url.query().cloned(),
                )))
            }
        };
        store.map_err(|e| {
            let (credentials, why) = (&settings.credentials, clean(&innermost(&e)));
            self.hide(format!(
                "no requests can be made with credentials of {credentials}: {why}"
            ))
        })
    }

    fn renew(&self) -> Result<bool, String> {
        self.keys.as_ref().map_or(Ok(false), |keys| keys.renew())
    }

    fn identity(&self) -> Option<String> {
        Some(match (&self.settings.credentials.value, &self.keys) {
            (Credentials::InstanceRole, None) => "none, anonymous (the instance has no role)".to_owned(),
            _ => self.settings.credentials.to_string(),
        })
    }

    fn hint(&self, failure: &Failure) -> Option<String> {
        let is_refused = failure.meaning == Meaning::Refused && self.url.provider() == Provider::Http;
        match &self.settings.proxy {
            Some(proxy) if failure.meaning == Meaning::NoConnection => {
                Some(format!("the proxy is {} (from {})", proxy.value.server, proxy.from))
            }
            // A plain server does not explain itself so. A signed URL has a query.
            _ if is_refused && self.url.query().is_none() && failure.is_explained => {
                Some("an S3 server is asked with #mode=s3 behind the URL".to_owned())
            }
            _ if is_refused && failure.status == Some(StatusCode::UNAUTHORIZED) => {
                Some("user and password are HTTP.CREDENTIALS.USER and HTTP.CREDENTIALS.PASSWORD, or in the file of HTTP.NETRC, in ~/.ncrc".to_owned())
            }
            _ => None,
        }
    }

    fn hide(&self, text: String) -> String {
        self.service.secrets.hide(text)
    }

    fn wanted_wait(&self) -> Option<Duration> {
        let not_before = *self.service.not_before.lock();
        not_before?.checked_duration_since(Instant::now())
    }
}
