//! [`KeySource`]: the access keys of S3 that requests are signed with now, and where new ones are from.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use object_store::CredentialProvider;
use object_store::aws::{AmazonS3Builder, AwsCredential, AwsCredentialProvider};
use parking_lot::Mutex;
use tokio::runtime::{Handle, RuntimeFlavor};

use super::container::{self, near_client};
use crate::requests::{no_retries, runtime};
use crate::transport::innermost;
use crate::wire::{self, Failure, KnownSecrets, Service, clean};
use ncutils_model::Error;
use ncutils_model::error::usage;
use ncutils_remote_settings::ProcessEnvironment;
use ncutils_remote_settings::Secret;
use ncutils_remote_settings::settings::{
    AccessKeys, CredentialProcess, Credentials, MetadataToken, Settings,
};
use ncutils_remote_settings::url::RemoteUrl;

/// Keys are renewed when they end within this time.
const RESERVE: TimeDelta = TimeDelta::minutes(2);

/// Keys, and when they end.
#[derive(Clone)]
struct Current {
    keys: Arc<AwsCredential>,
    end: Option<DateTime<Utc>>,
}

/// Where keys come from.
enum Origin {
    /// Variables and profiles, which are read again when the keys have ended.
    Settings(Box<RemoteUrl>),
    Process(CredentialProcess),
    Container(Secret, Option<MetadataToken>),
    /// A provider of `object_store`, which renews its keys itself.
    Provider(AwsCredentialProvider),
}

/// The access keys that requests are signed with.
pub(super) struct KeySource {
    origin: Origin,
    current: Mutex<Option<Current>>,
    secrets: Arc<KnownSecrets>,
}

impl fmt::Debug for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeySource")
    }
}

impl KeySource {
    /// The source of these credentials; `None` if they are of another kind. All keys become known secrets.
    pub(super) fn of(
        url: &RemoteUrl,
        credentials: &Credentials,
        secrets: &Arc<KnownSecrets>,
    ) -> Option<Arc<Self>> {
        let origin = match credentials {
            Credentials::Keys(_) => Origin::Settings(Box::new(url.clone())),
            Credentials::Process(process) => Origin::Process(process.clone()),
            Credentials::Container { url, token } => Origin::Container(url.clone(), token.clone()),
            _ => return None,
        };
        let source = Self::new(origin, secrets);
        if let Credentials::Keys(keys) = credentials {
            *source.current.lock() = Some(source.known(keys));
        }
        Some(source)
    }

    /// The source of keys that `object_store` gets.
    pub(super) fn of_provider(provider: AwsCredentialProvider, secrets: &Arc<KnownSecrets>) -> Arc<Self> {
        Self::new(Origin::Provider(provider), secrets)
    }

    fn new(origin: Origin, secrets: &Arc<KnownSecrets>) -> Arc<Self> {
        Arc::new(Self {
            origin,
            current: Mutex::default(),
            secrets: Arc::clone(secrets),
        })
    }

    /// Gets new keys. Returns false if variables or a file still say the ones that there were. A program or a service that gives the
    /// same keys again may have made them last longer.
    ///
    /// # Errors
    /// Why there are none, in one line.
    pub(super) fn renew(&self) -> Result<bool, String> {
        if let Origin::Provider(_) = self.origin {
            return Ok(false);
        }
        let new = self.new_keys()?;
        let mut current = self.current.lock();
        let is_new = current
            .as_ref()
            .is_none_or(|old| (&old.keys.key_id, &old.keys.token) != (&new.keys.key_id, &new.keys.token));
        *current = Some(new);
        Ok(is_new || !matches!(self.origin, Origin::Settings(_)))
    }

    fn new_keys(&self) -> Result<Current, String> {
        let text = |e: Error| e.to_string();
        let keys = match &self.origin {
            Origin::Settings(url) => match Settings::of(url, &ProcessEnvironment)
                .map_err(text)?
                .credentials
                .value
            {
                Credentials::Keys(keys) => keys,
                _ => return Err("the keys are no longer where they were".to_owned()),
            },
            Origin::Process(process) => process.run(&ProcessEnvironment).map_err(text)?,
            Origin::Container(url, token) => container::keys(url.expose(), token.as_ref())
                .map_err(|why| format!("the container's keys: {why}"))?,
            Origin::Provider(_) => return Err("their provider renews them".to_owned()),
        };
        Ok(self.known(&keys))
    }

    /// Keys as requests are signed with them. They become known secrets.
    fn known(&self, keys: &AccessKeys) -> Current {
        let end = keys.expiration.as_deref().and_then(wire::date);
        let keys = Arc::new(AwsCredential {
            key_id: keys.id.clone(),
            secret_key: keys.secret.expose().to_owned(),
            token: keys.token.as_ref().map(|token| token.expose().to_owned()),
        });
        self.secrets.add_keys(&keys);
        Current { keys, end }
    }

    /// Keys that have not ended. Programs and metadata services are asked while the thread waits.
    fn valid(&self) -> Result<Arc<AwsCredential>, String> {
        let mut current = self.current.lock();
        let is_valid = |found: &Current| found.end.is_none_or(|end| end - RESERVE > Utc::now());
        let found = match current.take().filter(is_valid) {
            Some(found) => found,
            None => self.new_keys()?,
        };
        let keys = Arc::clone(&current.insert(found).keys);
        check_header(&keys.key_id, "the access key's id")?;
        check_header(&keys.secret_key, "the secret key")?;
        check_header(keys.token.as_deref().unwrap_or_default(), "the session token")?;
        Ok(keys)
    }
}

