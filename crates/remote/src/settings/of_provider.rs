//! [`OfProvider`]: settings that only one provider has.

use std::path::PathBuf;

use super::chosen::Chosen;
use super::credential_kinds::Credentials;
use super::netrc::NetRc;
use crate::url::Endpoint;

/// Settings that only one provider has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfProvider {
    /// S3.
    S3 {
        /// The region of signatures.
        region: Chosen<String>,
    },
    /// Google Cloud Storage.
    Gcs,
    /// Azure Blob Storage.
    Azure {
        /// The account.
        account: Chosen<String>,
    },
    /// A plain HTTP server.
    Http {
        /// Logins of other hosts, to which the server may redirect.
        netrc: Option<Chosen<NetRc>>,
        /// The file in which cookies are kept.
        cookies: Option<Chosen<PathBuf>>,
    },
}

/// What a provider's file finds for a URL.
pub(super) type Found = (OfProvider, Chosen<Endpoint>, Chosen<Credentials>);
