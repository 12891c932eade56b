//! [`ListedReferences`]: references that were listed, so that they are found by a number and not by their keys.

use std::io;
use std::sync::{PoisonError, RwLock};

use super::reference::{ObjectVersion, Reference};
use super::reference_pool::{PooledReference, ReferencePool};
use ncutils_model::error::Result;

/// Most references that are kept.
const MOST: usize = 8_000_000;

/// Most bytes of values and of names of objects that are kept.
const MOST_BYTES: usize = 64 << 20;

/// References by their handles: numbers in the order in which they were listed.
#[derive(Debug, Default)]
pub struct ListedReferences(RwLock<Listed>);

#[derive(Debug, Default)]
struct Listed {
    pool: ReferencePool,
    references: Vec<PooledReference>,
}

impl ListedReferences {
    /// Keeps a reference to a range of an object. Returns its handle; `None` if there is no room for more.
    ///
    /// # Errors
    /// If the names of objects are too long.
    pub fn stored(
        &self,
        object: &str,
        range: Option<(u64, u64)>,
        version: Option<&ObjectVersion>,
    ) -> io::Result<Option<u32>> {
        self.keep(0, |pool| pool.stored(object, range, version))
    }

    /// Keeps a value. Returns its handle; `None` if there is no room for more.
    ///
    /// # Errors
    /// If the memory has no room.
    pub fn inline(&self, value: &[u8]) -> io::Result<Option<u32>> {
        self.keep(value.len(), |pool| pool.inline(value))
    }

    fn keep(
        &self,
        bytes: usize,
        pooled: impl FnOnce(&mut ReferencePool) -> Result<PooledReference>,
    ) -> io::Result<Option<u32>> {
        let listed = &mut *self.0.write().unwrap_or_else(PoisonError::into_inner);
        if listed.references.len() >= MOST || listed.pool.bytes() + bytes > MOST_BYTES {
            return Ok(None);
        }
        let pooled = pooled(&mut listed.pool).map_err(io::Error::other)?;
        listed.references.push(pooled);
        Ok(Some(listed.references.len() as u32 - 1))
    }

    /// The reference of a handle.
    pub fn get(&self, handle: u32) -> Option<Reference> {
        let listed = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let pooled = listed.references.get(handle as usize)?;
        Some(listed.pool.get(pooled))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_lead_to_what_was_listed_as_long_as_there_is_room() {
        let listed = ListedReferences::default();
        assert_eq!(listed.inline(b"ab").unwrap(), Some(0));
        assert_eq!(listed.stored("/d/a.nc", Some((5, 6)), None).unwrap(), Some(1));
        assert_eq!(listed.inline(&vec![0; MOST_BYTES]).unwrap(), None);
        assert_eq!(listed.get(0), Some(Reference::Inline(b"ab".to_vec())));
        let Some(Reference::Stored(found)) = listed.get(1) else {
            panic!("no range")
        };
        assert_eq!((&*found.object, found.range), ("/d/a.nc", Some((5, 6))));
        assert_eq!(listed.get(2), None);
    }
}
