//! [`Recipe`]: what a session needs of its connection.

use crate::wire::Failure;
use std::sync::Arc;
use std::time::Duration;

use object_store::ObjectStore;
use object_store::multipart::MultipartStore;

/// What a session needs of a store: objects, and uploads whose parts come in any order.
pub trait RemoteStore: ObjectStore + MultipartStore {}

impl<T: ObjectStore + MultipartStore> RemoteStore for T {}

/// What a store can do, and others cannot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Abilities {
    /// True if keys can be listed from any key on at no cost.
    pub(crate) lists_from_anywhere: bool,
    /// False for a server that may have no ranges.
    pub(crate) has_ranges: bool,
    /// True if the store may answer a request to copy before the copy is there.
    pub(crate) copies_later: bool,
}

impl Abilities {
    /// Those of S3, and of a store in memory.
    pub(crate) const USUAL: Self = Self {
        lists_from_anywhere: true,
        has_ranges: true,
        copies_later: false,
    };
}

/// Makes the store anew with what a failure told, and explains failures.
pub(crate) trait Recipe: Send + Sync {
    /// The store of a bucket in this region.
    ///
    /// # Errors
    /// Why there is none, in one line.
    fn in_region(&self, region: &str) -> Result<Arc<dyn RemoteStore>, String>;

    /// Gets new keys from where the old ones were from. Returns false if there are no others.
    ///
    /// # Errors
    /// Why not, in one line.
    fn renew(&self) -> Result<bool, String>;

    /// What requests are signed with, in words.
    fn identity(&self) -> String;

    /// What else the user should know of a failure, if anything.
    fn hint(&self, failure: &Failure) -> Option<String>;

    /// Texts that no message may hold.
    fn hide(&self, text: String) -> String;

    /// How long the server still wants to be left alone, if it said so.
    fn wanted_wait(&self) -> Option<Duration>;

    /// What the store can do.
    fn abilities(&self) -> Abilities;
}
