//! A store of keys in memory.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::key::part_of;
use super::{KeyOutput, KeyStore, Part, ValueWriter};

/// A store of keys in memory, for tests and small datasets. Clones share their content.
#[derive(Debug, Clone, Default)]
pub struct MemoryKeys {
    state: Arc<Mutex<State>>,
}

type Values = BTreeMap<String, Arc<Vec<u8>>>;

#[derive(Debug, Default)]
struct State {
    published: Values,
    staged: Values,
}

impl MemoryKeys {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn keys(values: &Values, prefix: &str) -> Vec<String> {
    let from = values.range::<str, _>((std::ops::Bound::Included(prefix), std::ops::Bound::Unbounded));
    from.map(|(key, _)| key)
        .take_while(|key| key.starts_with(prefix))
        .cloned()
        .collect()
}

impl KeyStore for MemoryKeys {
    fn get(&self, key: &str, part: Part) -> io::Result<Option<Vec<u8>>> {
        let value = self.state().published.get(key).cloned();
        Ok(value.map(|value| part_of(&value, part).to_vec()))
    }

    fn size(&self, key: &str) -> io::Result<Option<u64>> {
        Ok(self.state().published.get(key).map(|value| value.len() as u64))
    }

    fn list(&self, prefix: &str) -> io::Result<Vec<String>> {
        Ok(keys(&self.state().published, prefix))
    }
}

impl KeyOutput for MemoryKeys {
    fn put(&self, key: &str, value: &[u8]) -> io::Result<()> {
        let value = Arc::new(value.to_vec());
        self.state().staged.insert(key.to_owned(), value);
        Ok(())
    }

    fn put_last(&self, key: &str, value: &[u8]) -> io::Result<()> {
        self.put(key, value)
    }

    fn create(&self, key: &str) -> io::Result<Box<dyn ValueWriter>> {
        Ok(Box::new(MemoryValue {
            store: self.clone(),
            key: key.to_owned(),
            value: Vec::new(),
        }))
    }

    fn staged(&self, key: &str) -> io::Result<Option<Vec<u8>>> {
        Ok(self.state().staged.get(key).map(|value| value.to_vec()))
    }

    fn staged_keys(&self, prefix: &str) -> io::Result<Vec<String>> {
        Ok(keys(&self.state().staged, prefix))
    }

    fn publish(&self) -> io::Result<()> {
        let mut state = self.state();
        state.published = std::mem::take(&mut state.staged);
        Ok(())
    }
}

/// A value that is being written.
struct MemoryValue {
    store: MemoryKeys,
    key: String,
    value: Vec<u8>,
}

impl ValueWriter for MemoryValue {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.value.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.store.state().staged.insert(self.key, Arc::new(self.value));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_level_can_be_listed() {
        let keys = MemoryKeys::new();
        for key in ["a/b/c", "a/d", "a.x", "e", "a/b/f"] {
            keys.put(key, b"").unwrap();
        }
        keys.publish().unwrap();
        assert_eq!(keys.list_children("").unwrap(), ["a.x", "a/", "e"]);
        assert_eq!(keys.list_children("a/").unwrap(), ["b/", "d"]);
    }
    use crate::store::ByteRange;

    #[test]
    fn what_is_staged_is_seen_when_it_is_published() {
        let store = MemoryKeys::new();
        store.put("a/1", b"one").unwrap();
        store.put_last("a", b"meta").unwrap();
        let mut long = store.create("b").unwrap();
        long.append(b"0123").unwrap();
        long.append(b"456789").unwrap();
        assert_eq!(store.staged_keys("").unwrap(), ["a", "a/1"]);
        long.finish().unwrap();
        store.create("never").unwrap().append(b"x").unwrap();
        assert_eq!(store.list("").unwrap(), [""; 0]);
        assert_eq!(store.staged("a").unwrap().unwrap(), b"meta");
        store.publish().unwrap();
        assert_eq!(store.list("a/").unwrap(), ["a/1"]);
        assert_eq!(store.list("").unwrap(), ["a", "a/1", "b"]);
        assert_eq!(store.size("b").unwrap(), Some(10));
        let part = |part| store.get("b", part).unwrap().unwrap();
        let range = |offset, length| part(Part::Range(ByteRange { offset, length }));
        assert_eq!(range(8, 9), b"89");
        assert_eq!(range(u64::MAX, usize::MAX), b"");
        assert_eq!(part(Part::Suffix(3)), b"789");
        assert_eq!(part(Part::Suffix(30)), b"0123456789");
        assert_eq!(store.get("c", Part::Whole).unwrap(), None);
        store.put("c", b"").unwrap();
        store.publish().unwrap();
        assert_eq!(
            store.list("").unwrap(),
            ["c"],
            "the dataset before is replaced as a whole"
        );
    }
}
