//! [`StagedKeys`]: a tree of keys as it will be, read before it opens.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use crate::read::RemoteKeys;
use crate::requests::Session;
use ncutils_store::keys::key::PARTIAL;
use ncutils_store::{Done, Get, KeyStore, Part, Requests};

/// The values that are in the store, and the metadata that is not yet.
pub(crate) struct StagedKeys {
    /// Knows the metadata.
    values: Arc<RemoteKeys>,
    metadata: Vec<String>,
}

impl StagedKeys {
    /// The values below `prefix`, and the metadata that will lie beside them.
    pub(crate) fn new(session: &Arc<Session>, prefix: &str, metadata: &BTreeMap<String, Vec<u8>>) -> Self {
        let documents = metadata
            .iter()
            .map(|(key, value)| (key.clone(), Some(Arc::from(&**value))));
        // The mark of a tree that does not open yet is no part of it.
        let known = documents.chain([(PARTIAL.to_owned(), None)]).collect();
        Self {
            values: RemoteKeys::with_known(session, prefix, known),
            metadata: metadata.keys().cloned().collect(),
        }
    }
}

/// Both lists in one, ascending.
fn union(mut names: Vec<String>, more: impl Iterator<Item = String>) -> Vec<String> {
    names.extend(more);
    names.sort_unstable();
    names.dedup();
    names
}

impl KeyStore for StagedKeys {
    fn get(&self, key: &str, part: Part) -> io::Result<Option<Vec<u8>>> {
        self.values.get(key, part)
    }

    fn size(&self, key: &str) -> io::Result<Option<u64>> {
        self.values.size(key)
    }

    fn list(&self, prefix: &str) -> io::Result<Vec<String>> {
        let metadata = self.metadata.iter().filter(|key| key.starts_with(prefix));
        Ok(union(self.values.list(prefix)?, metadata.cloned()))
    }

    fn list_children(&self, folder: &str) -> io::Result<Vec<String>> {
        let below = self.metadata.iter().filter_map(|key| key.strip_prefix(folder));
        let names = below.map(|rest| rest.split_inclusive('/').next().unwrap_or_default().to_owned());
        Ok(union(self.values.list_children(folder)?, names))
    }

    fn requests(&self) -> Requests {
        self.values.requests()
    }

    fn fetch(self: Arc<Self>, gets: Vec<Get>, done: Done<io::Result<Vec<Option<Vec<u8>>>>>) {
        Arc::clone(&self.values).fetch(gets, done);
    }
}
