//! Stores of Google.

use std::sync::Arc;

use object_store::StaticCredentialProvider;
use object_store::gcp::{GcpCredential, GoogleCloudStorage, GoogleCloudStorageBuilder};

use super::no_retries::no_retries;
use crate::environment::{Environment, ProcessEnvironment};
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
        Credentials::GoogleKey(key) => builder.with_service_account_key(key.expose()),
        Credentials::GoogleFile(path) => {
            let text = path.to_string_lossy();
            let read = ProcessEnvironment.read(path);
            // Only files of Google's own programs say what they are.
            match read.is_ok_and(|file| file.text.contains("\"type\"")) {
                true => builder.with_application_credentials(text),
                false => builder.with_service_account_path(text),
            }
        }
        _ => {
            let bearer = String::new();
            let none = StaticCredentialProvider::new(GcpCredential { bearer });
            builder.with_credentials(Arc::new(none)).with_skip_signature(true)
        }
    };
    builder.build()
}
