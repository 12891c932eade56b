//! Stores of Google.

use std::sync::Arc;

use object_store::StaticCredentialProvider;
use object_store::gcp::{GcpCredential, GoogleCloudStorage, GoogleCloudStorageBuilder};

use super::no_retries::no_retries;
use crate::settings::{Credentials, Settings};
use crate::url::RemoteUrl;
use crate::wire::Service;

/// The store of a bucket.
///
/// # Errors
/// Credentials that are malformed.
pub(super) fn store(
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