#[async_trait]
impl CredentialProvider for KeySource {
    type Credential = AwsCredential;

    async fn get_credential(&self) -> object_store::Result<Arc<AwsCredential>> {
        if let Origin::Provider(provider) = &self.origin {
            let keys = provider.get_credential().await?;
            self.secrets.add_keys(&keys);
            return Ok(keys);
        }
        // Programs run for seconds. The threads of the runtime have other requests to serve.
        let found = match Handle::try_current().map(|handle| handle.runtime_flavor()) {
            Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(|| self.valid()),
            _ => self.valid(),
        };
        found.map_err(|why| Failure::last(clean(&why)).into())
    }
}

/// Checks that a header can hold a text. `what` names it.
///
/// # Errors
/// In one line, without the text.
pub(super) fn check_header(text: &str, what: &str) -> Result<(), String> {
    match text.bytes().all(|c| c.is_ascii_graphic()) {
        true => Ok(()),
        false => Err(format!(
            "{what} has a blank, a line's end or another character that cannot be sent; look at the end of the line that sets it"
        )),
    }
}

/// Longest wait for the address at which instances get their keys. Elsewhere nothing answers there.
const INSTANCE: Duration = Duration::from_secs(1);

/// What requests are signed with; `None` for anonymous ones. The role of an instance is asked for; an instance without a role has none.
///
/// # Errors
/// Settings that `object_store` refuses.
pub(super) fn keys(
    url: &RemoteUrl,
    settings: &Settings,
    service: &Service,
) -> ncutils_model::Result<Option<Arc<KeySource>>> {
    let credentials = &settings.credentials.value;
    if let Some(keys) = KeySource::of(url, credentials, &service.secrets) {
        return Ok(Some(keys));
    }
    let builder = AmazonS3Builder::new()
        .with_bucket_name(&url.bucket)
        .with_region(settings.region())
        .with_retry(no_retries());
    let built = |builder: AmazonS3Builder| {
        let store = builder.build().or_else(|e| usage(e.to_string()))?;
        Ok::<_, Error>(KeySource::of_provider(
            Arc::clone(store.credentials()),
            &service.secrets,
        ))
    };
    match credentials {
        Credentials::Configured(found) => {
            let builder = found.configure(builder, AmazonS3Builder::with_config);
            let builder = builder.or_else(|e| usage(e.to_string()))?;
            Ok(Some(built(builder.with_http_connector(service.clone()))?))
        }
        Credentials::InstanceRole => {
            let client = near_client(INSTANCE);
            let client = client.or_else(|e| usage(format!("cannot make requests: {}", innermost(&e))))?;
            let near = Service {
                client,
                ..service.clone()
            };
            let provider = built(builder.with_http_connector(near))?;
            let runtime = runtime().map_err(|e| Error::io("cannot connect", e))?;
            let asked = async { tokio::time::timeout(INSTANCE, provider.get_credential()).await };
            let found = runtime.block_on(asked);
            Ok(matches!(found, Ok(Ok(_))).then_some(provider))
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use object_store::StaticCredentialProvider;

    use super::*;

    #[test]
    fn keys_that_end_are_got_anew() {
        let folder = tempfile::tempdir().unwrap();
        let count = folder.path().join("count");
        let script = folder.path().join("keys.sh");
        let text = format!(
            "echo x >> {0}; n=$(wc -l < {0}); echo '{{\"Version\":1,\"AccessKeyId\":\"A'$n'\",\"SecretAccessKey\":\"long-secret\",\"Expiration\":\"2001-01-01T00:00:00Z\"}}'",
            count.display()
        );
        std::fs::write(&script, text).unwrap();
        let process = CredentialProcess::parse(&format!("sh {}", script.display())).unwrap();
        let url = crate::tests::fixtures::parsed("s3://b/k");
        let secrets = Arc::default();
        let source = KeySource::of(&url, &Credentials::Process(process), &secrets).unwrap();
        assert_eq!(source.valid().unwrap().key_id, "A1");
        assert_eq!(source.valid().unwrap().key_id, "A2", "the first ones have ended");
        assert!(source.renew().unwrap());
        assert_eq!(secrets.hide("of A3: long-secret".to_owned()), "of A3: ***");
        source.current.lock().as_mut().unwrap().end = None;
        assert_eq!(source.valid().unwrap().key_id, "A3", "these do not end");
        assert!(KeySource::of(&url, &Credentials::Anonymous, &secrets).is_none());
    }

    #[test]
    fn keys_that_a_provider_gives_are_hidden() {
        let secrets = Arc::new(KnownSecrets::default());
        let keys = AwsCredential {
            key_id: "AKID".to_owned(),
            secret_key: "s3cr3t+/=".to_owned(),
            token: Some("t0ken-t0ken".to_owned()),
        };
        let provider = Arc::new(StaticCredentialProvider::new(keys));
        let provider = KeySource::of_provider(provider, &secrets);
        let answer = "AKID: s3cr3t+/= with t0ken-t0ken".to_owned();
        assert_eq!(secrets.hide(answer.clone()), answer, "nothing is known yet");
        futures_util::future::FutureExt::now_or_never(provider.get_credential())
            .unwrap()
            .unwrap();
        assert_eq!(secrets.hide(answer), "AKID: *** with ***");
    }
}
