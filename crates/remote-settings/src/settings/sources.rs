//! [`Sources`]: where settings come from, and [`OfProvider`]: those that only one provider has.

use std::path::PathBuf;

use super::chosen::Chosen;
use super::credential_kinds::Credentials;
use super::netrc::NetRc;
use super::rc_files::RcFiles;
use crate::environment::Environment;
use crate::url::{Endpoint, RemoteUrl};

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

/// What the settings of a URL come from: the URL, rc files, variables.
pub(super) struct Sources<'a> {
    pub(super) url: &'a RemoteUrl,
    pub(super) rc: &'a RcFiles,
    pub(super) environment: &'a dyn Environment,
}

impl Sources<'_> {
    /// The first of several variables that is set and not empty.
    pub(super) fn variable(&self, names: &[&str]) -> Option<Chosen<String>> {
        let found = |name: &&str| Some(Chosen::new(self.environment.filled(name)?, *name));
        names.iter().find_map(found)
    }

    /// The first of several keys that the rc files have for the URL.
    pub(super) fn rc(&self, keys: &[&str]) -> Option<Chosen<String>> {
        keys.iter()
            .find_map(|key| self.rc.get(key, Some(&self.url.typed)))
    }

    /// A path that the rc files have for the URL.
    pub(super) fn rc_path(&self, keys: &[&str]) -> Option<Chosen<PathBuf>> {
        Some(self.rc(keys)?.map(|path| self.environment.path(&path)))
    }

    /// What the fragment says.
    pub(super) fn asked(&self, value: &Option<String>, key: &str) -> Option<Chosen<String>> {
        Some(Chosen::new(value.clone()?, format!("#{key}")))
    }

    /// Why requests to Google and Azure are anonymous: a variable, or `aws.profile=no`, which has no other meaning there.
    pub(super) fn anonymous(&self, variable: &str) -> Option<Chosen<Credentials>> {
        let profile = self.url.asked.profile.as_deref().filter(|name| is_nobody(name));
        let why = match profile {
            Some(profile) => format!("#aws.profile= is '{profile}'"),
            None if self.environment.is_true(variable) => variable.to_owned(),
            None => return None,
        };
        Some(Chosen::new(Credentials::Anonymous, why))
    }
}

/// True for the name of a profile that stands for requests without credentials.
pub(super) fn is_nobody(profile: &str) -> bool {
    ["no", "none"].iter().any(|no| profile.eq_ignore_ascii_case(no))
}
