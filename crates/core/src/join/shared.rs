//! Variables that several members of a merge have: they must be the same.

use super::change::Change;
use super::joined::Joined;
use super::look::{Pair, StaticValues};
use crate::error::{Alternative, Error, Result};
use crate::format::{Reader, Region};
use crate::model::VarId;
use crate::subset::value::{missing, text};

/// Checks that two members have the same variable. Returns the error of one whose values differ. Times in other units are compared as
/// times; `inexact` allows to round them.
///
/// # Errors
/// Types, shapes, units or packing that differ; failures of reading.
pub fn shared(
    (first, ours): (&Joined, VarId),
    (other, theirs): (&Joined, VarId),
    inexact: bool,
) -> Result<Option<Error>> {
    let pair = Pair {
        first: (first.schema(), ours),
        other: (other.schema(), theirs),
        first_name: first.inputs.name(0),
    };
    let conversion = || {
        pair.check_type()?;
        pair.check_shape(None)?;
        pair.check_meaning()?;
        let conversion = pair.check_units()?;
        match conversion.is_some() && !has_same_bounds(&pair) {
            true => Err(pair.differing_units()),
            false => Ok(conversion),
        }
    };
    let conversion = conversion().map_err(|error| other.inputs.named(0, error))?;
    let change = conversion.map(|conversion| Change::Times {
        conversion,
        missing: missing(pair.variables().1),
        inexact,
    });
    let read_other = |region: &Region| {
        let values = other.read_region(theirs, region)?;
        let Some(change) = &change else {
            return Ok(values);
        };
        let changed = change.apply(values, other.schema().var(theirs).ty);
        changed.map_err(|error| error.in_variable(&other.schema().var_path(theirs)))
    };
    let values = StaticValues::default();
    let found = values.difference((first, ours, first.inputs.name(0)), read_other);
    let Some(found) = found.map_err(|error| other.inputs.named(0, error))? else {
        return Ok(None);
    };
    let told = found.told(first.name_of(ours, &found.at));
    let error = Error::Alternative {
        why: match &change {
            None => told,
            Some(_) => format!(
                "{told}, in '{}'",
                text(pair.variables().0, "units").unwrap_or_default()
            ),
        },
        alternative: Alternative::ValuesOfFirst,
    };
    let error = error.in_variable(&other.schema().var_path(theirs));
    Ok(Some(error.in_file(other.name_of(theirs, &found.at))))
}

/// True if both variables name the same bounds, or none, and the first member has them. Bounds that only the other one has would come
/// under a variable of other units.
fn has_same_bounds(pair: &Pair) -> bool {
    let (first, other) = pair.variables();
    let is_there = |name: &str| {
        let mut vars = pair.first.0.vars.iter();
        name.contains('/') || vars.any(|var| var.name == name && var.group == first.group)
    };
    ["bounds", "climatology"].iter().all(|attribute| {
        let (ours, theirs) = (text(first, attribute), text(other, attribute));
        ours == theirs && ours.is_none_or(is_there)
    })
}
