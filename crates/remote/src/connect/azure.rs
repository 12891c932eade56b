//! Stores of Azure.

use object_store::azure::{MicrosoftAzure, MicrosoftAzureBuilder};

use super::no_retries::no_retries;
use crate::settings::{Credentials, Settings};
use crate::url::RemoteUrl;
use crate::wire::{Checksum, Service};

/// The store of a container.
///
/// # Errors
/// Credentials that are malformed.
pub(super) fn store(
    url: &RemoteUrl,
    settings: &Settings,
    account: &str,
    service: &Service,
) -> object_store::Result<MicrosoftAzure> {
    let builder = MicrosoftAzureBuilder::new()
        .with_account(account)
        .with_container_name(&url.bucket)
        .with_endpoint(settings.endpoint.value.root.clone())
        .with_retry(no_retries())
        .with_http_connector(service.clone());
    let builder = match &settings.credentials.value {
        Credentials::Configured(found) => found.configure(builder, MicrosoftAzureBuilder::with_config)?,
        _ => builder
            .with_bearer_token_authorization("")
            .with_skip_signature(true),
    };
    builder.build()
}

/// The checksum of bodies, which the account's key signs if there is one.
pub(super) fn checksum(settings: &Settings, account: &str) -> Checksum {
    let key = match &settings.credentials.value {
        Credentials::Configured(found) => found.secret_of("access_key"),
        _ => None,
    };
    Checksum::azure(account, key)
}
