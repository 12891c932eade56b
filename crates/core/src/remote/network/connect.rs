//! From a URL and its settings to a [`Session`].

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::StatusCode;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, AwsCredentialProvider};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GcpCredential, GoogleCloudStorageBuilder};
use object_store::{RetryConfig, StaticCredentialProvider};

use super::access_keys::{KeySource, check_header};
use super::checksums::Checksum;
use super::client;
use super::failure::{Failure, Meaning};
use super::http_store::HttpStore;
use super::known_secrets::{KnownSecrets, watched};
use super::resolver::Resolver;
use super::runtime::runtime;
use super::service::{Service, Told};
use super::session::{Patience, Recipe, RemoteStore, Session};
use crate::error::{Error, Result};
use crate::remote::environment::{Environment, ProcessEnvironment};
use crate::remote::settings::{Credentials, Settings};
use crate::remote::url::{Provider, RemoteUrl, Style};

/// Longest wait for the address at which instances get their keys. Elsewhere nothing answers there.
const INSTANCE: Duration = Duration::from_secs(1);

impl Session {
    /// Talks to the bucket, container or host of a URL, with at most `requests` requests under way. No request is made
    /// yet, but for the role of an instance.
    ///
    /// # Errors
    /// Certificates, keys or other files of the settings that cannot be read.
    pub(crate) fn connect(url: &RemoteUrl, settings: Settings, requests: usize) -> Result<Arc<Self>> {
        let recipe = Connection::new(url, settings)?;
        let region = recipe
            .settings
            .region
            .as_ref()
            .map_or("", |region| region.value.as_str());
        let store = recipe.in_region(region).map_err(Error::Usage)?;
        let shown = recipe.shown();
        Ok(Self::new(
            store,
            Some(Box::new(recipe)),
            shown,
            requests,
            Patience::USUAL,
        ))
    }
}

/// How the store of a session is made, and made again.
struct Connection {
    url: RemoteUrl,
    settings: Settings,
    service: Service,
    keys: Option<Arc<KeySource>>,
    /// The role of an instance or of a web identity; `None` if requests are anonymous.
    role: Option<AwsCredentialProvider>,
    told: Arc<Told>,
    /// Texts that no message may hold.
    secrets: Arc<KnownSecrets>,
    region: Mutex<String>,
}

impl Connection {
    fn new(url: &RemoteUrl, settings: Settings) -> Result<Self> {
        if let Credentials::AzureToken(token) = &settings.credentials.value {
            check_header(token.expose(), "the token").map_err(Error::Usage)?;
        }
        let resolver = Resolver::default();
        let client = client::client(&settings, &resolver)?;
        let told = Arc::new(Told::default());
        let login = match &settings.credentials.value {
            Credentials::Login(login) => Some(login.clone()),
            _ => None,
        };
        let secrets = Arc::new(secrets(url, &settings)?);
        let keys = KeySource::of(url, &settings.credentials.value, &secrets);
        let service = Service {
            client,
            resolver,
            follows: url.provider == Provider::Http,
            login,
            logins: settings.netrc.as_ref().map(|netrc| netrc.value.clone()),
            told: Arc::clone(&told),
            checksum: Arc::new(checksum(url, &settings)),
            keys: keys.clone(),
            secrets: Arc::clone(&secrets),
        };
        let mut connection = Self {
            url: url.clone(),
            keys,
            role: None,
            secrets,
            settings,
            service,
            told,
            region: Mutex::default(),
        };
        connection.role = connection.role()?;
        Ok(connection)
    }

