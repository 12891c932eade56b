//! Codecs that HDF5 and Zarr store as the same bytes.

use crate::error::{Error, Result};
use crate::filter::{ChunkType, Registry};
use crate::model::{CodecSpec, Schema, VarId, VariableLayout};

/// The filters that chunks of HDF5 and of Zarr can share, for messages.
const FILTERS: &str = "none, shuffle, deflate, zstd, blosc, and fletcher32 behind them";

/// The filters of chunks of a variable, as HDF5 names them.
///
/// # Errors
/// Names the codec whose bytes HDF5 does not read.
pub fn hdf5_filters(schema: &Schema, var: VarId, layout: &VariableLayout) -> Result<Vec<CodecSpec>> {
    let registry = Registry::builtin();
    let chunk = ChunkType::new(schema, schema.var(var).ty, layout, layout.chunk_shape());
    let mut types = registry.begin(&chunk);
    let mut filters = Vec::with_capacity(layout.filters.len());
    for codec in &layout.filters {
        let given = types.pass(codec);
        let refused = || {
            Error::Usage(format!(
                "{codec} has no form in HDF5 with the same bytes; shards that are HDF5 files have these: {FILTERS}"
            ))
        };
        let filter = registry.in_hdf5(codec, &given).map_err(|_| refused())?;
        if !registry.same_streams(std::slice::from_ref(codec), std::slice::from_ref(&filter), &given) {
            return Err(refused());
        }
        filters.push(filter);
    }
    Ok(filters)
}
