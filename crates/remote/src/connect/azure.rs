//! Stores of Azure.

use object_store::azure::{AzureConfigKey, MicrosoftAzure, MicrosoftAzureBuilder};

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
    let (builder, kind) = match &settings.credentials.value {
        Credentials::AzureKey(key) => (builder.with_access_key(key.expose()), "access_key"),
        Credentials::AzureSignature(signature) => (
            builder.with_config(AzureConfigKey::SasKey, signature.expose()),
            "sas_token",
        ),
        Credentials::AzureToken(token) => (
            builder.with_bearer_token_authorization(token.expose()),
            "bearer_token",
        ),
        Credentials::AzureClient {
            tenant,
            client,
            secret,
        } => (
            builder.with_client_secret_authorization(client, secret.expose(), tenant),
            "client_secret",
        ),
        Credentials::AzureFederated {
            tenant,
            client,
            token_file,
        } => (
            builder
                .with_client_id(client)
                .with_tenant_id(tenant)
                .with_federated_token_file(token_file.to_string_lossy()),
            "workload_identity",
        ),
        _ => (
            builder
                .with_bearer_token_authorization("")
                .with_skip_signature(true),
            "bearer_token",
        ),
    };
    builder.with_credential_type(kind).build()
}

/// The checksum of bodies, which the account's key signs if there is one.
pub(super) fn checksum(settings: &Settings, account: &str) -> Checksum {
    let key = match &settings.credentials.value {
        Credentials::AzureKey(key) => Some(key.expose()),
        _ => None,
    };
    Checksum::azure(account, key)
}