    /// The provider of a role's keys. An instance without a role has none.
    fn role(&self) -> Result<Option<AwsCredentialProvider>> {
        let builder = AmazonS3Builder::new()
            .with_bucket_name(&self.url.bucket)
            .with_region(
                self.settings
                    .region
                    .as_ref()
                    .map_or("", |region| region.value.as_str()),
            )
            .with_retry(no_retries());
        let built = |builder: AmazonS3Builder| {
            let store = builder.build().map_err(|e| Error::Usage(e.to_string()))?;
            Ok::<_, Error>(watched(Arc::clone(store.credentials()), &self.secrets))
        };
        match &self.settings.credentials.value {
            Credentials::WebIdentity {
                token_file,
                role_arn,
                session_name,
            } => {
                let Some(token_file) = token_file.to_str() else {
                    return Err(Error::Usage("AWS_WEB_IDENTITY_TOKEN_FILE is no text".to_owned()));
                };
                let builder = builder
                    .with_http_connector(self.service.clone())
                    .with_config(AmazonS3ConfigKey::WebIdentityTokenFile, token_file)
                    .with_config(AmazonS3ConfigKey::RoleArn, role_arn)
                    .with_config(AmazonS3ConfigKey::RoleSessionName, session_name);
                built(builder).map(Some)
            }
            Credentials::InstanceRole => {
                // The address is this machine's own: no proxy, and none of the user's certificates.
                let mut service = self.service.clone();
                service.client = reqwest::Client::builder()
                    .no_proxy()
                    .redirect(reqwest::redirect::Policy::none())
                    .timeout(INSTANCE)
                    .build()
                    .map_err(|e| Error::Usage(format!("cannot make requests: {}", client::innermost(&e))))?;
                let provider = built(builder.with_http_connector(service))?;
                let runtime = runtime().map_err(|e| Error::io("cannot connect", e))?;
                let found = runtime
                    .block_on(async { tokio::time::timeout(INSTANCE, provider.get_credential()).await });
                Ok(matches!(found, Ok(Ok(_))).then_some(provider))
            }
            _ => Ok(None),
        }
    }

    /// The bucket, container or host, as messages name it.
    fn shown(&self) -> String {
        match self.url.provider {
            Provider::Http => self.settings.endpoint.value.root.clone(),
            _ => format!("{} at {}", self.url.bucket, self.settings.endpoint.value.root),
        }
    }

    fn amazon(&self, region: &str) -> Result<Arc<dyn RemoteStore>, object_store::Error> {
        let endpoint = &self.settings.endpoint.value;
        let was = self
            .settings
            .region
            .as_ref()
            .map_or("", |region| region.value.as_str());
        // Amazon has a host for each region.
        let root = match endpoint.is_aws && region != was {
            true => endpoint
                .root
                .replacen(&format!(".{was}."), &format!(".{region}."), 1),
            false => endpoint.root.clone(),
        };
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(&self.url.bucket)
            .with_region(region)
            .with_endpoint(root)
            .with_virtual_hosted_style_request(endpoint.style == Style::VirtualHost)
            .with_retry(no_retries())
            .with_http_connector(self.service.clone());
        // Signed requests have the SHA-256 of their body everywhere. As a checksum that is kept with the object, not every
        // server but Amazon's takes it.
        if endpoint.is_aws {
            builder = builder.with_checksum_algorithm(object_store::aws::Checksum::SHA256);
        }
        builder = match (&self.keys, &self.role) {
            (Some(keys), _) => builder.with_credentials(Arc::clone(keys) as AwsCredentialProvider),
            (None, Some(role)) => builder.with_credentials(Arc::clone(role)),
            (None, None) => builder.with_skip_signature(true),
        };
        Ok(Arc::new(builder.build()?))
    }

    fn google(&self) -> Result<Arc<dyn RemoteStore>, object_store::Error> {
        let mut builder = GoogleCloudStorageBuilder::new()
            .with_bucket_name(&self.url.bucket)
            .with_base_url(&self.settings.endpoint.value.root)
            .with_retry(no_retries())
            .with_http_connector(self.service.clone());
        builder = match &self.settings.credentials.value {
            Credentials::GoogleKey(key) => builder.with_service_account_key(key.expose()),
            Credentials::GoogleFile(path) => {
                let text = path.to_string_lossy();
                // Only files of Google's own programs say what they are.
                let says = ProcessEnvironment
                    .read(path)
                    .is_ok_and(|file| file.text.contains("\"type\""));
                match says {
                    true => builder.with_application_credentials(text),
                    false => builder.with_service_account_path(text),
                }
            }
            _ => {
                let bearer = String::new();
                let none = StaticCredentialProvider::new(GcpCredential { bearer });
                builder.with_credentials(Arc::new(none)).with_skip_signature(true)
            }
        };
        Ok(Arc::new(builder.build()?))
    }

