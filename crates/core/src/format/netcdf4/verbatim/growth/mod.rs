//! Adds to an HDF5 file: cells of variables along a dimension.
//!
//! ```text
//! old file: superblock │ headers │ chunks │ indexes ║ behind its end: headers │ new indexes │ new chunks and those at the border
//!                └──────────────── switched in one write, when everything else is durable ──┘
//! ```
//!
//! Nothing that the old superblock leads to is touched, so a file whose writer is killed is the old one, and a reader that has it
//! open keeps its view. All headers are written anew, because those that hold an address of a moved one would change as well.
//! Raw data and the indexes of variables that do not grow stay where they are.

mod objects;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use ncutils_hdf5::{ChunkRecord, ObjectId};

use self::objects::{Grown, GrownObjects};
use super::elements::CopiedObjects;
use super::hierarchy::{self, Hierarchy};
use super::selection::Selection;
use crate::chunk::ChunkGrid;
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::netcdf4::hdf5_error::hdf5_error;
use crate::format::netcdf4::read::{Netcdf4Reader, OpenFile};
use crate::format::netcdf4::write::Netcdf4Writer;
use crate::format::{Reader, VariablePlan, Writer};
use crate::model::{Schema, Storage, VarId};
use crate::store::{Object, Output};

/// A writer that adds to the file in `object`. `output` is the same file, and `schema` is that of the dataset with its new cells:
/// variables that are longer than before get the chunks that are planned, and keep those that the old cells fill.
///
/// # Errors
/// Something that would not lead to its place any more, by its name: references among data, or a structure that the writer does
/// not know. A variable that cannot grow. The output fails.
pub fn grow(
    object: Arc<dyn Object>,
    output: Arc<dyn Output>,
    schema: &Schema,
    plans: &[VariablePlan],
    registry: &Registry,
) -> Result<Box<dyn Writer>> {
    let file = OpenFile::new(object.clone(), None, registry)?;
    let settings = file.file.growing().map_err(hdf5_error)?;
    let hierarchy = hierarchy::read(&file.file, Selection::default(), false)?;
    let old = Netcdf4Reader::open(object, None, registry)?;
    let datasets = Datasets::of(&old, &hierarchy, schema, plans)?;
    let lost = AtomicU64::new(0);
    let places = CopiedObjects {
        file: &file.file,
        objects: &hierarchy.ids,
        lost: &lost,
        size: file.size,
        lost_elements: None,
    };
    let objects = GrownObjects::new(&hierarchy, places, schema, &datasets)?;
    let writer = Netcdf4Writer::create_with(settings, output, None, schema, plans, &objects)?;
    for (id, grown) in &datasets.grown {
        for chunk in &grown.kept {
            let kept = writer.file().keep_chunk(*id, chunk.index, chunk);
            kept.map_err(hdf5_error)?;
        }
    }
    Ok(Box::new(writer))
}

/// The datasets of the variables, and how those that grow do.
struct Datasets {
    /// The dataset of each variable of the new schema.
    of_variables: Vec<ObjectId>,
    grown: HashMap<ObjectId, Grown>,
    /// Variables that are other names of a dataset that grows: links lead to it as well.
    other_names: HashSet<VarId>,
}

impl Datasets {
    fn of(
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
            let was = *paths
                .get(&path)
                .ok_or_else(|| in_variable(Error::Internal("a variable that the file lacks".to_owned())))?;
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
                    return Err(in_variable(Error::Unsupported(
                        "adding to a variable that lies in another file".to_owned(),
                    )));
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
        return Err(Error::Unsupported(
            "adding to a variable that is not stored in chunks; a copy with -c has chunks".to_owned(),
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
