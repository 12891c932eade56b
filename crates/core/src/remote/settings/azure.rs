//! Azure's settings: its usual variables.

use super::super::environment::Environment;
use super::super::secret::Secret;
use super::super::url::RemoteUrl;
use super::chosen::Chosen;
use super::credentials::Credentials;
use super::endpoint::Endpoint;
use crate::error::{Error, Result};

/// Account, endpoint and credentials.
///
/// # Errors
/// No account, or a malformed one; a malformed endpoint or connection string.
pub(super) fn settings(
    url: &RemoteUrl,
    environment: &dyn Environment,
) -> Result<(Chosen<String>, Chosen<Endpoint>, Chosen<Credentials>)> {
    let connection = ConnectionString::read(environment)?;
    let account = account(url, &connection, environment)?;
    let endpoint = endpoint(url, &connection, &account.value, environment)?;
    Ok((account, endpoint, credentials(url, &connection, environment)?))
}

/// The first of several variables that is set.
fn first(names: &[&'static str], environment: &dyn Environment) -> Option<Chosen<String>> {
    let found = |name: &&'static str| Some(Chosen::new(environment.filled(name)?, *name));
    names.iter().find_map(found)
}

fn account(
    url: &RemoteUrl,
    connection: &ConnectionString,
    environment: &dyn Environment,
) -> Result<Chosen<String>> {
    let named = url.account.clone().map(|account| Chosen::new(account, "the URL"));
    let named = named
        .or_else(|| {
            first(
                &["AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT"],
                environment,
            )
        })
        .or_else(|| connection.get("AccountName"));
    let Some(named) = named else {
        return Err(Error::Usage(
            "no account of Azure is named; set AZURE_STORAGE_ACCOUNT, or write abfss://container@account.dfs.core.windows.net/key"
                .to_owned(),
        ));
    };
    let is_valid = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    match !named.value.is_empty() && named.value.len() <= 63 && named.value.bytes().all(is_valid) {
        true => Ok(named),
        false => Err(Error::Usage(format!(
            "{}: '{}' is no account of Azure",
            named.from,
            named.value.escape_debug()
        ))),
    }
}

fn endpoint(
    url: &RemoteUrl,
    connection: &ConnectionString,
    account: &str,
    environment: &dyn Environment,
) -> Result<Chosen<Endpoint>> {
    if let Some(server) = &url.server {
        return Ok(Chosen::new(Endpoint::of_server(server, ""), "the URL"));
    }
    let named = first(&["AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"], environment);
    let named = named.or_else(|| connection.get("BlobEndpoint"));
    match named {
        Some(named) => Ok(Chosen::new(
            Endpoint::parse(&named.value, &named.from)?,
            named.from,
        )),
        None => {
            let root = format!("https://{account}.blob.core.windows.net");
            Ok(Chosen::new(Endpoint::parse(&root, "the account")?, "the account"))
        }
    }
}

fn credentials(
    url: &RemoteUrl,
    connection: &ConnectionString,
    environment: &dyn Environment,
) -> Result<Chosen<Credentials>> {
    if let Some(no) = super::asked_for_none(url) {
        return Ok(Chosen::new(Credentials::Anonymous, no));
    }
    if environment.is_true("AZURE_SKIP_SIGNATURE") {
        return Ok(Chosen::new(Credentials::Anonymous, "AZURE_SKIP_SIGNATURE"));
    }
    let key = |text: Chosen<String>| text.map(|text| Credentials::AzureKey(Secret::from(text)));
    let signature = |text: Chosen<String>| {
        text.map(|text| Credentials::AzureSignature(Secret::from(text.trim_start_matches('?'))))
    };
    let keys = [
        "AZURE_STORAGE_ACCOUNT_KEY",
        "AZURE_STORAGE_ACCESS_KEY",
        "AZURE_STORAGE_KEY",
    ];
    let found = first(&keys, environment)
        .map(key)
        .or_else(|| first(&["AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_SAS_KEY"], environment).map(signature))
        .or_else(|| connection.get("AccountKey").map(key))
        .or_else(|| connection.get("SharedAccessSignature").map(signature))
        .or_else(|| {
            let token = first(&["AZURE_STORAGE_TOKEN"], environment)?;
            Some(token.map(|text| Credentials::AzureToken(Secret::from(text))))
        })
        .or_else(|| application(environment));
    Ok(found.unwrap_or_else(|| Chosen::new(Credentials::Anonymous, "the default, as none were found")))
}

fn application(environment: &dyn Environment) -> Option<Chosen<Credentials>> {
    let value = |name: &str| environment.filled(name);
    let tenant = value("AZURE_STORAGE_TENANT_ID").or_else(|| value("AZURE_TENANT_ID"))?;
    let client = value("AZURE_STORAGE_CLIENT_ID").or_else(|| value("AZURE_CLIENT_ID"))?;
    if let Some(secret) = value("AZURE_STORAGE_CLIENT_SECRET").or_else(|| value("AZURE_CLIENT_SECRET")) {
        let secret = secret.into();
        let found = Credentials::AzureClient {
            tenant,
            client,
            secret,
        };
        return Some(Chosen::new(found, "AZURE_CLIENT_SECRET"));
    }
    let token_file = value("AZURE_FEDERATED_TOKEN_FILE")?.into();
    let found = Credentials::AzureFederated {
        tenant,
        client,
        token_file,
    };
    Some(Chosen::new(found, "AZURE_FEDERATED_TOKEN_FILE"))
}

/// `AZURE_STORAGE_CONNECTION_STRING`: `Key=value;Key=value`.
struct ConnectionString(Vec<(String, String)>);

impl ConnectionString {
    const NAME: &str = "AZURE_STORAGE_CONNECTION_STRING";

    fn read(environment: &dyn Environment) -> Result<Self> {
        let text = environment.filled(Self::NAME).unwrap_or_default();
        let mut pairs = Vec::new();
        for pair in text.split(';').map(str::trim).filter(|pair| !pair.is_empty()) {
            let Some((key, value)) = pair.split_once('=') else {
                return Err(Error::Usage(format!("{}: a part has no =", Self::NAME)));
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