    fn azure(&self) -> Result<Arc<dyn RemoteStore>, object_store::Error> {
        let account = self
            .settings
            .account
            .as_ref()
            .map_or("", |account| account.value.as_str());
        let mut builder = MicrosoftAzureBuilder::new()
            .with_account(account)
            .with_container_name(&self.url.bucket)
            .with_endpoint(self.settings.endpoint.value.root.clone())
            .with_retry(no_retries())
            .with_http_connector(self.service.clone());
        builder = match &self.settings.credentials.value {
            Credentials::AzureKey(key) => builder
                .with_access_key(key.expose())
                .with_credential_type("access_key"),
            Credentials::AzureSignature(signature) => builder
                .with_config(AzureConfigKey::SasKey, signature.expose())
                .with_credential_type("sas_token"),
            Credentials::AzureToken(token) => builder
                .with_bearer_token_authorization(token.expose())
                .with_credential_type("bearer_token"),
            Credentials::AzureClient {
                tenant,
                client,
                secret,
            } => builder
                .with_client_secret_authorization(client, secret.expose(), tenant)
                .with_credential_type("client_secret"),
            Credentials::AzureFederated {
                tenant,
                client,
                token_file,
            } => builder
                .with_client_id(client)
                .with_tenant_id(tenant)
                .with_federated_token_file(token_file.to_string_lossy())
                .with_credential_type("workload_identity"),
            _ => builder
                .with_bearer_token_authorization("")
                .with_credential_type("bearer_token")
                .with_skip_signature(true),
        };
        Ok(Arc::new(builder.build()?))
    }
}

impl Recipe for Connection {
    fn in_region(&self, region: &str) -> Result<Arc<dyn RemoteStore>, String> {
        // A server may name the region, which becomes a part of the host that gets the signed requests.
        let is_region =
            |text: &str| text.len() <= 63 && text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-');
        if !is_region(region) {
            return Err(format!("'{}' is no region", super::failure::clean(region)));
        }
        let store = match self.url.provider {
            Provider::S3 => {
                *self.region.lock().unwrap_or_else(PoisonError::into_inner) = region.to_owned();
                self.amazon(region)
            }
            Provider::Gcs => self.google(),
            Provider::Azure => self.azure(),
            Provider::Http => {
                let front = self.settings.http_front(&self.url);
                let store = HttpStore::new(self.service.clone(), front, self.url.query.clone());
                Ok(Arc::new(store) as Arc<dyn RemoteStore>)
            }
        };
        store.map_err(|e| {
            let why = super::failure::clean(&client::innermost(&e));
            let credentials = &self.settings.credentials;
            self.hide(format!(
                "no requests can be made with credentials of {credentials}: {why}"
            ))
        })
    }

    fn renew(&self) -> Result<bool, String> {
        self.keys.as_ref().map_or(Ok(false), |keys| keys.renew())
    }

    fn identity(&self) -> String {
        match (&self.settings.credentials.value, &self.role) {
            (Credentials::InstanceRole, None) => "none, anonymous (the instance has no role)".to_owned(),
            _ => self.settings.credentials.to_string(),
        }
    }

