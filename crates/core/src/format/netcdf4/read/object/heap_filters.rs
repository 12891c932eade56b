//! The filters over a file's own structure: heaps of links, in groups that were made with filters.

use ncutils_hdf5::{Filter, FilterDecoder};

use crate::filter::Context;
use crate::filter::pipeline::{self, Scratch};
use crate::model::FilterSpec;

/// Undoes them with the filters that are built in.
pub struct HeapFilters;

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

/// A pipeline, as the rest of the program has it.
pub fn filter_specs(filters: &[Filter]) -> Vec<FilterSpec> {
    filters
        .iter()
        .map(|filter| FilterSpec {
            id: filter.id.into(),
            optional: filter.optional,
            parameters: filter.parameters.clone(),
            name: filter.name.clone(),
        })
        .collect()
}
