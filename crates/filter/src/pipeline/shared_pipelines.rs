//! Pipelines shared between variables.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use crate::codec::chunk_type::ChunkType;
use crate::pipeline::pipeline::Pipeline;
use crate::registry::registry::Registry;
use ncutils_model::CodecSpec;
use ncutils_model::error::Result;

/// Binds pipelines, and shares one between variables with equal codecs and chunk types. A dataset with many variables
/// usually has few pipelines.
#[derive(Debug, Default)]
pub struct SharedPipelines {
    registry: Registry,
    /// True if chunks have no filter mask: see [`Pipeline::without_masks`].
    without_masks: bool,
    hasher: RandomState,
    /// Pipelines by the hash of specs and chunk type.
    bound: Mutex<HashMap<u64, Vec<Arc<Pipeline>>>>,
}

impl SharedPipelines {
    /// No pipelines yet. `registry` has the codecs.
    pub fn new(registry: Registry) -> Self {
        Self {
            registry,
            ..Self::default()
        }
    }

    /// Binds pipelines for a dataset whose chunks have filter masks, or have none.
    #[must_use]
    pub fn with_masks(mut self, masks: bool) -> Self {
        self.without_masks = !masks;
        self
    }

    /// The codecs that pipelines are bound to.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The pipeline of `specs` for chunks of type `chunk`.
    ///
    /// # Errors
    /// The same as for [`Registry::bind`].
    pub fn bind(&self, specs: &[CodecSpec], chunk: &ChunkType) -> Result<Arc<Pipeline>> {
        let hash = self.hasher.hash_one((specs, chunk));
        let mut bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        let equal = bound.entry(hash).or_default();
        let found = equal
            .iter()
            .find(|p| p.specs() == specs && p.chunk_type() == chunk);
        if let Some(found) = found {
            return Ok(Arc::clone(found));
        }
        let mut new = self.registry.bind(specs, chunk)?;
        if self.without_masks {
            new = new.without_masks();
        }
        let new = Arc::new(new);
        equal.push(Arc::clone(&new));
        Ok(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ones_are_shared() {
        let pipelines = SharedPipelines::new(Registry::builtin());
        let bind = |level: u32, size| {
            let specs = [CodecSpec::hdf5(1, [level])];
            pipelines.bind(&specs, &ChunkType::of_bytes(size)).unwrap()
        };
        let first = bind(1, 10);
        assert!(Arc::ptr_eq(&first, &bind(1, 10)));
        assert!(!Arc::ptr_eq(&first, &bind(2, 10)));
        assert!(!Arc::ptr_eq(&first, &bind(1, 20)));
        assert_eq!((bind(2, 10).decoded_size(), bind(1, 20).decoded_size()), (10, 20));
    }
}
