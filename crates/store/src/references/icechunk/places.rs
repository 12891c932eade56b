//! [`RepositoryPlaces`]: the chunks of a repository, and the objects elsewhere that its virtual chunks lie in.

use std::ffi::OsStr;
use std::sync::Arc;

use super::keys;
use crate::{ExternalFile, ExternalFiles, Input, KeyObject, KeyStore, NamedAs, NoExternalFile, Requests};
use ncutils_model::error::{Error, Result};

/// Where chunks lie.
pub struct RepositoryPlaces {
    store: Arc<dyn KeyStore>,
    /// The repository's path or URL with a slash behind it; empty if it is not known.
    root: String,
    elsewhere: Option<Arc<dyn ExternalFiles>>,
}

impl RepositoryPlaces {
    /// The chunks in `store`, and what virtual chunks may lead to.
    pub fn new(store: Arc<dyn KeyStore>, elsewhere: Option<Arc<dyn ExternalFiles>>) -> Self {
        let name = elsewhere.as_ref().and_then(|places| places.identity().to_str());
        let root = match name.unwrap_or_default().trim_end_matches('/') {
            "" => String::new(),
            name => format!("{name}/"),
        };
        Self {
            store,
            root,
            elsewhere,
        }
    }

    /// What the names of chunks of the repository begin with, before `chunks/`, so that other programs find them.
    pub fn root(&self) -> &str {
        &self.root
    }
}

impl ExternalFiles for RepositoryPlaces {
    fn identity(&self) -> &OsStr {
        self.elsewhere
            .as_ref()
            .map_or(OsStr::new(""), |places| places.identity())
    }

    fn find(&self, name: &str, named_as: NamedAs) -> Result<ExternalFile, NoExternalFile> {
        let own = name.strip_prefix(&self.root);
        let is_chunk = |key: &&str| keys::id_of_chunk(key).is_some();
        if let Some(key) = own.filter(is_chunk) {
            let object = Arc::new(KeyObject::new(Arc::clone(&self.store), key));
            return Ok(ExternalFile::new(name, move || Ok(Some(Input::from(object)))));
        }
        match &self.elsewhere {
            // Virtual chunks lie at absolute paths and URLs.
            Some(places) if name.starts_with('/') || name.contains("://") => places.find(name, named_as),
            _ => Err(NoExternalFile::Missing),
        }
    }

    fn requests_of(&self, name: &str) -> Requests {
        let own = self.store.requests();
        match &self.elsewhere {
            Some(places) if !own.ahead => places.requests_of(name),
            _ => own,
        }
    }

    fn check_unchanged(&self) -> Result<()> {
        self.store
            .check_unchanged()
            .map_err(|e| Error::io("cannot read", e))?;
        self.elsewhere
            .as_ref()
            .map_or(Ok(()), |places| places.check_unchanged())
    }
}
