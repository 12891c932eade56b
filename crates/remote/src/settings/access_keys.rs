//! Access keys of S3.

use crate::secret::Secret;

/// Access keys of S3.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessKeys {
    /// The key's name, which requests show.
    pub id: String,
    /// The key.
    pub secret: Secret,
    /// The token of temporary keys.
    pub token: Option<Secret>,
}
