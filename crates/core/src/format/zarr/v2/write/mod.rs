//! Writing a hierarchy of version 2.
//!
//! ```text
//! schema, plans ─► check ─► metadata: `.zgroup`, `.zarray`, `.zattrs` ─► ZarrWriter ◄─ chunks, values
//!                             ▲
//!                           structure: `dtype` of compounds
//! finish ─► the documents, last of all `.zmetadata` ─► publish
//!
//! warnings: what programs cannot read of an output
//! ```

mod check;
mod metadata;
mod structure;
mod warnings;

pub use check::{check, check_plans};
pub use warnings::warnings;

use std::sync::Arc;

use crate::error::Result;
use crate::format::VariablePlan;
use crate::format::zarr::json::Json;
use crate::format::zarr::keys::CONSOLIDATED;
use crate::format::zarr::options::ZarrOptions;
use crate::format::zarr::write::{HierarchyDocuments, ZarrWriter, grids};
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
    let documents = HierarchyDocuments {
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
