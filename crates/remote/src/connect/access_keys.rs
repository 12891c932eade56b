//! [`KeySource`]: the access keys of S3 that requests are signed with now, and where new ones are from.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use object_store::CredentialProvider;
use object_store::aws::{AwsCredential, AwsCredentialProvider};
use parking_lot::Mutex;
use tokio::runtime::{Handle, RuntimeFlavor};

use super::container;
use crate::environment::ProcessEnvironment;
use crate::secret::Secret;
use crate::settings::{AccessKeys, CredentialProcess, Credentials, MetadataToken, Settings};
use crate::url::RemoteUrl;
use crate::wire::{Failure, KnownSecrets, clean, date};

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
        let (origin, current) = match credentials {
            Credentials::Keys(keys) => (Origin::Settings(Box::new(url.clone())), Some(Current::of(keys))),
            Credentials::Process(process) => (Origin::Process(process.clone()), None),
            Credentials::Container { url, token } => (Origin::Container(url.clone(), token.clone()), None),
            _ => return None,
        };
        if let Some(current) = &current {
            secrets.add_keys(&current.keys);
        }
        Some(Self::new(origin, current, secrets))
    }

    /// The source of keys that `object_store` gets.
    pub(super) fn of_provider(provider: AwsCredentialProvider, secrets: &Arc<KnownSecrets>) -> Arc<Self> {
        Self::new(Origin::Provider(provider), None, secrets)
    }

    fn new(origin: Origin, current: Option<Current>, secrets: &Arc<KnownSecrets>) -> Arc<Self> {
        Arc::new(Self {
            origin,
            current: Mutex::new(current),
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
        let new = self.origin.keys()?;
        self.secrets.add_keys(&new.keys);
        Ok(new)
    }

    /// Keys that have not ended. Programs and metadata services are asked while the thread waits.
    fn valid(&self) -> Result<Arc<AwsCredential>, String> {
        let mut current = self.current.lock();
        let found = match current.take().filter(Current::is_valid) {
            Some(found) => found,
            None => self.new_keys()?,
        };
        let keys = Arc::clone(&found.keys);
        *current = Some(found);
        check(&keys)?;
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

impl Current {
    fn of(keys: &AccessKeys) -> Self {
        let end = keys.expiration.as_deref().and_then(date::parse);
        let keys = Arc::new(AwsCredential {
            key_id: keys.id.clone(),
            secret_key: keys.secret.expose().to_owned(),
            token: keys.token.as_ref().map(|token| token.expose().to_owned()),
        });
        Self { keys, end }
    }

    fn is_valid(&self) -> bool {
        self.end.is_none_or(|end| end - RESERVE > Utc::now())
    }
}

/// Checks that keys can be sent.
fn check(keys: &AwsCredential) -> Result<(), String> {
    check_header(&keys.key_id, "the access key's id")?;
    check_header(&keys.secret_key, "the secret key")?;
    check_header(keys.token.as_deref().unwrap_or_default(), "the session token")
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

impl Origin {
    fn keys(&self) -> Result<Current, String> {
        let environment = &ProcessEnvironment;
        let text = |e: ncutils_model::Error| e.to_string();
        let found = match self {
            Self::Settings(url) => match Settings::of(url, environment).map_err(text)?.credentials.value {
                Credentials::Keys(keys) => keys,
                _ => return Err("the keys are no longer where they were".to_owned()),
            },
            Self::Process(process) => process.run(environment).map_err(text)?,
            Self::Provider(_) => return Err("their provider renews them".to_owned()),
            Self::Container(url, token) => container::keys(url.expose(), token.as_ref(), environment)
                .map_err(|why| format!("the container's keys: {why}"))?,
        };
        Ok(Current::of(&found))
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
