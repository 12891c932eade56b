//! What checksums cover of a hierarchy besides its codecs.

use crate::chunk::ChunkGrid;
use crate::format::{Fault, OwnCheck, Reader, Written};
use crate::model::VarId;
use crate::store::KeyStore;

/// Tells the faults of the schema to `found`. Entries of a zip file have checksums, which are compared where a value is
/// read whole: chunks of shards are not.
pub(super) fn check(reader: &dyn Reader, store: &dyn KeyStore, found: &mut dyn FnMut(Fault)) -> OwnCheck {
    let schema = reader.schema();
    for fault in &schema.faults {
        found(Fault::new(fault));
    }
    for cause in &schema.replaced {
        found(Fault {
            is_replaced: true,
            ..Fault::new(cause)
        });
    }
    let mut vars = (0..schema.vars.len()).map(VarId);
    let mut uncovered = Vec::new();
    if !store.verifies() {
        uncovered.push("the metadata".to_owned());
    }
    if vars.clone().any(|var| lacks_chunks(reader, var)) {
        uncovered.push("chunks that are not there, which read as fill values".to_owned());
    }
    OwnCheck {
        covers_values: store.verifies() && vars.all(|var| reader.layout(var).shard.is_none()),
        uncovered,
        ..OwnCheck::default()
    }
}

/// True if chunks of a variable are not stored. Of a store that lists nothing, this is not known.
fn lacks_chunks(reader: &dyn Reader, var: VarId) -> bool {
    let layout = reader.layout(var);
    let grid = ChunkGrid::new(&layout.extent, layout.chunk_shape());
    match (reader.written(var), grid) {
        (Ok(Written::All), _) => false,
        (Ok(written), Ok(grid)) => written.chunks(&grid).len() < grid.len(),
        _ => false,
    }
}
