//! [`ReferencePool`]: objects and values that many references share. A reference takes 24 bytes, an object about 150 and its name.

use std::collections::{HashMap, TryReserveError};
use std::sync::Arc;

use super::reference::{ObjectVersion, Reference, StoredRange};
use ncutils_model::error::{Error, Result};

/// Most bytes of all values of a pool, or of all keys of a table.
pub const MOST_TEXT: usize = 4 << 30;

/// Most bytes of the names of objects, each of which counts once.
const MOST_OBJECT_BYTES: usize = 256 << 20;

/// Bytes that an object takes beside its name and its ETag.
const OBJECT: usize = 128;

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
    /// Bytes that the objects take in memory, about.
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
    /// A pool that begins with these values.
    pub fn of_values(values: Vec<u8>) -> Self {
        Self {
            values,
            ..Self::default()
        }
    }

    /// The reference to `length` bytes of the values, from `from` on.
    pub fn inline_at(&self, from: u32, length: u32) -> PooledReference {
        PooledReference {
            object: INLINE,
            offset: from.into(),
            length: length.into(),
        }
    }

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
                self.object_bytes = checked_bytes(self.object_bytes, object_bytes(object, version))?;
                self.objects.push((Arc::clone(&name), version.cloned()));
                self.numbers.insert(name, number);
                number
            }
        };
        self.last = number;
        // No object has so many bytes: a range that cannot be read stays one.
        let (offset, length) = range.map_or((0, WHOLE), |(offset, length)| (offset, length.min(WHOLE - 1)));
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
        if self.values.len() + value.len() > MOST_TEXT {
            return Err(Error::Unsupported(format!(
                "references with more than {MOST_TEXT} bytes of values"
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
                let value = self.values.get(from..from + pooled.length as usize);
                Reference::Inline(value.unwrap_or_default().to_vec())
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
        for (object, version) in &mut self.objects {
            *object = change(object)?.into();
            self.object_bytes = checked_bytes(self.object_bytes, object_bytes(object, version.as_ref()))?;
        }
        self.numbers.clear();
        Ok(())
    }

    /// The objects that references lead to.
    pub fn objects(&self) -> impl Iterator<Item = &Arc<str>> {
        self.objects.iter().map(|(name, _)| name)
    }

    /// Bytes that values and objects take in memory, about.
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

/// Bytes that an object takes.
fn object_bytes(name: &str, version: Option<&ObjectVersion>) -> usize {
    let tag = match version {
        Some(ObjectVersion::ETag(tag)) => tag.len(),
        Some(ObjectVersion::LastModified(_)) | None => 0,
    };
    OBJECT + name.len() + tag
}

/// Adds bytes of the names of objects to a total, up to a limit.
pub(super) fn checked_bytes(before: usize, bytes: usize) -> Result<usize> {
    let bytes = before.saturating_add(bytes);
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
        assert_eq!(pool.bytes(), 3 * OBJECT + 6);
        let endless = pool.stored("b", Some((0, u64::MAX)), None).unwrap();
        let Reference::Stored(found) = pool.get(&endless) else {
            panic!("no range")
        };
        assert_eq!(found.range, Some((0, u64::MAX - 1)));
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
