//! Which bytes of the file hold the raw data of a dataset.

use crate::chunk_index;
use crate::dataset::Layout;
use crate::metadata::{Extents, MetadataReader};
use crate::reader::dataset::Dataset;

/// The raw data of a dataset, as far as its chunk index can be read.
pub(super) fn extents(reader: &MetadataReader, dataset: &Dataset) -> Extents {
    let mut own = Extents::default();
    match &dataset.layout {
        Layout::Contiguous {
            address: Some(address),
            size,
        } => own.add(*address, *size),
        Layout::Chunked(layout) => {
            let table = chunk_index::chunk_table(reader, dataset.address, &dataset.dataspace, layout, &[]);
            // Chunks that are computed are in one piece, but for their order.
            for chunk in table.iter().flat_map(|table| table.iter()).flatten() {
                own.add(chunk.address, chunk.size);
            }
        }
        _ => {}
    }
    own.join();
    own
}
