//! Filters on a file's own structure: heaps of links in groups that were created with filters.

use ncutils_hdf5::{Encoded, Filter, FilterDecoder};

use crate::filter::{ChunkShape, ChunkType, Registry, Scratch};
use crate::model::CodecSpec;

/// Decodes such heaps with the codecs of a registry.
pub struct HeapFilters(pub Registry);

impl FilterDecoder for HeapFilters {
    fn decode(&self, encoded: &Encoded<'_>) -> Result<Vec<u8>, String> {
        let mut block = Vec::new();
        let chunk = ChunkType::of_bytes(encoded.size);
        self.0
            .bind(&codec_specs(encoded.filters), &chunk)
            .and_then(|pipeline| {
                let (stored, mask) = (encoded.stored, encoded.mask);
                pipeline.decode_into(stored, mask, ChunkShape::Full, &mut Scratch::new(), &mut block)
            })
            .map(|()| block)
            .map_err(|error| error.to_string())
    }
}

/// Converts an HDF5 pipeline to codec specs.
pub fn codec_specs(filters: &[Filter]) -> Vec<CodecSpec> {
    let spec = |filter: &Filter| {
        CodecSpec::hdf5(filter.id.into(), filter.parameters.clone())
            .with_optional(filter.optional)
            .with_name(filter.name.clone())
    };
    filters.iter().map(spec).collect()
}
