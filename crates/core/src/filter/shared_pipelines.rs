//! Pipelines that variables share.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use super::chunk_type::ChunkType;
use super::pipeline::Pipeline;
use super::registry::Registry;
use crate::error::Result;
use crate::model::CodecSpec;

/// Binds pipelines, and gives variables with equal codecs and equal chunks the same one. A dataset of many variables mostly
/// has few pipelines.
#[derive(Debug, Default)]
pub struct SharedPipelines {
    registry: Registry,
    hasher: RandomState,
    /// By the hash of specs and chunk type.
    bound: Mutex<HashMap<u64, Vec<Arc<Pipeline>>>>,
}

impl SharedPipelines {
    /// None yet, of codecs that `registry` has.
    pub fn new(registry: Registry) -> Self {
        Self {
            registry,
            ..Self::default()
        }
    }

    /// The codecs.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The pipeline of these codecs over such chunks.
    ///
    /// # Errors
    /// Those of [`Registry::bind`].
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
        let new = Arc::new(self.registry.bind(specs, chunk)?);
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
