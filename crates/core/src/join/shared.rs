//! Variables that several members of a merge have: they must be the same.

use super::change::Change;
use super::joined::Joined;
use super::look::{Pair, StaticValues};
use crate::error::{Alternative, Error, Result};
use crate::format::{Extensions, Reader, Region, Written};
use crate::model::{Schema, Values, VarId, VariableLayout};
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
    let converted = InUnits {
        reader: other,
        var: theirs,
        change: conversion.map(|conversion| Change::Times {
            conversion,
            missing: missing(pair.variables().1),
            inexact,
        }),
    };
    let values = StaticValues::default();
    let found = values.difference((first, ours, first.inputs.name(0)), (&converted, theirs));
    let Some(found) = found.map_err(|error| other.inputs.named(0, error))? else {
        return Ok(None);
    };
    let told = found.told(first.name_of(ours, &found.at));
    let error = Error::Alternative {
        why: match &converted.change {
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

/// A member of which one variable is in the units of another member.
struct InUnits<'a> {
    reader: &'a Joined,
    var: VarId,
    change: Option<Change>,
}

impl Reader for InUnits<'_> {
    fn schema(&self) -> &Schema {
        self.reader.schema()
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        self.reader.layout(var)
    }

    fn written(&self, var: VarId) -> Result<Written> {
        self.reader.written(var)
    }

    fn read_range(&self, _: VarId, _: u64, _: &mut [u8]) -> Result<()> {
        Err(Error::Internal("converted values are read by regions".into()))
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        let values = self.reader.read_region(var, region)?;
        match &self.change {
            Some(change) if var == self.var => {
                let changed = change.apply(values, self.schema().var(var).ty);
                changed.map_err(|error| error.in_variable(&self.schema().var_path(var)))
            }
            _ => Ok(values),
        }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions::NONE
    }
}
