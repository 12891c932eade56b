//! A codec that counts how often it is called.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ncutils_core::filter::{
    BoundCodec, ChunkShape, ChunkType, Codec, CodecFacts, Outcome, Registry, ZarrForm,
};
use ncutils_core::model::{CodecSpec, Configuration, ZarrVersion};

/// Its id in HDF5.
pub const ID: u32 = 40_001;

/// Its name in both versions of Zarr.
pub const NAME: &str = "test.counted";

/// The codec. It inverts all bits, and adds a byte.
pub struct Counted(Arc<AtomicUsize>);

/// A registry with the codec, and the count of its calls.
pub fn registry() -> (Registry, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let mut registry = Registry::builtin();
    registry.add(Arc::new(Counted(Arc::clone(&calls))));
    (registry, calls)
}

struct Bound(Arc<AtomicUsize>);

impl Codec for Counted {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            hdf5_id: Some(ID),
            zarr2: Some(NAME),
            zarr3: Some(NAME),
            zarr_form: Some(self),
            ..CodecFacts::named("counted")
        }
    }

    fn bind(&self, _: &CodecSpec, _: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        Ok(Box::new(Bound(Arc::clone(&self.0))))
    }
}

impl ZarrForm for Counted {
    fn parameters(&self, _: ZarrVersion, configuration: &Configuration, _: &ChunkType) -> Option<Vec<u32>> {
        configuration.is_empty().then(Vec::new)
    }

    fn configuration(&self, _: ZarrVersion, parameters: &[u32], _: &ChunkType) -> Option<Configuration> {
        parameters.is_empty().then(Configuration::new)
    }
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        self.0.fetch_add(1, Ordering::SeqCst);
        out.clear();
        out.extend(input.iter().map(|byte| !byte));
        out.push(7);
        Ok(())
    }

    fn decode(&self, input: &[u8], _: ChunkShape, _: usize, out: &mut Vec<u8>) -> Outcome {
        self.0.fetch_add(1, Ordering::SeqCst);
        let (_, input) = input.split_last().ok_or("no byte")?;
        out.clear();
        out.extend(input.iter().map(|byte| !byte));
        Ok(())
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        input_len + 1
    }
}
