//! The access keys that a container gets from its own address.

use std::time::Duration;

use serde_json::Value;

use crate::requests::runtime;
use crate::transport::innermost;
use ncutils_remote_settings::settings::{AccessKeys, MetadataToken};
use ncutils_remote_settings::{Environment, ProcessEnvironment};

/// Longest wait for an answer of a container's address.
const METADATA: Duration = Duration::from_secs(2);

/// Most bytes of such an answer.
const MOST_OF_AN_ANSWER: usize = 1 << 20;

/// A client for addresses of this machine's own: no proxy, no redirects, and none of the user's certificates.
///
/// # Errors
/// If TLS cannot be set up.
pub(super) fn near_client(longest: Duration) -> reqwest::Result<reqwest::Client> {
    // Fails only if there is one already, which is then used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(longest)
        .build()
}

/// Asks a container's own address for keys.
///
/// # Errors
/// Why there are none, in one line.
pub(super) fn keys(url: &str, token: Option<&MetadataToken>) -> Result<AccessKeys, String> {
    let token = match token {
        None => None,
        Some(MetadataToken::Text(token)) => Some(token.expose().to_owned()),
        Some(MetadataToken::File(path)) => {
            let file = ProcessEnvironment.read(path);
            let file = file.map_err(|e| format!("{}: {e}", path.display()))?;
            Some(file.text.trim().to_owned())
        }
    };
    let runtime = runtime().map_err(|e| e.to_string())?;
    let answer = runtime.block_on(ask(url, token))?;
    parsed(&answer).map_err(|why| format!("the answer {why}"))
}

async fn ask(url: &str, token: Option<String>) -> Result<Vec<u8>, String> {
    let failed = |e: reqwest::Error| innermost(&e.without_url());
    let mut request = near_client(METADATA).map_err(failed)?.get(url);
    if let Some(token) = token {
        request = request.header("Authorization", token);
    }
    let mut response = request.send().await.map_err(failed)?;
    if !response.status().is_success() {
        return Err(format!("the status {}", response.status().as_u16()));
    }
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(failed)? {
        bytes.extend_from_slice(&piece);
        if bytes.len() > MOST_OF_AN_ANSWER {
            return Err("the answer is too long".to_owned());
        }
    }
    Ok(bytes)
}

fn parsed(json: &[u8]) -> Result<AccessKeys, &'static str> {
    let json: Value = serde_json::from_slice(json).map_err(|_| "is no JSON")?;
    AccessKeys::of(&json, "Token")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_containers_are_parsed() {
        let found = parsed(
            br#"{"AccessKeyId":"A","SecretAccessKey":"S","Token":"T","Expiration":"2100-01-01T00:00:00Z"}"#,
        );
        let found = found.unwrap();
        let token = found.token.as_ref().map(|token| token.expose());
        assert_eq!((found.id.as_str(), token), ("A", Some("T")));
        assert_eq!(found.expiration.as_deref(), Some("2100-01-01T00:00:00Z"));
        assert!(parsed(b"{}").is_err() && parsed(b"hunter2").is_err());
    }
}
