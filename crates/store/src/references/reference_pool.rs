//! [`ReferencePool`]: what many references have in common, so that each takes 24 bytes.

use std::collections::{HashMap, TryReserveError};
use std::sync::Arc;

use super::reference::{ObjectVersion, Reference, StoredRange};
use ncutils_model::error::{Error, Result};

/// Most bytes of values.
pub const MOST_BYTES: usize = 4 << 30;

/// Most bytes of the names of objects, each of which counts once.
const MOST_OBJECT_BYTES: usize = 256 << 20;

/// The object of a value that stands among the references.
const INLINE: u32 = u32::MAX;

/// The length of a whole object.
const WHOLE: u64 = u64::MAX;

/// Objects and values that references lead to.
#[derive(Debug, Default)]
pub struct ReferencePool {
    /// All values that stand among the references.
    values: Vec<u8>,
    objects: Vec<(Arc<str>, Option<ObjectVersion>)>,
    /// Bytes of their names.
    object_bytes: usize,
    /// The number of the last object of each name.
    numbers: HashMap<Arc<str>, u32>,
    /// The number of the object that was added last.
    last: u32,
}

/// A reference whose object or value is in a pool.
#[derive(Debug, Clone, Copy)]
pub struct PooledReference {
    /// Number of the object, or [`INLINE`].
    object: u32,
    offset: u64,
    length: u64,
}

impl ReferencePool {
    /// A reference to a part of an object of this version, or to all of it.
    ///
    /// # Errors
    /// If the names of objects are too long.
    pub fn stored(
        &mut self,
        object: &str,
        range: Option<(u64, u64)>,
        version: Option<&ObjectVersion>,
    ) -> Result<PooledReference> {
        let is_same = |number: &u32| {
            let known = self.objects.get(*number as usize);
            known.is_some_and(|(name, of)| **name == *object && of.as_ref() == version)
        };
        // Usually the same object as before.
        let same = Some(self.last).filter(is_same);
        let known = same.or_else(|| self.numbers.get(object).copied().filter(is_same));
        let number = match known {
            Some(number) => number,
            None => {
                let (name, number) = (Arc::<str>::from(object), self.objects.len() as u32);
                self.object_bytes = checked_bytes(self.object_bytes, object)?;
                self.objects.push((Arc::clone(&name), version.cloned()));
                self.numbers.insert(name, number);
                number
            }
        };
        self.last = number;
        let (offset, length) = range.unwrap_or((0, WHOLE));
        Ok(PooledReference {
            object: number,
            offset,
            length,
        })
    }

    /// A reference with its value.
    ///
    /// # Errors
    /// If all values are too long.
    pub fn inline(&mut self, value: &[u8]) -> Result<PooledReference> {
        if self.values.len() + value.len() > MOST_BYTES {
            return Err(Error::Unsupported(format!(
                "references with more than {MOST_BYTES} bytes of values"
            )));
        }
        let offset = self.values.len() as u64;
        make_room(&mut self.values, value.len())
            .map_err(|_| Error::Unsupported("references whose values are larger than memory".to_owned()))?;
        self.values.extend_from_slice(value);
        Ok(PooledReference {
            object: INLINE,
            offset,
            length: value.len() as u64,
        })
    }

    /// What a reference of this pool is.
    pub fn get(&self, pooled: &PooledReference) -> Reference {
        match pooled.object {
            INLINE => {
                let from = pooled.offset as usize;
                Reference::Inline(self.values[from..from + pooled.length as usize].to_vec())
            }
            number => {
                let (object, version) = &self.objects[number as usize];
                Reference::Stored(StoredRange {
                    object: Arc::clone(object),
                    range: (pooled.length != WHOLE).then_some((pooled.offset, pooled.length)),
                    version: version.clone(),
                })
            }
        }
    }

    /// Replaces the names of objects by what `change` makes of them.
    ///
    /// # Errors
    /// Those of `change`; names that are too long.
    pub fn change_objects(&mut self, change: impl Fn(&str) -> Result<String>) -> Result<()> {
        self.object_bytes = 0;
        for (object, _) in &mut self.objects {
            *object = change(object)?.into();
            self.object_bytes = checked_bytes(self.object_bytes, object)?;
        }
        self.numbers.clear();
        Ok(())
    }

    /// The objects that references lead to.
    pub fn objects(&self) -> impl Iterator<Item = &Arc<str>> {
        self.objects.iter().map(|(name, _)| name)
    }

    /// Bytes of values and names in memory.
    pub fn bytes(&self) -> usize {
        self.values.len() + self.object_bytes
    }

    /// Drops what only further references need.
    pub fn finish(&mut self) {
        self.numbers = HashMap::new();
    }
}

/// Makes room for more elements. A list of many grows by a quarter of its length, as both copies are in memory then.
pub(super) fn make_room<T>(list: &mut Vec<T>, more: usize) -> std::result::Result<(), TryReserveError> {
    match list.capacity() - list.len() < more {
        true => list.try_reserve_exact(more.max(list.len() / 4).max(1024)),
        false => Ok(()),
    }
}

/// Adds the length of an object's name to a total, up to a limit.
pub(super) fn checked_bytes(before: usize, object: &str) -> Result<usize> {
    let bytes = before.saturating_add(object.len());
    match bytes > MOST_OBJECT_BYTES {
        true => Err(Error::Unsupported(format!(
            "references to objects whose names have more than {MOST_OBJECT_BYTES} bytes"
        ))),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_of_a_name_and_a_version_are_kept_once() {
        let mut pool = ReferencePool::default();
        let tag = ObjectVersion::ETag("t".into());
        let all: Vec<PooledReference> = [
            ("a", None),
            ("a", Some(&tag)),
            ("b", None),
            ("a", Some(&tag)),
            ("b", None),
        ]
        .into_iter()
        .map(|(object, version)| pool.stored(object, Some((1, 2)), version).unwrap())
        .collect();
        assert_eq!(pool.objects().count(), 3);
        assert_eq!((all[1].object, all[2].object), (all[3].object, all[4].object));
        let Reference::Stored(found) = pool.get(&all[3]) else {
            panic!("no range")
        };
        assert_eq!((&*found.object, found.range), ("a", Some((1, 2))));
        assert_eq!(found.version, Some(tag));
        let inline = pool.inline(b"xy").unwrap();
        assert_eq!(pool.get(&inline), Reference::Inline(b"xy".to_vec()));
        assert_eq!(pool.bytes(), 5);
    }

    #[test]
    fn names_of_objects_have_a_limit() {
        let mut pool = ReferencePool::default();
        let long = "x".repeat(1 << 20);
        let mut add = |n: usize| pool.stored(&format!("{long}{n}"), None, None);
        assert!((0..255).all(|n| add(n).is_ok()));
        assert!(add(0).is_ok());
        assert!(add(255).unwrap_err().to_string().contains("names have more than"));
        let told = pool
            .change_objects(|object| Ok(format!("{object}{object}")))
            .unwrap_err();
        assert!(told.to_string().contains("names have more than"));
    }
}
