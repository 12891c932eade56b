//! Programs that create a dataset, as `ncgen -l` prints them.
//!
//! ```text
//! CopyPlan (schema, layouts) ─► definitions ┐
//! Reader ─► slabs ─► values as literals ────┴─► C (whole model) │ Fortran 77 (classic model)
//! ```
//!
//! The programs call only netCDF-C or netCDF-Fortran. Variables that were never written are defined, but not written.

pub mod c;
pub mod fortran77;
mod identifiers;

use crate::copy::CopyPlan;
use crate::error::{Error, Result};
use crate::format::{Reader, Region};
use crate::model::{Kind, Values, VarId};
use crate::stream::slabs;

/// Calls `each` with the values of an output variable, region by region in C order. A region has at most about `bytes`
/// bytes. A variable that was never written has no regions.
fn for_each_slab(
    reader: &dyn Reader,
    plan: &CopyPlan,
    var: VarId,
    bytes: u64,
    mut each: impl FnMut(&Region, &Values) -> Result<()>,
) -> Result<()> {
    let copy = &plan.variables[var.0];
    let Some(source) = copy.sources.whole() else {
        return Ok(());
    };
    let size = plan.schema.type_size(plan.schema.var(var).ty);
    for region in slabs(&copy.layout.extent, &[], size, bytes) {
        let values = reader
            .read_region(source, &region)
            .map_err(|e| e.in_variable(&plan.schema.var_path(var)))?;
        each(&region, &values)?;
    }
    Ok(())
}

/// The flags of netCDF-C's `nc_create` for a kind, without their prefix.
fn creation_flags(kind: Kind) -> Result<&'static [&'static str]> {
    kind.can().creation_flags.ok_or_else(|| {
        Error::Usage(format!(
            "the kind '{}' is not one that programs can make through netCDF's library",
            kind.name()
        ))
    })
}

/// `given`, which both languages must take as a name, or else `default`.
fn function_name<'n>(given: Option<&'n str>, default: &'n str, longest: usize) -> Result<&'n str> {
    let name = given.unwrap_or(default);
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain && name.len() <= longest {
        return Ok(name);
    }
    Err(Error::Usage(format!(
        "'{name}' cannot name a function; use at most {longest} letters, digits and _, a letter first"
    )))
}

fn cannot_write(error: std::io::Error) -> Error {
    Error::io("cannot write", error)
}
