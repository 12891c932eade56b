//! [`Declared`]: the result of the first pass over a CDL text, which is everything but the values of variables.

use crate::error::{Error, Result};
use crate::model::{Kind, Schema, VarId};

use super::foreign_names::foreign_names;
use super::positions::Positions;
use super::type_order::order_types;
use super::walk::Walk;
use crate::Diagnostic;
use crate::cdl::read::constant::enum_members::EnumConstants;
use crate::cdl::read::storage::attributes::{StorageAttributes, StorageKind};
use crate::cdl::read::syntax::text::Text;
use crate::cdl::read::values::altered::Altered;
use crate::cdl::read::values::data_list::DataList;
use crate::cdl::read::values::lists::Lists;
use crate::cdl::read::values::miscount::Miscounts;

/// The declarations of a CDL text, and the positions of its data lists.
#[derive(Debug, Clone)]
pub struct Declared {
    /// The schema. Unlimited dimensions are as long as the data lists need. Its kind is `format`, or netCDF-4 if the
    /// text has no `_Format`; the caller decides which kind the file gets.
    pub schema: Schema,
    /// Storage attributes of each variable, in the schema's order.
    pub storage: Vec<StorageAttributes>,
    /// The kind of file that the global attribute `_Format` names.
    pub format: Option<Kind>,
    /// Positions of all declarations in the text.
    pub places: Positions,
    /// The last data statement of each variable, in the schema's order; `None` for a variable without one.
    pub lists: Vec<Option<DataList>>,
    /// Warnings, in the order they were found.
    pub warnings: Vec<Diagnostic>,
    /// The dataset's name: the text between `netcdf` and `{`.
    pub name: String,
}

impl Walk<'_> {
    /// Makes variables along a dimension of length 0 chunked, with a warning. An HDF5 file may have a fixed dimension
    /// of length 0 and contiguous or compact variables along it. In CDL, the length 0 means unlimited, which only
    /// chunked variables can have.
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

/// The errors of a text with wrong declarations, and those in the values of right ones.
fn all_errors(walk: Walk<'_>) -> Result<Error> {
    let lists = Lists {
        text: walk.text,
        schema: &walk.schema,
        lists: &walk.lists,
        enums: &EnumConstants::new(&walk.schema),
        miscounts: &Miscounts::default(),
        altered: &Altered::default(),
    };
    let mut errors = walk.errors;
    lists.find_errors(&mut errors)?;
    Ok(errors.into_error())
}

/// Parses the declarations of a text, and counts its data lists. Values are parsed only if a declaration is wrong.
///
/// # Errors
/// [`crate::error::Error::Cdl`] with the errors in the text; an error of the source if it cannot be read.
pub fn declare(text: &Text) -> Result<Declared> {
    let mut walk = Walk::over(text)?;
    if !walk.errors.is_empty() {
        return Err(all_errors(walk)?);
    }
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
        // A variable along two unlimited dimensions can be larger than each of their longest lists.
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
