//! Plans the addition of datasets to one that exists.
//!
//! ```text
//! old cells          │ new cells
//! chunk │ chunk │ chu│nk │ chunk │
//!               └────┴──── written: the chunk at the border, with its old cells, and all new ones
//! ```

use super::copy_plan::{CopyPlan, VariableCopy};
use super::joined::plan_joined;
use super::layout::are_few;
use super::request::CopyOptions;
use crate::chunk::{Selection, byte_count};
use crate::copy::geometry::{SourcePart, Sources};
use crate::copy::readers::ReaderId;
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::Reader;
use crate::join::Merged;
use crate::model::{Storage, VarId, VariableLayout};
use crate::subset::index::IndexRequest;
use crate::subset::{Subset, SubsetRequest};

/// The cells that a join adds to its first input. A dataset that grows by records is planned as these alone.
///
/// # Errors
/// The dimension is not the first input's record dimension.
pub fn added_records<'a>(joined: &'a Merged, registry: &Registry) -> Result<Subset<'a>> {
    let joined_dim = joined.first_member().dim();
    let (schema, dim) = (joined.schema(), joined.schema().dim(joined_dim));
    if !dim.unlimited {
        return Err(Error::Usage(format!(
            "the dimension {} is fixed, and a {} file grows along its record dimension alone; --join without --append writes a new file",
            dim.name,
            schema.kind.name()
        )));
    }
    let (first, _) = joined.first_member().lengths();
    let request = SubsetRequest {
        indices: vec![IndexRequest::from(&schema.path_in(dim.group, &dim.name), first)],
        values: Vec::new(),
    };
    Subset::new(joined, &request, registry)
}

/// Plans what is written to add the further inputs of a join to its first one, which keeps its storage. Variables without the
/// joined dimension are not written. With `records`, the plan is of these alone. The copy reads
/// [`join_source`](super::join_source), and the join's pool.
///
/// # Errors
/// The errors of [`plan_joined`]; a variable that is not stored in chunks.
pub fn plan_grown(joined: &Merged, records: Option<&Subset>, options: &CopyOptions) -> Result<CopyPlan> {
    let mut plan = plan_joined(joined, records, options)?;
    plan.grows = true;
    joined.first_member().check_first_stays()?;
    for (n, copy) in plan.variables.iter_mut().enumerate() {
        // Nothing is left out, so that variables have the same numbers.
        let var = VarId(n);
        let (member, of_member) = joined.member(var);
        let Some(axis) = member.axis(of_member) else {
            copy.sources = Sources::Nothing;
            continue;
        };
        if records.is_some() {
            continue;
        }
        let old = member.first().layout(of_member);
        if member.first().is_virtual(of_member) {
            let told = "adding to a virtual dataset, whose data lies in other files; a copy holds the data, and grows";
            return Err(Error::Unsupported(told.to_owned()).in_variable(&joined.schema().var_path(var)));
        }
        let (size, _) = joined.schema().storage_encoding(joined.schema().var(var).ty);
        let grown = match old.element_size == size {
            true => grow(copy, old, axis),
            false => Err(Error::Unsupported(
                "adding to strings of a fixed length".to_owned(),
            )),
        };
        grown.map_err(|error| error.in_variable(&joined.schema().var_path(var)))?;
        let mut added = copy.layout.extent.clone();
        added[axis] -= old.extent[axis];
        let bytes = byte_count(&added, copy.layout.stored_size());
        copy.referenced &= !bytes.is_some_and(|bytes| are_few(&plan.schema, var, bytes as u64, options));
    }
    Ok(plan)
}

/// Leaves of a variable what is written of it. Its storage is the old one.
fn grow(copy: &mut VariableCopy, old: &VariableLayout, axis: usize) -> Result<()> {
    let border = border(old, axis).ok_or_else(|| {
        Error::Unsupported(
            "adding to a variable that is not stored in chunks; a copy with -c has chunks".to_owned(),
        )
    })?;
    let extent = copy.layout.extent.clone();
    let written = |selection: &Selection| selection.within(axis, border..extent[axis], border);
    let mut parts = Vec::new();
    match &copy.sources {
        Sources::Nothing => {}
        Sources::Whole(var) => {
            let made = written(&Selection::whole(&extent))?;
            parts.extend(made.map(|selection| SourcePart::new(*var, selection)));
        }
        Sources::Parts(all) => {
            for part in all {
                let selection = match part.reader {
                    ReaderId::Main => written(&part.selection)?,
                    ReaderId::Further(_) => Some(part.selection.clone()),
                };
                parts.extend(selection.map(|selection| SourcePart {
                    selection,
                    ..part.clone()
                }));
            }
        }
    }
    copy.sources = Sources::Parts(parts);
    copy.layout = VariableLayout {
        extent,
        ..old.clone()
    }
    .into();
    Ok(())
}

/// The first cell along an axis that is written anew: that of the chunk, or of the shard, in which the old cells end. `None` for a
/// variable that is not stored in chunks.
fn border(old: &VariableLayout, axis: usize) -> Option<u64> {
    let Storage::Chunked { shape } = &old.storage else {
        return None;
    };
    let unit = match &old.shard {
        Some(shard) => shard[axis],
        None => shape[axis],
    };
    let length = old.extent[axis];
    Some(length - length % unit.max(1))
}
