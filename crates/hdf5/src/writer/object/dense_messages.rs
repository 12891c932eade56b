//! Chooses between compact and dense storage of links and attributes.

use super::dense_storage::{DenseKind, DenseStorage, MAX_COMPACT};
use crate::writer::messages::MAX_MESSAGE;
use crate::writer::pages::Pages;
use crate::{CreationOrder, Result};

/// Messages in dense storage.
pub(crate) struct Dense {
    /// Where they are.
    pub(crate) storage: DenseStorage,
    names: Vec<String>,
    messages: Vec<Vec<u8>>,
}

impl Dense {
    /// Dense storage for the messages if there are too many or one is too large. Otherwise returns the messages.
    pub(crate) fn if_needed(
        kind: DenseKind,
        order: CreationOrder,
        pages: Pages,
        messages: Vec<Vec<u8>>,
        names: impl FnOnce() -> Vec<String>,
    ) -> Result<(Option<Self>, Vec<Vec<u8>>)> {
        if messages.len() <= MAX_COMPACT && messages.iter().all(|m| m.len() <= MAX_MESSAGE) {
            return Ok((None, messages));
        }
        let sizes: Vec<u64> = messages.iter().map(|m| m.len() as u64).collect();
        let dense = Self {
            storage: DenseStorage::new(kind, order, &sizes, pages)?,
            names: names(),
            messages,
        };
        Ok((Some(dense), Vec::new()))
    }

    /// The bytes for address `base`, and those of huge messages with their address.
    pub(crate) fn encode(&self, base: u64) -> (Vec<u8>, u64, Vec<u8>) {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        self.storage.encode(base, &names, &self.messages)
    }
}
