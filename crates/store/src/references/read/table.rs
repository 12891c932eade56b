//! [`ReferenceTable`]: references in memory, 32 bytes and the key for each.

use std::collections::{HashMap, TryReserveError};
use std::io;
use std::sync::Arc;

use super::keys::ReferenceSet;
use super::objects::checked_bytes;
use crate::references::{Reference, StoredRange};
use ncutils_model::error::{Error, Result};

/// Most references that one file may have.
const MOST: usize = 100_000_000;

/// Most bytes of keys and of values, each.
pub const MOST_BYTES: usize = 4 << 30;

/// The object of a value that stands among the references.
const INLINE: u32 = u32::MAX;

/// The length of a whole object.
const WHOLE: u64 = u64::MAX;

/// References by key, ascending.
#[derive(Debug, Default)]
pub struct ReferenceTable {
    /// All keys, one behind another.
    keys: Vec<u8>,
    /// All values that stand among the references.
    values: Vec<u8>,
    /// The objects that references lead to.
    objects: Vec<Arc<str>>,
    /// Bytes of their names.
    object_bytes: usize,
    entries: Vec<Entry>,
    numbers: HashMap<String, u32>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Position of the key, below [`MOST_BYTES`].
    key: u32,
    key_length: u32,
    /// Position of the object's name, or [`INLINE`].
    object: u32,
    offset: u64,
    length: u64,
}

impl ReferenceTable {
    /// Adds a key whose value is a part of an object, or all of it. Of several references of one key, the last counts.
    ///
    /// # Errors
    /// If there are too many.
    pub fn add_stored(&mut self, key: &[u8], object: &str, range: Option<(u64, u64)>) -> Result<()> {
        // Usually the same object as before.
        let last = self.entries.last().map(|entry| entry.object);
        let same = last.filter(|last| {
            self.objects
                .get(*last as usize)
                .is_some_and(|name| **name == *object)
        });
        let known = same.or_else(|| self.numbers.get(object).copied());
        let number = match known {
            Some(number) => number,
            None => {
                let number = self.objects.len() as u32;
                self.object_bytes = checked_bytes(self.object_bytes, object)?;
                self.objects.push(object.into());
                self.numbers.insert(object.to_owned(), number);
                number
            }
        };
        let (offset, length) = range.unwrap_or((0, WHOLE));
        self.add(key, number, offset, length)
    }

    /// Adds a key with its value.
    ///
    /// # Errors
    /// If there are too many, or their values are too long.
    pub fn add_inline(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        if self.values.len() + value.len() > MOST_BYTES {
            return Err(Error::Unsupported(format!(
                "references with more than {MOST_BYTES} bytes of values"
            )));
        }
        let offset = self.values.len() as u64;
        room(&mut self.values, value.len())
            .map_err(|_| Error::Unsupported("references whose values are larger than memory".to_owned()))?;
        self.values.extend_from_slice(value);
        self.add(key, INLINE, offset, value.len() as u64)
    }

    fn add(&mut self, key: &[u8], object: u32, offset: u64, length: u64) -> Result<()> {
        if self.entries.len() == MOST || self.keys.len() + key.len() >= MOST_BYTES {
            return Err(Error::Unsupported(format!(
                "a file of more than {MOST} references, or {MOST_BYTES} bytes of keys; a dataset in Parquet files may have more"
            )));
        }
        let count = self.entries.len();
        let no_room = |_| {
            Error::Unsupported(format!(
                "a file of more than {count} references, for which memory has no room,"
            ))
        };
        room(&mut self.keys, key.len()).map_err(no_room)?;
        room(&mut self.entries, 1).map_err(no_room)?;
        self.entries.push(Entry {
            key: self.keys.len() as u32,
            key_length: key.len() as u32,
            object,
            offset,
            length,
        });
        self.keys.extend_from_slice(key);
        Ok(())
    }

    /// Replaces the names of objects by what `change` makes of them.
    ///
    /// # Errors
    /// Those of `change`.
    pub fn change_objects(&mut self, change: impl Fn(&str) -> Result<String>) -> Result<()> {
        self.object_bytes = 0;
        for object in &mut self.objects {
            *object = change(object)?.into();
            self.object_bytes = checked_bytes(self.object_bytes, object)?;
        }
        self.numbers.clear();
        Ok(())
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
    pub fn objects(&self) -> &[Arc<str>] {
        &self.objects
    }

    /// Sorts the references, so that they are found.
    pub fn finish(&mut self) {
        self.numbers = HashMap::new();
        let keys = &self.keys;
        // Of equal keys, the last comes first.
        let order = |a: &Entry, b: &Entry| text(keys, a).cmp(text(keys, b)).then(b.key.cmp(&a.key));
        if !self.entries.is_sorted_by(|a, b| text(keys, a) < text(keys, b)) {
            self.entries.sort_unstable_by(order);
            self.entries.dedup_by(|a, b| text(keys, a) == text(keys, b));
        }
    }

    fn key(&self, entry: &Entry) -> &[u8] {
        text(&self.keys, entry)
    }

    fn reference(&self, entry: &Entry) -> Reference {
        match entry.object {
            INLINE => {
                let from = entry.offset as usize;
                Reference::Inline(self.values[from..from + entry.length as usize].to_vec())
            }
            object => Reference::Stored(StoredRange {
                object: Arc::clone(&self.objects[object as usize]),
                range: (entry.length != WHOLE).then_some((entry.offset, entry.length)),
                version: None,
            }),
        }
    }

    /// Position of the first key that is not before `key`.
    fn position(&self, key: &[u8]) -> usize {
        self.entries.partition_point(|entry| self.key(entry) < key)
    }
}

/// Makes room for more elements. A list of many grows by a quarter of its length, as both copies are in memory then.
fn room<T>(list: &mut Vec<T>, more: usize) -> std::result::Result<(), TryReserveError> {
    match list.capacity() - list.len() < more {
        true => list.try_reserve_exact(more.max(list.len() / 4).max(1024)),
        false => Ok(()),
    }
}

fn text<'k>(keys: &'k [u8], entry: &Entry) -> &'k [u8] {
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
        Ok(found.map(|entry| self.reference(entry)))
    }

    fn objects(&self, each: &mut dyn FnMut(&str)) -> io::Result<()> {
        self.objects.iter().for_each(|name| each(name));
        Ok(())
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
            .map(|entry| self.reference(entry))
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
        assert_eq!((table.len(), table.objects().len()), (8, 2));
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

    #[test]
    fn names_of_objects_have_a_limit() {
        let mut table = ReferenceTable::default();
        let long = "x".repeat(1 << 20);
        let mut add = |n: usize| table.add_stored(b"k", &format!("{long}{n}"), None);
        assert!((0..255).all(|n| add(n).is_ok()));
        assert!(add(0).is_ok());
        assert!(add(255).unwrap_err().to_string().contains("names have more than"));
        let told = table
            .change_objects(|object| Ok(format!("{object}{object}")))
            .unwrap_err();
        assert!(told.to_string().contains("names have more than"));
    }
}
