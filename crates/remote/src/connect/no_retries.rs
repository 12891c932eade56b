//! Retries of `object_store`, which are off.

use object_store::RetryConfig;

/// The session retries. What `object_store` retries would be tried ten times ten times.
pub(super) fn no_retries() -> RetryConfig {
    RetryConfig {
        max_retries: 0,
        ..RetryConfig::default()
    }
}
