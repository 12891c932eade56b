//! [`ListedReferences`]: references that were listed, so that they are found by a number and not by their keys.

use std::io;
use std::sync::{PoisonError, RwLock};

use super::reference::{ObjectVersion, Reference};
use super::reference_pool::{PooledReference, ReferencePool, make_room};
use ncutils_model::error::Result;

/// Most references that are kept.
const MOST: usize = 8_000_000;

/// Most bytes of values and objects that are kept.
const MOST_KEPT: usize = 128 << 20;

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
        self.keep(object.len(), |pool| pool.stored(object, range, version))
    }

    /// Keeps a value. Returns its handle; `None` if there is no room for more.
    ///
    /// # Errors
    /// If all values are too long.
    pub fn inline(&self, value: &[u8]) -> io::Result<Option<u32>> {
        self.keep(value.len(), |pool| pool.inline(value))
    }

    fn keep(
        &self,
        bytes: usize,
        pooled: impl FnOnce(&mut ReferencePool) -> Result<PooledReference>,
    ) -> io::Result<Option<u32>> {
        let listed = &mut *self.0.write().unwrap_or_else(PoisonError::into_inner);
        if listed.references.len() >= MOST || listed.pool.bytes() + bytes > MOST_KEPT {
            return Ok(None);
        }
        if make_room(&mut listed.references, 1).is_err() {
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
mod tests;
