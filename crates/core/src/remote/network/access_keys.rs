//! [`KeySource`]: the access keys of S3 that requests are signed with now, and where new ones are from.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use object_store::CredentialProvider;
use object_store::aws::AwsCredential;
use serde_json::Value;

use super::date;
use super::known_secrets::KnownSecrets;
use super::runtime::runtime;
use crate::remote::environment::{Environment, ProcessEnvironment};
use crate::remote::settings::{AccessKeys, CredentialProcess, Credentials, MetadataToken, Settings};
use crate::remote::url::RemoteUrl;

/// Keys are renewed when they end within this time.
const RESERVE: i64 = 120;

/// Longest wait for an answer of a container's address.
const METADATA: Duration = Duration::from_secs(2);

/// Most bytes of such an answer.
const MOST_OF_AN_ANSWER: usize = 1 << 20;

/// Keys, and the second since 1970 at which they end.
#[derive(Clone)]
struct Current {
    keys: Arc<AwsCredential>,
    end: Option<i64>,
}

/// Where keys come from.
enum Origin {
    /// Variables and profiles, which are read again when the keys have ended.
    Settings(Box<RemoteUrl>),
    Process(CredentialProcess),
    Container(crate::remote::secret::Secret, Option<MetadataToken>),
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

/// Why there are no keys, in one line.
#[derive(Debug)]
struct NoKeys(String);

impl fmt::Display for NoKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoKeys {}

impl KeySource {
    /// The source of these credentials; `None` if they are of another kind. All keys become known secrets.
    pub(super) fn of(
        url: &RemoteUrl,
        credentials: &Credentials,
        secrets: &Arc<KnownSecrets>,
    ) -> Option<Arc<Self>> {
        let (origin, current) = match credentials {
            Credentials::Keys(keys) => (Origin::Settings(Box::new(url.clone())), Some(current(keys, None))),
            Credentials::Process(process) => (Origin::Process(process.clone()), None),
            Credentials::Container { url, token } => (Origin::Container(url.clone(), token.clone()), None),
            _ => return None,
        };
        if let Some(current) = &current {
            secrets.add_keys(&current.keys);
        }
        Some(Arc::new(Self {
            origin,
            current: Mutex::new(current),
            secrets: Arc::clone(secrets),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Current>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gets new keys. Returns false if variables or a file still say the ones that there were. A program or a service that gives the
    /// same keys again may have made them last longer.
    ///
    /// # Errors
    /// Why there are none, in one line.
    pub(super) fn renew(&self) -> Result<bool, String> {
        let new = self.new_keys()?;
        let mut current = self.lock();
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

    /// The keys that requests are signed with now.
    pub(super) fn now(&self) -> Option<Arc<AwsCredential>> {
        self.lock().as_ref().map(|current| Arc::clone(&current.keys))
    }

    /// Keys that have not ended. Programs and metadata services are asked while the thread waits.
    fn valid(&self) -> Result<Arc<AwsCredential>, String> {
        let mut current = self.lock();
        if let Some(found) = current.as_ref().filter(|found| found.is_valid()) {
            check(&found.keys)?;
            return Ok(Arc::clone(&found.keys));
        }
        let new = self.new_keys()?;
        check(&new.keys)?;
        let keys = Arc::clone(&new.keys);
        *current = Some(new);
        Ok(keys)
    }
}

#[async_trait]
impl CredentialProvider for KeySource {
    type Credential = AwsCredential;

    async fn get_credential(&self) -> object_store::Result<Arc<AwsCredential>> {
        // Programs run for seconds. The threads of the runtime have other requests to serve.
        let found = match tokio::runtime::Handle::try_current() {
            Ok(handle) if handle.runtime_flavor() == tokio::runtime::RuntimeFlavor::MultiThread => {
                tokio::task::block_in_place(|| self.valid())
            }
            _ => self.valid(),
        };
        found.map_err(|why| object_store::Error::Generic {
            store: "S3",
            source: Box::new(NoKeys(why)),
        })
    }
}

impl Current {
    fn is_valid(&self) -> bool {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now = now.map_or(0, |since| since.as_secs() as i64);
        self.end.is_none_or(|end| end - RESERVE > now)
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

fn current(keys: &AccessKeys, end: Option<i64>) -> Current {
    let keys = Arc::new(AwsCredential {
        key_id: keys.id.clone(),
        secret_key: keys.secret.expose().to_owned(),
        token: keys.token.as_ref().map(|token| token.expose().to_owned()),
    });
    Current { keys, end }
}

impl Origin {
    fn keys(&self) -> Result<Current, String> {
        let environment = &ProcessEnvironment;
        match self {
            Self::Settings(url) => match Settings::of(url, environment)
                .map_err(|e| e.to_string())?
                .credentials
                .value
            {
                Credentials::Keys(keys) => Ok(current(&keys, None)),
                _ => Err("the keys are no longer where they were".to_owned()),
            },
            Self::Process(process) => {
                let found = process.run(environment).map_err(|e| e.to_string())?;
                Ok(current(
                    &found.keys,
                    found.expiration.as_deref().and_then(date::parse),
                ))
            }
            Self::Container(url, token) => container(url.expose(), token.as_ref(), environment)
                .map_err(|why| format!("the container's keys: {why}")),
        }
    }
}

/// Asks a container's own address for keys.
fn container(
    url: &str,
    token: Option<&MetadataToken>,
    environment: &dyn Environment,
) -> Result<Current, String> {
    let token = match token {
        None => None,
        Some(MetadataToken::Text(token)) => Some(token.expose().to_owned()),
        Some(MetadataToken::File(path)) => {
            let file = environment
                .read(path)
                .map_err(|e| format!("{}: {e}", path.display()))?;
            Some(file.text.trim().to_owned())
        }
    };
    let answer = std::thread::scope(|scope| {
        // A thread of its own, since this one may belong to the runtime.
        let asked = scope.spawn(|| runtime()?.block_on(ask(url, token.as_deref())));
        asked
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the request ended without an answer")))
    });
    let answer = answer.map_err(|e| e.to_string())?;
    keys_of_metadata(&answer).ok_or_else(|| "the answer is not the keys' JSON".to_owned())
}

async fn ask(url: &str, token: Option<&str>) -> io::Result<Vec<u8>> {
    let failed = |e: reqwest::Error| io::Error::other(super::client::innermost(&e.without_url()));
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(METADATA)
        .build()
        .map_err(failed)?;
    let mut request = client.get(url);
    if let Some(token) = token {
        request = request.header("Authorization", token);
    }
    let mut response = request.send().await.map_err(failed)?;
    if !response.status().is_success() {
        return Err(io::Error::other(format!(
            "the status {}",
            response.status().as_u16()
        )));
    }
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(failed)? {
        bytes.extend_from_slice(&piece);
        if bytes.len() > MOST_OF_AN_ANSWER {
            return Err(io::Error::other("the answer is too long"));
        }
    }
    Ok(bytes)
}

fn keys_of_metadata(json: &[u8]) -> Option<Current> {
    let json: Value = serde_json::from_slice(json).ok()?;
    let text = |key: &str| json.get(key).and_then(Value::as_str);
    let keys = AccessKeys {
        id: text("AccessKeyId")?.to_owned(),
        secret: text("SecretAccessKey")?.into(),
        token: text("Token").map(Into::into),
    };
    Some(current(&keys, text("Expiration").and_then(date::parse)))
}

#[cfg(test)]
mod tests {
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
        let url = crate::location::remote_url::parse("s3://b/k").unwrap().url;
        let secrets = Arc::default();
        let source = KeySource::of(&url, &Credentials::Process(process), &secrets).unwrap();
        assert_eq!(source.valid().unwrap().key_id, "A1");
        assert_eq!(source.valid().unwrap().key_id, "A2", "the first ones have ended");
        assert!(source.renew().unwrap());
        assert_eq!(secrets.hide("of A3: long-secret".to_owned()), "of A3: ***");
        source.lock().as_mut().unwrap().end = None;
        assert_eq!(source.valid().unwrap().key_id, "A3", "these do not end");
        assert!(KeySource::of(&url, &Credentials::Anonymous, &secrets).is_none());
    }

    #[test]
    fn answers_of_containers_are_parsed() {
        let found = keys_of_metadata(
            br#"{"AccessKeyId":"A","SecretAccessKey":"S","Token":"T","Expiration":"2100-01-01T00:00:00Z"}"#,
        );
        let found = found.unwrap();
        assert_eq!(
            (found.keys.key_id.as_str(), found.keys.token.as_deref()),
            ("A", Some("T"))
        );
        assert!(found.is_valid());
        assert!(keys_of_metadata(b"{}").is_none() && keys_of_metadata(b"hunter2").is_none());
    }
}
