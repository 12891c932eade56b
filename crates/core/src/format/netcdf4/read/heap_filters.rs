//! The filters over a file's own structure: heaps of links, in groups that were made with filters.

use ncutils_hdf5::{Filter, FilterDecoder};

use super::storage::filter_specs;
use crate::filter::Context;
use crate::filter::pipeline::{self, Scratch};

/// Undoes them with the filters that are built in.
pub(super) struct HeapFilters;

impl FilterDecoder for HeapFilters {
    fn decode(&self, filters: &[Filter], mask: u32, stored: &[u8], size: usize) -> Result<Vec<u8>, String> {
        let context = Context {
            element_size: 1,
            chunk_size: size,
        };
        let mut block = Vec::new();
        pipeline::decode_into(
            &filter_specs(filters),
            stored,
            mask,
            &context,
            &mut Scratch::new(),
            &mut block,
        )
        .map(|()| block)
        .map_err(|error| error.to_string())
    }
}
