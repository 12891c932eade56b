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

mod datasets;
mod objects;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use self::datasets::Datasets;
use self::objects::GrownObjects;
use super::addressed::elements::CopiedObjects;
use super::hierarchy;
use super::selection::Selection;
use crate::error::Result;
use crate::filter::Registry;
use crate::format::netcdf4::hdf5_error::hdf5_error;
use crate::format::netcdf4::read::{Netcdf4Reader, OpenFile};
use crate::format::netcdf4::write::Netcdf4Writer;
use crate::format::{VariablePlan, Writer};
use crate::model::Schema;
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
