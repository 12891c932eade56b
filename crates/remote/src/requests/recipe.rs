//! [`Recipe`]: what a session needs of its connection.

use crate::wire::Failure;
use std::sync::Arc;
use std::time::Duration;

use super::store::RemoteStore;

/// Makes the store anew with what a failure told, and explains failures. The defaults are those of a store without credentials.
pub(crate) trait Recipe: Send + Sync {
    /// The store of a bucket in this region.
    ///
    /// # Errors
    /// Why there is none, in one line.
    fn in_region(&self, region: &str) -> Result<Arc<dyn RemoteStore>, String> {
        Err(format!("this store is not in {region}"))
    }

    /// Gets new keys from where the old ones were from. Returns false if there are no others.
    ///
    /// # Errors
    /// Why not, in one line.
    fn renew(&self) -> Result<bool, String> {
        Ok(false)
    }

    /// What requests are signed with, in words. `None` if nothing signs them.
    fn identity(&self) -> Option<String> {
        None
    }

    /// What else the user should know of a failure, if anything.
    fn hint(&self, _: &Failure) -> Option<String> {
        None
    }

    /// Returns `text` without known secrets.
    fn hide(&self, text: String) -> String {
        text
    }

    /// How long the server still wants to be left alone, if it said so.
    fn wanted_wait(&self) -> Option<Duration> {
        None
    }
}

/// The recipe of a store that the caller made: it cannot be made anew.
impl Recipe for () {}
