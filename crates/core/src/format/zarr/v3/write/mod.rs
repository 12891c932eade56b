//! Writing a hierarchy of version 3.
//!
//! ```text
//! chunks, values ─► ZarrWriter, as for version 2 ─► keys below each array
//! finish ─► metadata: groups and arrays ─► `zarr.json` of each, last of all the consolidated one of the root ─► publish
//! ```

pub(super) mod attributes;
mod check;
mod codecs;
mod metadata;
mod warnings;

use std::sync::Arc;

pub use check::{check, check_plans, unheld};
pub use warnings::warnings;

use super::super::json::Json;
use super::super::options::ZarrOptions;
use super::super::write::{HierarchyDocuments, ZarrWriter};
use crate::error::Result;
use crate::format::VariablePlan;
use crate::model::Schema;
use crate::store::KeyOutput;

/// The documents of a hierarchy.
///
/// # Errors
/// What Zarr cannot hold.
pub fn documents(schema: &Schema, plans: &[VariablePlan]) -> Result<Vec<(String, Json)>> {
    Ok(metadata::metadata(schema, plans)?.documents)
}

/// Creates a hierarchy.
///
/// # Errors
/// What Zarr cannot hold, or why the store fails.
pub fn create(
    output: Arc<dyn KeyOutput>,
    schema: &Schema,
    plans: &[VariablePlan],
    options: ZarrOptions,
) -> Result<ZarrWriter> {
    check_plans(schema, plans)?;
    let metadata = metadata::metadata(schema, plans)?;
    let documents = HierarchyDocuments {
        all: metadata.documents,
        last: match options.consolidated {
            true => metadata::consolidated,
            false => |_| None,
        },
        keys: None,
    };
    ZarrWriter::begin(output, schema, plans, documents)
}

#[cfg(test)]
mod tests;
