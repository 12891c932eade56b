//! Stores of `object_store` for S3, Google and Azure.

use std::sync::Arc;

use object_store::StaticCredentialProvider;
use object_store::aws::{AmazonS3, AmazonS3Builder, AwsCredentialProvider, Checksum as S3Checksum};
use object_store::azure::{MicrosoftAzure, MicrosoftAzureBuilder};
use object_store::gcp::{GcpCredential, GoogleCloudStorage, GoogleCloudStorageBuilder};

use super::access_keys::KeySource;
use crate::requests::no_retries;
use crate::wire::{Checksum, Service};
use ncutils_remote_settings::settings::{Credentials, Settings};
use ncutils_remote_settings::url::{RemoteUrl, Style};

/// The store of a bucket in a region.
///
/// # Errors
/// Settings that `object_store` refuses.
pub(super) fn s3(
    url: &RemoteUrl,
    settings: &Settings,
    region: &str,
    keys: Option<&Arc<KeySource>>,
    service: &Service,
) -> object_store::Result<AmazonS3> {
    let endpoint = &settings.endpoint.value;
    let was = settings.region();
    // Amazon has a host for each region.
    let root = match endpoint.is_aws && region != was {
        true => endpoint
            .root
            .replacen(&format!(".{was}."), &format!(".{region}."), 1),
        false => endpoint.root.clone(),
    };
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(&url.bucket)
        .with_region(region)
        .with_endpoint(root)
        .with_virtual_hosted_style_request(endpoint.style == Style::VirtualHost)
        .with_retry(no_retries())
        .with_http_connector(service.clone());
    // Signed requests have the SHA-256 of their body everywhere. As a checksum that is kept with the object, not every
    // server but Amazon's takes it.
    if endpoint.is_aws {
        builder = builder.with_checksum_algorithm(S3Checksum::SHA256);
    }
    match keys {
        Some(keys) => builder.with_credentials(Arc::clone(keys) as AwsCredentialProvider),
        None => builder.with_skip_signature(true),
    }
    .build()
}

/// The store of a bucket.
///
/// # Errors
/// Credentials that are malformed.
pub(super) fn gcs(
    url: &RemoteUrl,
    settings: &Settings,
    service: &Service,
) -> object_store::Result<GoogleCloudStorage> {
    let builder = GoogleCloudStorageBuilder::new()
        .with_bucket_name(&url.bucket)
        .with_base_url(&settings.endpoint.value.root)
        .with_retry(no_retries())
        .with_http_connector(service.clone());
    let builder = match &settings.credentials.value {
        Credentials::Configured(found) => found.configure(builder, GoogleCloudStorageBuilder::with_config)?,
        _ => {
            let bearer = String::new();
            let none = StaticCredentialProvider::new(GcpCredential { bearer });
            builder.with_credentials(Arc::new(none)).with_skip_signature(true)
        }
    };
    builder.build()
}

/// The store of a container.
///
/// # Errors
/// Credentials that are malformed.
pub(super) fn azure(
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
pub(super) fn azure_checksum(settings: &Settings, account: &str) -> Checksum {
    let key = match &settings.credentials.value {
        Credentials::Configured(found) => found.secret_of("access_key"),
        _ => None,
    };
    Checksum::azure(account, key)
}
