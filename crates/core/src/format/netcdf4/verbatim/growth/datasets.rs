//! The datasets of the variables of a file that grows.

use std::collections::{HashMap, HashSet};

use ncutils_hdf5::{ChunkRecord, ObjectId};

use crate::chunk::ChunkGrid;
use crate::error::{Error, Result};
use crate::format::netcdf4::hdf5_error::hdf5_error;
use crate::format::netcdf4::read::Netcdf4Reader;
use crate::format::netcdf4::verbatim::hierarchy::Hierarchy;
use crate::format::{Reader, VariablePlan};
use crate::model::{Schema, Storage, VarId};

/// How a dataset grows.
pub(super) struct Grown {
    /// Its new extent.
    pub(super) extent: Vec<u64>,
    /// Shape of its chunks.
    pub(super) shape: Vec<u64>,
    /// Number of its chunks, old and new.
    pub(super) chunk_count: u64,
    /// The chunks that stay where they are, by their numbers in the new extent.
    pub(super) kept: Vec<ChunkRecord>,
}

/// The datasets of the variables, and how those that grow do.
pub(super) struct Datasets {
    /// The dataset of each variable of the new schema.
    pub(super) of_variables: Vec<ObjectId>,
    pub(super) grown: HashMap<ObjectId, Grown>,
    /// Variables that are other names of a dataset that grows: links lead to it as well.
    pub(super) other_names: HashSet<VarId>,
}

impl Datasets {
    /// Finds the datasets of a plan.
    ///
    /// # Errors
    /// A variable that cannot grow.
    pub(super) fn of(
        old: &Netcdf4Reader,
        hierarchy: &Hierarchy,
        schema: &Schema,
        plans: &[VariablePlan],
    ) -> Result<Self> {
        let before = old.schema();
        let paths: HashMap<String, VarId> = (0..before.vars.len())
            .map(VarId)
            .map(|var| (before.var_path(var), var))
            .collect();
        let mut all = Self {
            of_variables: Vec::with_capacity(plans.len()),
            grown: HashMap::new(),
            other_names: HashSet::new(),
        };
        for (n, plan) in plans.iter().enumerate() {
            let path = schema.var_path(VarId(n));
            let in_variable = |error: Error| error.in_variable(&path);
            let Some(was) = paths.get(&path).copied() else {
                // An external link leads to it. What does not grow may stay as it is.
                if plan.promised.is_nothing() {
                    all.of_variables.push(ObjectId(0));
                    continue;
                }
                return Err(in_variable(lies_elsewhere()));
            };
            let id = old
                .object_address(was)
                .and_then(|address| hierarchy.ids.get(&address).copied());
            let grows = plan.layout.extent != old.layout(was).extent;
            match id {
                Some(id) if all.grown.contains_key(&id) => {
                    all.other_names.insert(VarId(n));
                }
                Some(id) if grows => {
                    let grown = grown(old, was, plan).map_err(in_variable)?;
                    all.grown.insert(id, grown);
                }
                None if grows => {
                    return Err(in_variable(lies_elsewhere()));
                }
                _ => {}
            }
            all.of_variables.push(id.unwrap_or(ObjectId(0)));
        }
        Ok(all)
    }
}

/// How a variable grows: its new extent, and the chunks that stay where they are. Those at the border come with the new ones.
fn grown(old: &Netcdf4Reader, var: VarId, plan: &VariablePlan) -> Result<Grown> {
    let (before, now) = (old.layout(var), &plan.layout);
    let Storage::Chunked { shape } = &before.storage else {
        return Err(Error::Internal(
            "a plan to add to a variable without chunks".to_owned(),
        ));
    };
    let same = before.storage == now.storage && before.filters == now.filters;
    let is_virtual = (old as &dyn Reader).is_virtual(var);
    let longer = before.extent.len() == now.extent.len()
        && before.extent.iter().zip(&now.extent).all(|(old, new)| old <= new);
    if !same || !longer || is_virtual {
        return Err(Error::Unsupported(
            "adding to a variable of such storage".to_owned(),
        ));
    }
    let (old_grid, grid) = (
        ChunkGrid::new(&before.extent, shape)?,
        ChunkGrid::new(&now.extent, shape)?,
    );
    let mut kept = Vec::new();
    for record in old.chunks(var)?.iter() {
        let record = record.map_err(hdf5_error)?;
        if record.index >= old_grid.len() {
            continue;
        }
        let at = old_grid.coordinates(record.index);
        let is_whole = |d: usize| {
            let end = at[d].saturating_add(1).saturating_mul(shape[d]);
            before.extent[d] == now.extent[d] || end <= before.extent[d]
        };
        if (0..shape.len()).all(is_whole) {
            kept.push(ChunkRecord {
                index: grid.index(&at),
                filter_mask: old.mask(var, record.index, &record),
                ..record
            });
        }
    }
    Ok(Grown {
        extent: now.extent.clone(),
        shape: shape.clone(),
        chunk_count: kept.len() as u64 + plan.promised.chunks(),
        kept,
    })
}

fn lies_elsewhere() -> Error {
    Error::Unsupported("adding to a variable that lies in another file".to_owned())
}
