//! Writing a hierarchy of version 2, and the chunks of both versions.
//!
//! ```text
//! chunks, values ─► writer ─┬─► keys below each array
//!                           └─► shards (version 3): chunks in a row, then the index
//! finish ─► metadata: groups and arrays ─► documents ─► keys, last of all `.zmetadata` ─► publish
//! ```

mod check;
mod fill_chunk;
mod metadata;
mod packing;
mod shard_file;
mod shards;
mod strings;
mod structure;
mod value_form;
mod warnings;
mod writer;

pub use check::{check, check_plans};
pub use packing::Packing;
pub use shard_file::{ShardBytes, ShardFile, ShardFiles};
pub use shards::ShardGrid;
pub use warnings::warnings;
pub use writer::{Documents, ZarrWriter, grids};

use std::sync::Arc;

use super::json::Json;
use super::keys::CONSOLIDATED;
use super::options::ZarrOptions;
use crate::error::Result;
use crate::format::VariablePlan;
use crate::model::{ChunkKeys, Schema};
use crate::store::KeyOutput;

/// The documents of a hierarchy of version 2.
///
/// # Errors
/// What Zarr cannot hold.
pub fn documents(
    schema: &Schema,
    plans: &[VariablePlan],
    options: ZarrOptions,
) -> Result<Vec<(String, Json)>> {
    Ok(metadata::metadata(schema, plans, &grids(schema, plans)?, options)?.documents)
}

/// Begins a hierarchy of version 2.
///
/// # Errors
/// What Zarr cannot hold.
pub fn create(
    output: Arc<dyn KeyOutput>,
    schema: &Schema,
    plans: &[VariablePlan],
    options: ZarrOptions,
) -> Result<ZarrWriter> {
    check_plans(schema, plans)?;
    let metadata = metadata::metadata(schema, plans, &grids(schema, plans)?, options)?;
    let documents = Documents {
        all: metadata.documents,
        last: match options.consolidated {
            true => |documents| Some((CONSOLIDATED, metadata::consolidated(documents))),
            false => |_| None,
        },
        keys: Some(ChunkKeys {
            separator: options.separator,
            ..ChunkKeys::V2
        }),
    };
    ZarrWriter::begin(output, schema, plans, documents)
}
