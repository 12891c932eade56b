//! [`Credentials`]: what requests are signed with.

use std::fmt;
use std::path::PathBuf;

use super::chosen::Chosen;
use super::s3::credential_process::{AccessKeys, CredentialProcess};
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
    /// What a builder of `object_store` gets keys or tokens by.
    Configured(Configured),
}

/// Settings of a builder of `object_store`, by the names that it has for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configured {
    /// What they are, in words without secrets.
    what: String,
    plain: Vec<(&'static str, String)>,
    /// The setting that is a secret.
    pub secret: Option<(&'static str, Secret)>,
}

impl Configured {
    /// The secret, if it is the setting of this name.
    pub fn secret_of(&self, name: &str) -> Option<&str> {
        let (of, secret) = self.secret.as_ref()?;
        (*of == name).then(|| secret.expose())
    }

    /// Gives all settings to a builder, by its function that takes one.
    ///
    /// # Errors
    /// A name that the builder does not have.
    pub fn configure<B, K: std::str::FromStr>(
        &self,
        builder: B,
        with: impl Fn(B, K, String) -> B,
    ) -> Result<B, K::Err> {
        let plain = self.plain.iter().map(|(name, value)| (*name, value.as_str()));
        let secret = self.secret.iter().map(|(name, value)| (*name, value.expose()));
        plain.chain(secret).try_fold(builder, |builder, (name, value)| {
            Ok(with(builder, name.parse()?, value.to_owned()))
        })
    }
}

impl Credentials {
    /// Settings of a builder of `object_store`, at most one of them a secret.
    pub(super) fn configured(
        what: impl Into<String>,
        plain: Vec<(&'static str, String)>,
        secret: Option<(&'static str, Secret)>,
    ) -> Self {
        Self::Configured(Configured {
            what: what.into(),
            plain,
            secret,
        })
    }

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
            Self::Container { .. } => f.write_str("keys of the container"),
            Self::InstanceRole => f.write_str("role of the instance, else anonymous"),
            Self::Login(login) => write!(f, "user {}", login.user),
            Self::Configured(found) => f.write_str(&found.what),
        }
    }
}
