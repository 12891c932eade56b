//! Stores of S3, and the keys that requests to them are signed with.

use std::sync::Arc;
use std::time::Duration;

use object_store::CredentialProvider;
use object_store::aws::{AmazonS3, AmazonS3Builder, AwsCredentialProvider, Checksum};

use super::access_keys::KeySource;
use super::container::near_client;
use super::no_retries::no_retries;
use crate::requests::runtime;
use crate::settings::{Credentials, Settings};
use crate::transport::innermost;
use crate::url::{RemoteUrl, Style};
use crate::usage::usage;
use crate::wire::Service;
use ncutils_model::{Error, Result};

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
) -> Result<Option<Arc<KeySource>>> {
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

/// The store of a bucket in a region.
///
/// # Errors
/// Settings that `object_store` refuses.
pub(super) fn store(
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
        builder = builder.with_checksum_algorithm(Checksum::SHA256);
    }
    match keys {
        Some(keys) => builder.with_credentials(Arc::clone(keys) as AwsCredentialProvider),
        None => builder.with_skip_signature(true),
    }
    .build()
}
