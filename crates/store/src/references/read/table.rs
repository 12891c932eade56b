//! [`ReferenceTable`]: references in memory, 32 bytes and the key for each.

use std::io;
use std::sync::Arc;

use super::keys::ReferenceSet;
use crate::Sought;
use crate::references::Reference;
use crate::references::reference_pool::{MOST_TEXT, PooledReference, ReferencePool, make_room};
use ncutils_model::error::{Error, Result};

/// Most references that one file may have.
const MOST: usize = 100_000_000;

/// References by key, ascending.
#[derive(Debug, Default)]
pub struct ReferenceTable {
    /// All keys, one behind another.
    keys: Vec<u8>,
    pool: ReferencePool,
    entries: Vec<ReferenceEntry>,
}

#[derive(Debug, Clone, Copy)]
struct ReferenceEntry {
    /// Position of the key, below [`MOST_TEXT`].
    key: u32,
    key_length: u32,
    reference: PooledReference,
}

impl ReferenceTable {
    /// Adds a key whose value is a part of an object, or all of it. Of several references of one key, the last counts.
    ///
    /// # Errors
    /// If there are too many.
    pub fn add_stored(&mut self, key: &[u8], object: &str, range: Option<(u64, u64)>) -> Result<()> {
        let reference = self.pool.stored(object, range, None)?;
        self.add(key, reference)
    }

    /// Adds a key with its value.
    ///
    /// # Errors
    /// If there are too many, or their values are too long.
    pub fn add_inline(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let reference = self.pool.inline(value)?;
        self.add(key, reference)
    }

    fn add(&mut self, key: &[u8], reference: PooledReference) -> Result<()> {
        if self.entries.len() == MOST || self.keys.len() + key.len() >= MOST_TEXT {
            return Err(Error::Unsupported(format!(
                "a file of more than {MOST} references, or {MOST_TEXT} bytes of keys; a dataset in Parquet files may have more"
            )));
        }
        let count = self.entries.len();
        let no_room = |_| {
            Error::Unsupported(format!(
                "a file of more than {count} references, for which memory has no room,"
            ))
        };
        make_room(&mut self.keys, key.len()).map_err(no_room)?;
        make_room(&mut self.entries, 1).map_err(no_room)?;
        self.entries.push(ReferenceEntry {
            key: self.keys.len() as u32,
            key_length: key.len() as u32,
            reference,
        });
        self.keys.extend_from_slice(key);
        Ok(())
    }

    /// Replaces the names of objects by what `change` makes of them.
    ///
    /// # Errors
    /// Those of `change`.
    pub fn change_objects(&mut self, change: impl Fn(&str) -> Result<String>) -> Result<()> {
        self.pool.change_objects(change)
    }

    /// Number of references.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True without any reference.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The objects that references lead to.
    pub fn objects(&self) -> impl Iterator<Item = &Arc<str>> {
        self.pool.objects()
    }

    /// Sorts the references, so that they are found.
    pub fn finish(&mut self) {
        self.pool.finish();
        let keys = &self.keys;
        // Of equal keys, the last comes first.
        let order =
            |a: &ReferenceEntry, b: &ReferenceEntry| text(keys, a).cmp(text(keys, b)).then(b.key.cmp(&a.key));
        if !self.entries.is_sorted_by(|a, b| text(keys, a) < text(keys, b)) {
            self.entries.sort_unstable_by(order);
            self.entries.dedup_by(|a, b| text(keys, a) == text(keys, b));
        }
    }

    fn key(&self, entry: &ReferenceEntry) -> &[u8] {
        text(&self.keys, entry)
    }

    /// Position of the first key that is not before `key`.
    fn position(&self, key: &[u8]) -> usize {
        self.entries.partition_point(|entry| self.key(entry) < key)
    }
}

fn text<'k>(keys: &'k [u8], entry: &ReferenceEntry) -> &'k [u8] {
    let from = entry.key as usize;
    &keys[from..from + entry.key_length as usize]
}

impl ReferenceSet for ReferenceTable {
    fn find(&self, key: &str) -> io::Result<Option<Reference>> {
        let at = self.position(key.as_bytes());
        let found = self
            .entries
            .get(at)
            .filter(|entry| self.key(entry) == key.as_bytes());
        Ok(found.map(|entry| self.pool.get(&entry.reference)))
    }

    fn objects(&self, each: &mut dyn FnMut(&str)) -> io::Result<()> {
        self.pool.objects().for_each(|name| each(name));
        Ok(())
    }

    fn may_lead_to(&self, _: &Sought<'_>) -> io::Result<Option<bool>> {
        // The names are few, as the pool has each once.
        Ok(Some(true))
    }

    fn list(&self, prefix: &str) -> io::Result<Vec<String>> {
        let mut all = Vec::new();
        self.list_handles(prefix, &mut |key, _| all.push(key.to_owned()))?;
        Ok(all)
    }

    fn list_handles(&self, prefix: &str, each: &mut dyn FnMut(&str, u32)) -> io::Result<bool> {
        let first = self.position(prefix.as_bytes());
        for (entry, handle) in self.entries[first..].iter().zip(first as u32..) {
            let key = self.key(entry);
            if !key.starts_with(prefix.as_bytes()) {
                break;
            }
            each(&String::from_utf8_lossy(key), handle);
        }
        Ok(true)
    }

    fn by_handle(&self, handle: u32) -> Option<Reference> {
        self.entries
            .get(handle as usize)
            .map(|entry| self.pool.get(&entry.reference))
    }

    fn list_children(&self, folder: &str) -> io::Result<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        let mut at = self.position(folder.as_bytes());
        while let Some(key) = self.entries.get(at).map(|entry| self.key(entry)) {
            let Some(rest) = key.strip_prefix(folder.as_bytes()) else {
                break;
            };
            let end = rest.iter().position(|byte| *byte == b'/').map(|end| end + 1);
            let name = &rest[..end.unwrap_or(rest.len())];
            at = match end {
                None => at + 1,
                // '0' follows '/': the first key behind the folder.
                Some(_) => self.position(&[folder.as_bytes(), &name[..name.len() - 1], b"0"].concat()),
            };
            names.push(String::from_utf8_lossy(name).into_owned());
        }
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_and_listed() {
        let mut table = ReferenceTable::default();
        for key in ["v/0.1", "v-2/x", "v/0.0", ".zgroup", "v", "v0/a/b", "v/.zarray"] {
            table.add_stored(key.as_bytes(), "a.nc", Some((1, 2))).unwrap();
        }
        table.add_inline(b"v/0.0", b"abc").unwrap();
        table.add_stored(b"w", "b.nc", None).unwrap();
        table.finish();
        assert_eq!((table.len(), table.objects().count()), (8, 2));
        assert_eq!(
            table.find("v/0.0").unwrap(),
            Some(Reference::Inline(b"abc".to_vec()))
        );
        let Some(Reference::Stored(found)) = table.find("w").unwrap() else {
            panic!("no reference")
        };
        assert_eq!((&*found.object, found.range), ("b.nc", None));
        assert_eq!(table.find("v/0").unwrap(), None);
        assert_eq!(table.list("v/").unwrap(), ["v/.zarray", "v/0.0", "v/0.1"]);
        let children = table.list_children("").unwrap();
        assert_eq!(children, [".zgroup", "v", "v-2/", "v/", "v0/", "w"]);
        assert_eq!(table.list_children("v0/").unwrap(), ["a/"]);
    }
}
