//! A store of keys in memory.
//!
//! ```text
//! MemoryKeys ── output ─► MemoryKeysOutput: staged keys ── publish ─► MemoryKeys: published keys
//! ```

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::keys::key::{check_key, part_of};
use crate::{GetRange, KeyOutput, KeyStore, ValueWriter};

/// A store of keys in memory, for tests and small datasets. Clones share their content.
#[derive(Debug, Clone, Default)]
pub struct MemoryKeys {
    published: Arc<Mutex<Values>>,
}

/// A dataset that is being written to a [`MemoryKeys`]. Dropping it without publishing leaves nothing.
#[derive(Debug)]
pub struct MemoryKeysOutput {
    store: MemoryKeys,
    staged: Arc<Mutex<Values>>,
}

type Values = BTreeMap<String, Arc<Vec<u8>>>;

impl MemoryKeys {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// A dataset that replaces the content of the store when it is published.
    pub fn output(&self) -> MemoryKeysOutput {
        MemoryKeysOutput {
            store: self.clone(),
            staged: Arc::default(),
        }
    }
}

fn lock(values: &Mutex<Values>) -> MutexGuard<'_, Values> {
    values.lock().unwrap_or_else(PoisonError::into_inner)
}

fn keys(values: &Values, prefix: &str) -> Vec<String> {
    let from = values.range::<str, _>((std::ops::Bound::Included(prefix), std::ops::Bound::Unbounded));
    from.map(|(key, _)| key)
        .take_while(|key| key.starts_with(prefix))
        .cloned()
        .collect()
}

impl KeyStore for MemoryKeys {
    fn get(&self, key: &str, part: GetRange) -> io::Result<Option<Vec<u8>>> {
        check_key(key)?;
        let value = lock(&self.published).get(key).cloned();
        Ok(value.map(|value| part_of(&value, part).to_vec()))
    }

    fn size(&self, key: &str) -> io::Result<Option<u64>> {
        check_key(key)?;
        Ok(lock(&self.published).get(key).map(|value| value.len() as u64))
    }

    fn list(&self, prefix: &str) -> io::Result<Vec<String>> {
        Ok(keys(&lock(&self.published), prefix))
    }
}

impl KeyOutput for MemoryKeysOutput {
    fn put(&self, key: &str, value: &[u8]) -> io::Result<()> {
        check_key(key)?;
        lock(&self.staged).insert(key.to_owned(), Arc::new(value.to_vec()));
        Ok(())
    }

    fn put_last(&self, key: &str, value: &[u8]) -> io::Result<()> {
        self.put(key, value)
    }

    fn create(&self, key: &str) -> io::Result<Box<dyn ValueWriter>> {
        check_key(key)?;
        Ok(Box::new(MemoryValue {
            staged: Arc::clone(&self.staged),
            key: key.to_owned(),
            value: Mutex::default(),
        }))
    }

    fn staged(&self, key: &str) -> io::Result<Option<Vec<u8>>> {
        check_key(key)?;
        Ok(lock(&self.staged).get(key).map(|value| value.to_vec()))
    }

    fn staged_keys(&self, prefix: &str) -> io::Result<Vec<String>> {
        Ok(keys(&lock(&self.staged), prefix))
    }

    fn read_staged(&self) -> io::Result<Option<Arc<dyn KeyStore>>> {
        let staged = MemoryKeys {
            published: Arc::clone(&self.staged),
        };
        Ok(Some(Arc::new(staged)))
    }

    fn publish(&self) -> io::Result<()> {
        *lock(&self.store.published) = std::mem::take(&mut *lock(&self.staged));
        Ok(())
    }
}

/// A value that is being written.
struct MemoryValue {
    staged: Arc<Mutex<Values>>,
    key: String,
    value: Mutex<Vec<u8>>,
}

impl MemoryValue {
    fn value(&self) -> MutexGuard<'_, Vec<u8>> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ValueWriter for MemoryValue {
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let from = usize::try_from(offset).ok();
        let range = from.and_then(|from| Some(from..from.checked_add(bytes.len())?));
        let range = range.ok_or(io::ErrorKind::OutOfMemory)?;
        let mut value = self.value();
        if range.end > value.len() {
            value.resize(range.end, 0);
        }
        value[range].copy_from_slice(bytes);
        Ok(())
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        let size = usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.value().resize(size, 0);
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let value = self.value.into_inner().unwrap_or_else(PoisonError::into_inner);
        lock(&self.staged).insert(self.key, Arc::new(value));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ByteRange;
    use crate::keys::key::HOSTILE;

    #[test]
    fn one_level_can_be_listed() {
        let keys = MemoryKeys::new();
        let out = keys.output();
        for key in ["a/b/c", "a/d", "a.x", "e", "a/b/f"] {
            out.put(key, b"").unwrap();
        }
        out.publish().unwrap();
        assert_eq!(keys.list_children("").unwrap(), ["a.x", "a/", "e"]);
        assert_eq!(keys.list_children("a/").unwrap(), ["b/", "d"]);
    }

    #[test]
    fn keys_are_checked() {
        let keys = MemoryKeys::new();
        let out = keys.output();
        for key in HOSTILE {
            assert!(out.put(key, b"x").is_err(), "{key:?}");
            assert!(out.create(key).is_err(), "{key:?}");
            assert!(keys.get(key, GetRange::Whole).is_err(), "{key:?}");
        }
    }

    #[test]
    fn what_is_not_published_leaves_nothing() {
        let keys = MemoryKeys::new();
        let dropped = keys.output();
        dropped.put("a", b"x").unwrap();
        drop(dropped);
        let out = keys.output();
        assert_eq!(out.staged_keys("").unwrap(), [""; 0]);
        out.put("b", b"x").unwrap();
        out.publish().unwrap();
        assert_eq!(keys.list("").unwrap(), ["b"]);
    }

    #[test]
    fn what_is_staged_is_seen_when_it_is_published() {
        let store = MemoryKeys::new();
        let out = store.output();
        out.put("a/1", b"one").unwrap();
        out.put_last("a", b"meta").unwrap();
        let long = out.create("b").unwrap();
        long.write_at(4, b"456789").unwrap();
        long.write_at(0, b"0123").unwrap();
        long.set_size(10).unwrap();
        assert_eq!(out.staged_keys("").unwrap(), ["a", "a/1"]);
        long.finish().unwrap();
        out.create("never").unwrap().write_at(0, b"x").unwrap();
        assert_eq!(store.list("").unwrap(), [""; 0]);
        assert_eq!(out.staged("a").unwrap().unwrap(), b"meta");
        out.publish().unwrap();
        assert_eq!(store.list("a/").unwrap(), ["a/1"]);
        assert_eq!(store.list("").unwrap(), ["a", "a/1", "b"]);
        assert_eq!(store.size("b").unwrap(), Some(10));
        let part = |part| store.get("b", part).unwrap().unwrap();
        let range = |offset, length| part(GetRange::Range(ByteRange { offset, length }));
        assert_eq!(range(8, 9), b"89");
        assert_eq!(range(u64::MAX, usize::MAX), b"");
        assert_eq!(part(GetRange::Suffix(3)), b"789");
        assert_eq!(part(GetRange::Suffix(30)), b"0123456789");
        assert_eq!(store.get("c", GetRange::Whole).unwrap(), None);
        out.put("c", b"").unwrap();
        out.publish().unwrap();
        assert_eq!(
            store.list("").unwrap(),
            ["c"],
            "the dataset before is replaced as a whole"
        );
    }
}
