//! [`SharedKeys`]: values that several processes leave for each other beside what they write.
//!
//! | what they write | where the values are |
//! | --- | --- |
//! | a tree below `PREFIX` | `PREFIX/.ncutils-partial-RUN/parts/` |
//! | an object `KEY` | `KEY.ncutils-partial-RUN/` |

use std::io;
use std::sync::Arc;

use super::claim::Claim;
use super::mark::notes;
use crate::requests::Session;
use crate::write::TreeObjects;
use ncutils_remote_settings::url::joined;
use ncutils_store::keys::key::{RESERVED, check_key};
use ncutils_store::{KeyOutput, KeyStore, ValueWriter};

/// Values of a run, each of which is in the store when its put returns.
pub struct SharedKeys {
    objects: TreeObjects,
}

impl SharedKeys {
    /// The values of a run that writes a tree.
    pub fn of_tree(session: Arc<Session>, prefix: &str, memory: u64, claim: &Claim) -> Self {
        let root = joined(prefix.trim_end_matches('/'), &notes(&claim.name));
        Self {
            objects: TreeObjects::new(session, &root, memory),
        }
    }

    /// The values of a run that writes the object `key`.
    pub fn of_object(session: Arc<Session>, key: &str, memory: u64, run: &str) -> Self {
        let root = format!("{key}{RESERVED}{run}");
        Self {
            objects: TreeObjects::new(session, &root, memory),
        }
    }

    /// Deletes all values.
    ///
    /// # Errors
    /// The store fails.
    pub fn remove(&self) -> io::Result<()> {
        self.objects.clear("", |_| true, || Ok(()))
    }
}

impl KeyOutput for SharedKeys {
    fn check(&self, key: &str) -> io::Result<()> {
        check_key(key)?;
        self.objects.path(key).map(drop)
    }

    fn put(&self, key: &str, value: &[u8]) -> io::Result<()> {
        self.objects.send(key, key, value)?;
        self.objects.sending.wait()
    }

    fn put_last(&self, key: &str, value: &[u8]) -> io::Result<()> {
        self.put(key, value)
    }

    fn create(&self, key: &str) -> io::Result<Box<dyn ValueWriter>> {
        self.check(key)?;
        Ok(self.objects.create(key, key)?.1)
    }

    fn staged(&self, key: &str) -> io::Result<Option<Vec<u8>>> {
        Ok(self.objects.get(key)?.map(|found| found.bytes))
    }

    fn staged_keys(&self, prefix: &str) -> io::Result<Vec<String>> {
        let found = self.objects.list("")?;
        let keys = found.into_iter().map(|object| object.key);
        Ok(keys.filter(|key| key.starts_with(prefix)).collect())
    }

    fn read_staged(&self) -> io::Result<Option<Arc<dyn KeyStore>>> {
        Ok(Some(self.objects.read()?))
    }

    fn wait(&self) -> io::Result<()> {
        self.objects.sending.wait()
    }

    fn publish(&self) -> io::Result<()> {
        Ok(())
    }
}
