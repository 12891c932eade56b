//! [`DatasetMap`]: all that a map shows.

use super::alternatives::{Alternative, alternatives};
use super::chunk_grid::{ChunkMap, chunk_map};
use super::tree::GroupTree;
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::Reader;
use crate::inspect::sizes::{DatasetSizes, VariableSizes, sizes};

/// Most variables of which chunks and alternatives are shown.
const MOST_VARIABLES: usize = 60;

/// Smallest variable, in bytes in memory, of which samples are read.
const LEAST_SAMPLED: u64 = 64 << 10;

/// Most bytes that are decoded for samples.
const SAMPLED: u64 = 256 << 20;

/// The bytes of a dataset, as a map shows them.
#[derive(Debug, Clone, PartialEq)]
pub struct DatasetMap {
    /// The sizes of all variables.
    pub sizes: DatasetSizes,
    /// Groups and variables by their bytes.
    pub tree: GroupTree,
    /// The largest variables, in the order of [`DatasetSizes::variables`].
    pub variables: Vec<VariableMap>,
}

/// One variable of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct VariableMap {
    /// The names of its dimensions.
    pub dims: Vec<String>,
    /// The grid of its chunks; `None` without chunks.
    pub chunks: Option<ChunkMap>,
    /// How it is stored, and how it could be.
    pub alternatives: Vec<Alternative>,
    /// Why there are no alternatives: a sample could not be read.
    pub unread: Option<String>,
}

/// Makes the map of a dataset. Reads chunk indexes, and samples for which at most 256 MiB of data are decoded.
///
/// # Errors
/// Those of [`sizes()`]. [`Error::Unsupported`] for a store that cannot tell the sizes of its keys.
pub fn map(reader: &dyn Reader, registry: &Registry) -> Result<DatasetMap> {
    let sizes = sizes(reader, registry)?;
    if sizes.total.is_none() || sizes.data.is_none() {
        return Err(Error::Unsupported(
            "it cannot be mapped: the store lists no keys, so the sizes of chunks are not known. Copy it to a folder, and map that"
                .to_owned(),
        ));
    }
    let mut left = SAMPLED;
    let largest = sizes.variables.iter().take(MOST_VARIABLES);
    let variables = largest.map(|of| variable(reader, of, registry, &mut left));
    Ok(DatasetMap {
        variables: variables.collect::<Result<_>>()?,
        tree: GroupTree::of(reader.schema(), &sizes),
        sizes,
    })
}

fn variable(
    reader: &dyn Reader,
    of: &VariableSizes,
    registry: &Registry,
    left: &mut u64,
) -> Result<VariableMap> {
    let schema = reader.schema();
    let dims = schema.var(of.var).dims.iter();
    let mut map = VariableMap {
        dims: dims.map(|dim| schema.dim(*dim).name.clone()).collect(),
        chunks: None,
        alternatives: Vec::new(),
        unread: None,
    };
    if of.space.is_elsewhere || of.same_as.is_some() {
        return Ok(map);
    }
    let named = |e: Error| e.in_variable(&of.path);
    map.chunks = chunk_map(reader, of).map_err(named)?;
    if of.memory.is_some_and(|memory| memory >= LEAST_SAMPLED) && of.space.stored != Some(0) {
        match alternatives(reader, of, registry, left) {
            Ok(found) => map.alternatives = found,
            Err(error) if error.is_failure() => return Err(error),
            Err(error) => map.unread = Some(error.to_string()),
        }
    }
    Ok(map)
}
