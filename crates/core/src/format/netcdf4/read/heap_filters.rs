//! The filters over a file's own structure: heaps of links, in groups that were made with filters.

use ncutils_hdf5::{Encoded, FilterDecoder};

use super::storage::filter_specs;
use crate::filter::Context;
use crate::filter::pipeline::{self, Scratch};

/// Undoes them with the filters that are built in.
pub(super) struct HeapFilters;

impl FilterDecoder for HeapFilters {
    fn decode(&self, encoded: &Encoded<'_>) -> Result<Vec<u8>, String> {
        let context = Context {
            element_size: encoded.element_size,
            chunk_size: encoded.size,
        };
        let mut block = Vec::new();
        pipeline::decode_into(
            &filter_specs(encoded.filters),
            encoded.stored,
            encoded.mask,
            &context,
            &mut Scratch::new(),
            &mut block,
        )
        .map(|()| block)
        .map_err(|error| error.to_string())
    }
}
