//! Azure's settings: its usual variables.

use super::chosen::Chosen;
use super::credential_kinds::Credentials;
use super::sources::{Found, OfProvider, Sources};
use crate::secret::Secret;
use crate::url::Endpoint;
use ncutils_model::Result;
use ncutils_model::error::usage;

/// Account, endpoint and credentials.
///
/// # Errors
/// No account, or a malformed one; a malformed endpoint or connection string.
pub(super) fn settings(sources: &Sources<'_>) -> Result<Found> {
    let connection = ConnectionString::read(sources)?;
    let account = account(sources, &connection)?;
    let endpoint = endpoint(sources, &connection, &account.value)?;
    let credentials = credentials(sources, &connection);
    Ok((OfProvider::Azure { account }, endpoint, credentials))
}

fn account(sources: &Sources<'_>, connection: &ConnectionString) -> Result<Chosen<String>> {
    let named = sources
        .url
        .account()
        .map(|account| Chosen::new(account.to_owned(), "the URL"));
    let named = named
        .or_else(|| sources.variable(&["AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT"]))
        .or_else(|| connection.get("AccountName"));
    let Some(Chosen { value, from }) = named else {
        return usage(
            "no account of Azure is named; set AZURE_STORAGE_ACCOUNT, or write abfss://container@account.dfs.core.windows.net/key",
        );
    };
    let is_valid = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    match (1..=63).contains(&value.len()) && value.bytes().all(is_valid) {
        true => Ok(Chosen { value, from }),
        false => usage(format!(
            "{from}: '{}' is no account of Azure",
            value.escape_debug()
        )),
    }
}

fn endpoint(sources: &Sources<'_>, connection: &ConnectionString, account: &str) -> Result<Chosen<Endpoint>> {
    if let Some(found) = Endpoint::of_url(sources.url, "") {
        return Ok(found);
    }
    let named = sources.variable(&["AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"]);
    let named = named.or_else(|| connection.get("BlobEndpoint"));
    let own = || Chosen::new(format!("https://{account}.blob.core.windows.net"), "the account");
    Endpoint::parse(named.unwrap_or_else(own))
}

fn credentials(sources: &Sources<'_>, connection: &ConnectionString) -> Chosen<Credentials> {
    let one = |what: &'static str, name: &'static str| {
        move |text: Chosen<String>| {
            let secret = |text: String| (name, Secret::from(text.trim_start_matches('?')));
            text.map(|text| Credentials::configured(what, Vec::new(), Some(secret(text))))
        }
    };
    let key = one("account key", "access_key");
    let signature = one("shared access signature", "sas_token");
    let keys = [
        "AZURE_STORAGE_ACCOUNT_KEY",
        "AZURE_STORAGE_ACCESS_KEY",
        "AZURE_STORAGE_KEY",
    ];
    let signatures = ["AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_SAS_KEY"];
    let token = || sources.variable(&["AZURE_STORAGE_TOKEN"]);
    sources
        .anonymous("AZURE_SKIP_SIGNATURE")
        .or_else(|| sources.variable(&keys).map(key))
        .or_else(|| sources.variable(&signatures).map(signature))
        .or_else(|| connection.get("AccountKey").map(key))
        .or_else(|| connection.get("SharedAccessSignature").map(signature))
        .or_else(|| token().map(one("bearer token", "bearer_token")))
        .or_else(|| application(sources))
        .unwrap_or_else(Credentials::none_found)
}

/// An application's identity, by its secret or by the token of another identity provider.
fn application(sources: &Sources<'_>) -> Option<Chosen<Credentials>> {
    let value = |names: &[&str]| Some(sources.variable(names)?.value);
    let tenant = value(&["AZURE_STORAGE_TENANT_ID", "AZURE_TENANT_ID"])?;
    let client = value(&["AZURE_STORAGE_CLIENT_ID", "AZURE_CLIENT_ID"])?;
    let what = format!("application {client}");
    let mut plain = vec![("tenant_id", tenant), ("client_id", client)];
    if let Some(secret) = value(&["AZURE_STORAGE_CLIENT_SECRET", "AZURE_CLIENT_SECRET"]) {
        let found = Credentials::configured(what, plain, Some(("client_secret", secret.into())));
        return Some(Chosen::new(found, "AZURE_CLIENT_SECRET"));
    }
    let Chosen { value: file, from } = sources.variable(&["AZURE_FEDERATED_TOKEN_FILE"])?;
    plain.push(("federated_token_file", file));
    let found = Credentials::configured(format!("{what} by web identity"), plain, None);
    Some(Chosen::new(found, from))
}

/// `AZURE_STORAGE_CONNECTION_STRING`: `Key=value;Key=value`.
struct ConnectionString(Vec<(String, String)>);

impl ConnectionString {
    const NAME: &str = "AZURE_STORAGE_CONNECTION_STRING";

    fn read(sources: &Sources<'_>) -> Result<Self> {
        let text = sources.environment.filled(Self::NAME).unwrap_or_default();
        let mut pairs = Vec::new();
        for pair in text.split(';').map(str::trim).filter(|pair| !pair.is_empty()) {
            let Some((key, value)) = pair.split_once('=') else {
                return usage(format!("{}: a part has no =", Self::NAME));
            };
            pairs.push((key.trim().to_owned(), value.trim().to_owned()));
        }
        Ok(Self(pairs))
    }

    fn get(&self, key: &str) -> Option<Chosen<String>> {
        let is_it = |(name, value): &&(String, String)| name.eq_ignore_ascii_case(key) && !value.is_empty();
        let (_, value) = self.0.iter().find(is_it)?;
        Some(Chosen::new(value.clone(), Self::NAME))
    }
}
