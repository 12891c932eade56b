//! [`KnownSecrets`]: texts that no message may hold, though a server sends them back.
//!
//! ```text
//! URL, settings ──────────────┐
//! keys of a program, a role ──┴─► KnownSecrets ─► hide(message)
//! ```

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use http::{HeaderMap, header};
use object_store::CredentialProvider;
use object_store::aws::{AwsCredential, AwsCredentialProvider};

use crate::store::remote::secret::Secret;

/// Shorter values would hide words that have nothing to do with them.
const SHORTEST: usize = 6;

/// The most texts that are kept. Keys that are renewed every hour would be ever more.
const MOST: usize = 64;

/// The secrets of a connection, those that are learnt while it lasts included.
#[derive(Default)]
pub(super) struct KnownSecrets(Mutex<Vec<Secret>>);

impl KnownSecrets {
    /// Adds a text.
    pub(super) fn add(&self, secret: Secret) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = known.iter().any(|other| other.expose() == secret.expose());
        if secret.expose().len() < SHORTEST || is_known {
            return;
        }
        if known.len() == MOST {
            known.remove(0);
        }
        known.push(secret);
    }

    /// Adds the secret and the token of access keys.
    pub(super) fn add_keys(&self, keys: &AwsCredential) {
        self.add(keys.secret_key.as_str().into());
        if let Some(token) = &keys.token {
            self.add(token.as_str().into());
        }
    }

    /// Adds the login or the bearer token that the headers of a request hold.
    pub(super) fn add_sent(&self, headers: &HeaderMap) {
        let Some(sent) = headers
            .get(header::AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
        else {
            return;
        };
        // A signature is of one request only.
        if let Some(("Basic" | "Bearer", sent)) = sent.split_once(' ') {
            self.add(sent.into());
        }
    }

    /// A message with stars in place of all known secrets and of signatures.
    pub(super) fn hide(&self, message: String) -> String {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let hidden = known.iter().fold(message, |text, secret| {
            let text = text.replace(secret.expose(), "***");
            without_a_cut_one(text, secret.expose())
        });
        without_signatures(&hidden)
    }
}

/// A text that was cut within a secret, without the part of it.
fn without_a_cut_one(mut text: String, secret: &str) -> String {
    let Some(whole) = text.strip_suffix('…') else {
        return text;
    };
    let starts = secret.char_indices().map(|(at, _)| at).rev();
    let cut = starts
        .take_while(|length| *length >= SHORTEST)
        .find(|length| whole.ends_with(&secret[..*length]));
    if let Some(length) = cut {
        text.truncate(whole.len() - length);
        text.push_str("***");
    }
    text
}

/// A text without the signatures of requests, which a server may repeat: `Signature=`, `X-Amz-Signature=`, `sig=`.
fn without_signatures(text: &str) -> String {
    let mut hidden = String::new();
    let mut rest = text;
    while let Some((at, name)) = ["ignature=", "sig="]
        .into_iter()
        .filter_map(|name| Some((rest.find(name)?, name)))
        .min()
    {
        let (before, after) = rest.split_at(at + name.len());
        hidden.push_str(before);
        hidden.push_str("***");
        let is_sent = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '%' | '-' | '_' | '=');
        rest = after.trim_start_matches(is_sent);
    }
    hidden + rest
}

/// A provider of keys whose secrets become known.
#[derive(Debug)]
struct Watched {
    provider: AwsCredentialProvider,
    secrets: Arc<KnownSecrets>,
}

/// The same provider. Each key that it gives becomes a known secret.
pub(super) fn watched(provider: AwsCredentialProvider, secrets: &Arc<KnownSecrets>) -> AwsCredentialProvider {
    Arc::new(Watched {
        provider,
        secrets: Arc::clone(secrets),
    })
}

#[async_trait]
impl CredentialProvider for Watched {
    type Credential = AwsCredential;

    async fn get_credential(&self) -> object_store::Result<Arc<AwsCredential>> {
        let keys = self.provider.get_credential().await?;
        self.secrets.add_keys(&keys);
        Ok(keys)
    }
}

impl std::fmt::Debug for KnownSecrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KnownSecrets")
    }
}

#[cfg(test)]
mod tests {
    use object_store::StaticCredentialProvider;

    use super::*;

    #[test]
    fn keys_that_a_provider_gives_are_hidden() {
        let secrets = Arc::new(KnownSecrets::default());
        let keys = AwsCredential {
            key_id: "AKID".to_owned(),
            secret_key: "s3cr3t+/=".to_owned(),
            token: Some("t0ken-t0ken".to_owned()),
        };
        let provider = watched(Arc::new(StaticCredentialProvider::new(keys)), &secrets);
        let answer = "AKID: s3cr3t+/= with t0ken-t0ken".to_owned();
        assert_eq!(secrets.hide(answer.clone()), answer, "nothing is known yet");
        futures_util::future::FutureExt::now_or_never(provider.get_credential())
            .unwrap()
            .unwrap();
        assert_eq!(secrets.hide(answer), "AKID: *** with ***");
    }

    #[test]
    fn tokens_that_are_sent_are_hidden() {
        let secrets = KnownSecrets::default();
        let mut headers = HeaderMap::new();
        secrets.add_sent(&headers);
        headers.insert(header::AUTHORIZATION, "Bearer ya29.token".parse().unwrap());
        secrets.add_sent(&headers);
        assert_eq!(secrets.hide("of ya29.token".to_owned()), "of ***");
    }

    #[test]
    fn signatures_and_cut_secrets_are_hidden() {
        let secrets = KnownSecrets::default();
        secrets.add("0123456789".into());
        for (text, hidden) in [
            (
                "AWS4 Credential=A/x, Signature=b2f291; end",
                "AWS4 Credential=A/x, Signature=***; end",
            ),
            ("?sig=a%2Bb%3D&x", "?sig=***&x"),
            ("X-Amz-Signature=00 and sig=11", "X-Amz-Signature=*** and sig=***"),
            ("it is 01234567…", "it is ***"),
            ("it is 0123…", "it is 0123…"),
            ("it is 01234567", "it is 01234567"),
        ] {
            assert_eq!(secrets.hide(text.to_owned()), hidden);
        }
    }

    #[test]
    fn few_and_long_texts_are_kept() {
        let secrets = KnownSecrets::default();
        secrets.add("short".into());
        assert_eq!(secrets.hide("short".to_owned()), "short");
        for n in 0..100 {
            secrets.add(format!("secret{n:03}").as_str().into());
        }
        assert_eq!(secrets.hide("secret099".to_owned()), "***");
        assert_eq!(secrets.0.lock().unwrap().len(), MOST);
    }
}
