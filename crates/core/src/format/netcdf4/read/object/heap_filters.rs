//! The filters over a file's own structure: heaps of links, in groups that were made with filters.

use ncutils_hdf5::{Filter, FilterDecoder};

use crate::filter::{ChunkShape, ChunkType, Registry, Scratch};
use crate::model::CodecSpec;

/// Undoes them with the codecs of a registry.
pub struct HeapFilters(pub Registry);

impl FilterDecoder for HeapFilters {
    fn decode(&self, filters: &[Filter], mask: u32, stored: &[u8], size: usize) -> Result<Vec<u8>, String> {
        let mut block = Vec::new();
        self.0
            .bind(&codec_specs(filters), &ChunkType::of_bytes(size))
            .and_then(|pipeline| {
                pipeline.decode_into(stored, mask, ChunkShape::Full, &mut Scratch::new(), &mut block)
            })
            .map(|()| block)
            .map_err(|error| error.to_string())
    }
}

/// A pipeline, as the rest of the program has it.
pub fn codec_specs(filters: &[Filter]) -> Vec<CodecSpec> {
    let spec = |filter: &Filter| {
        CodecSpec::hdf5(filter.id.into(), filter.parameters.clone())
            .with_optional(filter.optional)
            .with_name(filter.name.clone())
    };
    filters.iter().map(spec).collect()
}
