//! What the first pass over a CDL text finds: everything but the values of variables.

use crate::error::Result;
use crate::model::{Kind, Schema, VarId};

use super::foreign_names::foreign_names;
use super::places::Places;
use super::type_order::order_types;
use super::walk::Walk;
use crate::cdl::read::storage::attributes::{StorageAttributes, StorageKind};
use crate::cdl::read::syntax::text::Text;
use crate::cdl::read::values::data_list::DataList;
use crate::diagnostic::Diagnostic;

/// A CDL text's declarations, and where its data lists are.
#[derive(Debug, Clone)]
pub struct Declared {
    /// The schema. The lengths of unlimited dimensions are those that the data lists need. Its kind is `format`, or
    /// netCDF-4 where the text does not say: which kind a file gets is decided by whoever writes it.
    pub schema: Schema,
    /// For each variable of the schema: how it is to be stored.
    pub storage: Vec<StorageAttributes>,
    /// The kind that the global attribute `_Format` asks for.
    pub format: Option<Kind>,
    /// Where in the text each thing is declared.
    pub places: Places,
    /// For each variable of the schema: its last data statement, where it has one.
    pub lists: Vec<Option<DataList>>,
    /// What was odd but taken.
    pub warnings: Vec<Diagnostic>,
    /// The name of the dataset: what stands between `netcdf` and `{`.
    pub name: String,
}

impl Walk<'_> {
    /// A file may have a fixed dimension of length 0, and variables along it in one piece. CDL has no such dimension: a length of
    /// 0 is unlimited. So what `ncdump -s` says of these variables cannot be, and there is nothing that it would be good for.
    fn forget_one_piece_of_nothing(&mut self) -> Result<()> {
        for n in 0..self.schema.vars.len() {
            let in_one_piece = matches!(
                self.storage[n].storage,
                Some(StorageKind::Contiguous | StorageKind::Compact)
            );
            let var = self.schema.var(VarId(n));
            let Some(dim) = var.dims.iter().find(|d| self.zero_dims.contains(d)) else {
                continue;
            };
            if in_one_piece {
                let what = format!(
                    "variable '{}' is chunked, whatever its _Storage: the length 0 of '{}' means unlimited",
                    var.name,
                    self.schema.dim(*dim).name
                );
                self.storage[n].storage = Some(StorageKind::Chunked);
                self.warn(self.places.vars[n], what)?;
            }
        }
        Ok(())
    }
}

/// Reads the declarations of a text, and finds its data lists.
///
/// # Errors
/// [`crate::error::Error::Cdl`] at the first thing that is wrong; an error of the source where the text cannot be read.
pub fn declare(text: &Text) -> Result<Declared> {
    let mut walk = Walk::over(text)?;
    for (at, what) in foreign_names(&walk.schema, &walk.places) {
        walk.warn(at, what)?;
    }
    walk.forget_one_piece_of_nothing()?;
    let mut schema = walk.schema;
    for (dim, length) in walk.lists.iter().flatten().flat_map(DataList::lengths) {
        let dim = &mut schema.dims[dim.0];
        if dim.unlimited {
            dim.length = dim.length.max(*length);
        }
    }
    for (var, at) in schema.vars.iter().zip(&walk.places.vars) {
        // Two unlimited dimensions may become longer than any of the variables on them.
        let size = schema.type_size(var.ty) as u64;
        let bytes = var
            .dims
            .iter()
            .map(|d| schema.dim(*d).length.max(1))
            .try_fold(size, u64::checked_mul);
        if bytes.is_none_or(|bytes| bytes > i64::MAX as u64) {
            let what = format!(
                "variable '{}' is too large: its size does not fit in 63 bits",
                var.name
            );
            return Err(text.error(*at, what));
        }
    }
    if let Some(kind) = walk.format {
        schema.kind = kind;
    }
    order_types(&mut schema, &walk.type_sections, text)?;
    Ok(Declared {
        schema,
        storage: walk.storage,
        format: walk.format,
        places: walk.places,
        lists: walk.lists,
        warnings: walk.warnings,
        name: walk.name,
    })
}
