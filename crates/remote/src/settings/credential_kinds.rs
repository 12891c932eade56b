//! [`Credentials`]: what requests are signed with.

use std::fmt;
use std::path::PathBuf;

use super::chosen::Chosen;
use super::credential_process::{AccessKeys, CredentialProcess};
use crate::secret::{Login, Secret};

/// A token that a service of metadata asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MetadataToken {
    /// The token.
    Text(Secret),
    /// A file with the token, which may change.
    File(PathBuf),
}

/// What requests are signed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credentials {
    /// Nothing: requests are not signed.
    Anonymous,
    /// Access keys of S3.
    Keys(AccessKeys),
    /// Access keys that a program prints.
    Process(CredentialProcess),
    /// A role of AWS, by the token of another identity provider.
    WebIdentity {
        /// The file with the token, which may change.
        token_file: PathBuf,
        /// The role.
        role_arn: String,
        /// The name of the session in AWS's logs.
        session_name: String,
    },
    /// Keys that a container gets from its own address.
    Container {
        /// The address, whose path is as good as a name and a password.
        url: Secret,
        /// The token that the address asks for.
        token: Option<MetadataToken>,
    },
    /// The role of an EC2 instance, asked for during one second at most. Without one, requests are not signed.
    InstanceRole,
    /// User and password of an HTTP server.
    Login(Login),
    /// A file of Google: a service account, or what `gcloud auth application-default login` wrote.
    GoogleFile(PathBuf),
    /// A service account of Google, as JSON.
    GoogleKey(Secret),
    /// The key of an Azure account.
    AzureKey(Secret),
    /// A shared access signature of Azure, without a question mark.
    AzureSignature(Secret),
    /// A bearer token of Azure.
    AzureToken(Secret),
    /// An application of Azure with a secret.
    AzureClient {
        /// The directory.
        tenant: String,
        /// The application.
        client: String,
        /// Its secret.
        secret: Secret,
    },
    /// An application of Azure, by the token of another identity provider.
    AzureFederated {
        /// The directory.
        tenant: String,
        /// The application.
        client: String,
        /// The file with the token, which may change.
        token_file: PathBuf,
    },
}

impl Credentials {
    /// Those of requests for which nothing else was found.
    pub(super) fn none_found() -> Chosen<Self> {
        Chosen::new(Self::Anonymous, "the default, as none were found")
    }
}

impl fmt::Display for Credentials {
    /// What they are, without anything secret. An access key's name is none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anonymous => f.write_str("none, anonymous"),
            Self::Keys(keys) if keys.token.is_some() => write!(f, "temporary access key {}", keys.id),
            Self::Keys(keys) => write!(f, "access key {}", keys.id),
            Self::Process(process) => write!(f, "keys that {} prints", process.program()),
            Self::WebIdentity { role_arn, .. } => write!(f, "role {role_arn} by web identity"),
            Self::Container { .. } => f.write_str("keys of the container"),
            Self::InstanceRole => f.write_str("role of the instance, else anonymous"),
            Self::Login(login) => write!(f, "user {}", login.user),
            Self::GoogleFile(path) => write!(f, "file {}", path.display()),
            Self::GoogleKey(_) => f.write_str("service account"),
            Self::AzureKey(_) => f.write_str("account key"),
            Self::AzureSignature(_) => f.write_str("shared access signature"),
            Self::AzureToken(_) => f.write_str("bearer token"),
            Self::AzureClient { client, .. } => write!(f, "application {client}"),
            Self::AzureFederated { client, .. } => write!(f, "application {client} by web identity"),
        }
    }
}
