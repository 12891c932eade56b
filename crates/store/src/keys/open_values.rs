//! Values that are read range by range: each is opened once, and the last few stay open.

use std::io;
use std::sync::Arc;

use crate::{BoundedCache, ByteRange, GetRange, KeyStore, Object};

/// Most values that stay open. Threads work within few at a time.
const MOST: usize = 16;

/// The values of a store that are open.
pub struct OpenValues {
    store: Arc<dyn KeyStore>,
    open: BoundedCache<String, Arc<dyn Object>>,
}

impl OpenValues {
    /// No value of `store` is open.
    pub fn new(store: Arc<dyn KeyStore>) -> Self {
        Self {
            store,
            open: BoundedCache::new(MOST),
        }
    }

    /// Reads a range of a key's value into `bytes`, whose old content is lost. It is shorter if the value ends before.
    /// Returns false if the key does not exist.
    ///
    /// # Errors
    /// If the store fails.
    pub fn read(&self, key: &str, range: ByteRange, bytes: &mut Vec<u8>) -> io::Result<bool> {
        let object = match self.object(key) {
            Ok(Some(object)) => object,
            Ok(None) => return Ok(false),
            Err(e) if e.kind() == io::ErrorKind::Unsupported => {
                let found = self.store.get(key, GetRange::Range(range))?;
                return Ok(found.map(|found| *bytes = found).is_some());
            }
            Err(e) => return Err(e),
        };
        let size = object.size()?.unwrap_or(u64::MAX);
        let within = GetRange::Range(range).within(size);
        let length = usize::try_from(within.end - within.start).map_err(|_| io::ErrorKind::OutOfMemory)?;
        bytes.clear();
        bytes
            .try_reserve_exact(length)
            .map_err(|_| io::ErrorKind::OutOfMemory)?;
        bytes.resize(length, 0);
        object.read_exact_at(within.start, bytes)?;
        Ok(true)
    }

    /// The size of a key's value; `None` if the key does not exist, or the value does not know it.
    ///
    /// # Errors
    /// `Unsupported` if values cannot be opened. Otherwise the store's error.
    pub fn size(&self, key: &str) -> io::Result<Option<u64>> {
        match self.object(key)? {
            Some(object) => object.size(),
            None => Ok(None),
        }
    }

    /// The open value of a key.
    fn object(&self, key: &str) -> io::Result<Option<Arc<dyn Object>>> {
        if let Some(object) = self.open.get(key) {
            return Ok(Some(object));
        }
        let Some(object) = self.store.open_value(key)? else {
            return Ok(None);
        };
        self.open.keep(key.to_owned(), Arc::clone(&object), 1);
        Ok(Some(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DirectoryKeys, KeyOutput, MemoryKeys};

    fn range(offset: u64, length: usize) -> ByteRange {
        ByteRange { offset, length }
    }

    #[test]
    fn ranges_are_those_of_the_store() {
        let folder = tempfile::tempdir().unwrap();
        let memory = MemoryKeys::new();
        let output = memory.output();
        for n in 0..40u8 {
            let value = vec![n; 10];
            std::fs::write(folder.path().join(n.to_string()), &value).unwrap();
            output.put(&n.to_string(), &value).unwrap();
        }
        output.publish().unwrap();
        let folder = DirectoryKeys::open(folder.path()).unwrap();
        for store in [Arc::new(folder) as Arc<dyn KeyStore>, Arc::new(memory)] {
            let values = OpenValues::new(store);
            let mut bytes = vec![7; 3];
            for n in (0..40).chain([39, 39, 0, 30, 39]) {
                assert!(values.read(&n.to_string(), range(2, 4), &mut bytes).unwrap());
                assert_eq!(bytes, [n as u8; 4]);
            }
            assert!(values.read("5", range(8, 100), &mut bytes).unwrap());
            assert_eq!(bytes, [5, 5]);
            assert!(!values.read("x", range(0, 1), &mut bytes).unwrap());
            assert!(values.open.cost() <= MOST);
        }
    }
}
