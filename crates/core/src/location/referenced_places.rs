//! [`ReferencedPlaces`]: where references of an input may lead.
//!
//! ```text
//! local input    a path, file:///path ─► the input's folder and below, folders of --data-dir
//!                a URL ──────────────► what --allow names
//! remote input   a relative path ────► below the input's own prefix
//!                a URL ──────────────► the service of the input, what --allow names
//! ```

use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use super::remote::{self, RemotePlaces};
use super::remote_url;
use crate::error::Result;
use crate::remote_settings::RemoteUrl;
use crate::remote_settings::url::decoded;
use crate::store::{DataAccess, ExternalFile, ExternalFiles, NamedAs, NoExternalFile, Requests};

/// Where references of one input may lead.
pub(super) struct ReferencedPlaces {
    /// Files, or the objects below the prefix of a remote input.
    own: Option<Arc<dyn ExternalFiles>>,
    /// The URL of a remote input, which leads to no local file.
    url: Option<OsString>,
    remote: RemotePlaces,
}

impl ReferencedPlaces {
    /// The places of an input that has external files of its `own`. `from` is the URL of a remote input.
    pub(super) fn new(
        own: Option<Arc<dyn ExternalFiles>>,
        from: Option<&RemoteUrl>,
        access: &DataAccess,
        requests: usize,
    ) -> Arc<Self> {
        Arc::new(Self {
            own,
            url: from.map(|url| url.shown.clone().into()),
            remote: RemotePlaces::new(from, access, requests),
        })
    }

    /// Looks a path up beside the input.
    fn file(&self, path: &str) -> Result<ExternalFile, NoExternalFile> {
        match &self.own {
            Some(own) => own.find(path, NamedAs::Reference),
            None => Err(NoExternalFile::Strange(
                "nobody knows beside what it lies".to_owned(),
            )),
        }
    }
}

impl ExternalFiles for ReferencedPlaces {
    fn identity(&self) -> &OsStr {
        match (&self.own, &self.url) {
            (Some(own), _) => own.identity(),
            (None, Some(url)) => url,
            (None, None) => OsStr::new(""),
        }
    }

    fn find(&self, name: &str, named_as: NamedAs) -> Result<ExternalFile, NoExternalFile> {
        if named_as != NamedAs::Reference {
            return Err(NoExternalFile::Missing);
        }
        let Some((scheme, rest)) = name.split_once("://") else {
            return match self.url.is_some() && name.starts_with('/') {
                true => Err(NoExternalFile::Local),
                false => self.file(name),
            };
        };
        match scheme {
            "file" | "local" if self.url.is_some() => Err(NoExternalFile::Local),
            // Some programs escape characters in paths, others do not.
            "file" | "local" => match self.file(rest) {
                Err(NoExternalFile::Missing) => match decoded(rest).ok().filter(|path| path != rest) {
                    Some(path) => self.file(&path),
                    None => Err(NoExternalFile::Missing),
                },
                found => found,
            },
            "reference" => Err(NoExternalFile::Strange(
                "references do not lead to references".to_owned(),
            )),
            _ => self.remote.find(name),
        }
    }

    fn requests_of(&self, name: &str) -> Requests {
        if self.url.is_some() || name.contains("://") && !name.starts_with("file:") {
            return self.remote.requests();
        }
        Requests::LOCAL
    }

    fn check_unchanged(&self) -> Result<()> {
        match &self.own {
            Some(own) => own.check_unchanged(),
            None => Ok(()),
        }
    }
}

/// Checks a URL below which references may lead.
///
/// # Errors
/// What is wrong with it.
pub fn check_allowed(url: &str) -> Result<()> {
    remote::check_allowed(url).map_err(|e| e.in_file(remote_url::shown(url)))
}