    fn hint(&self, failure: &Failure) -> Option<String> {
        match (&failure.meaning, &self.settings.proxy) {
            (Meaning::NoConnection, Some(proxy)) => Some(format!(
                "the proxy is {} (from {})",
                proxy.value.server, proxy.from
            )),
            // A plain server does not explain itself so. A signed URL has a query.
            (Meaning::Refused, _)
                if self.url.provider == Provider::Http && self.url.query.is_none() && failure.is_explained =>
            {
                Some("an S3 server is asked with #mode=s3 behind the URL".to_owned())
            }
            (Meaning::Refused, _)
                if self.url.provider == Provider::Http && failure.status == Some(StatusCode::UNAUTHORIZED) =>
            {
                Some("user and password are HTTP.CREDENTIALS.USER and HTTP.CREDENTIALS.PASSWORD, or in the file of HTTP.NETRC, in ~/.ncrc".to_owned())
            }
            _ => None,
        }
    }

    fn hide(&self, text: String) -> String {
        self.secrets.hide(text)
    }

    fn wanted_wait(&self) -> Option<Duration> {
        let not_before = *self
            .told
            .not_before
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        not_before?.checked_duration_since(Instant::now())
    }

    fn lists_from_anywhere(&self) -> bool {
        matches!(self.url.provider, Provider::S3 | Provider::Gcs)
    }

    fn has_ranges(&self) -> bool {
        self.url.provider != Provider::Http
    }

    fn copies_later(&self) -> bool {
        self.url.provider == Provider::Azure
    }

    fn correct_clock(&self) -> bool {
        let mut correction = self
            .told
            .correction
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let ahead = self.clock_ahead();
        // Where the difference is known already, the server wants something else.
        let helps = self.keys.is_some()
            && ahead.is_some_and(|ahead| correction.is_none_or(|known| known.abs_diff(ahead) > 60));
        if helps {
            *correction = ahead;
        }
        helps || self.keys.is_some() && correction.is_some()
    }

    fn clock_ahead(&self) -> Option<i64> {
        *self
            .told
            .clock_ahead
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The session retries. What `object_store` retries would be tried ten times ten times.
fn no_retries() -> RetryConfig {
    RetryConfig {
        max_retries: 0,
        ..RetryConfig::default()
    }
}

/// What is sent along with the bodies of puts, besides what `object_store` sends.
fn checksum(url: &RemoteUrl, settings: &Settings) -> Checksum {
    match url.provider {
        Provider::Gcs => Checksum::Crc32c,
        Provider::Azure => {
            let account = settings.account.as_ref().map_or("", |account| &account.value);
            let key = match &settings.credentials.value {
                Credentials::AzureKey(key) => Some(key.expose()),
                _ => None,
            };
            Checksum::azure(account, key)
        }
        Provider::S3 | Provider::Http => Checksum::Unsent,
    }
}

/// Texts of the URL and of the settings that a server may send back in a refusal.
fn secrets(url: &RemoteUrl, settings: &Settings) -> Result<KnownSecrets> {
    let secrets = KnownSecrets::default();
    if let Some(query) = &url.query {
        let pairs = query.expose().split('&');
        let values = pairs.map(|pair| pair.split_once('=').map_or(pair, |(_, value)| value));
        values.for_each(|value| secrets.add(value.into()));
    }
    if let Some(login) = &url.login {
        secrets.add_login(login);
    }
    if let Some(login) = settings
        .proxy
        .as_ref()
        .and_then(|proxy| proxy.value.login.as_ref())
    {
        secrets.add_login(login);
    }
    if let Some(file) = &settings.cookies {
        let cookies = client::cookies_of(&file.value, &file.from)?;
        cookies
            .iter()
            .for_each(|cookie| secrets.add(cookie.value.as_str().into()));
    }
    match &settings.credentials.value {
        Credentials::Login(login) => secrets.add_login(login),
        Credentials::AzureKey(secret)
        | Credentials::AzureSignature(secret)
        | Credentials::AzureToken(secret)
        | Credentials::AzureClient { secret, .. }
        | Credentials::GoogleKey(secret) => secrets.add(secret.clone()),
        // The source of access keys adds them.
        _ => {}
    }
    Ok(secrets)
}
