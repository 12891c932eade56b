//! One look at an input: what it has, and whether it goes on with the first.

use std::collections::BTreeSet;

use super::compare::{Pair, same_attribute};
use super::difference::Difference;
use super::names::NameMap;
use super::static_values::StaticValues;
use crate::error::{Error, Result};
use crate::format::{Reader, Region};
use crate::join::change::{Change, Unpacking};
use crate::join::order::{Cells, Length};
use crate::join::request::JoinRequest;
use crate::model::{Attributes, DimId, Schema, Type, VarId, Variable, default_fill_value};
use crate::subset::value::{missing, text};

/// What all inputs are compared with.
pub struct Frame<'a> {
    pub first: &'a dyn Reader,
    pub first_name: &'a str,
    /// The joined dimension of the first input.
    pub dim: DimId,
    /// For each of its variables, the position of the dimension in its shape.
    pub axes: &'a [Option<usize>],
    /// The variables that the join is of.
    pub wanted: &'a [VarId],
    /// The coordinate of the dimension.
    pub coordinate: Option<VarId>,
    /// Variables that are unpacked.
    pub unpack: &'a [VarId],
    pub request: &'a JoinRequest,
    pub values: StaticValues,
}

/// What is known of an input.
#[derive(Debug)]
pub struct Look {
    pub names: NameMap,
    pub length: Length,
    /// Variables of the first input whose values are changed here.
    pub changes: Vec<(VarId, Change)>,
    /// Variables without the dimension whose values differ from the first input's; `None` where equal numbers mean something else.
    pub differing: Vec<(VarId, Option<Difference>)>,
    /// Variables of the first input that this one lacks.
    pub lacking: Vec<VarId>,
    /// Variables of this input that the first one lacks, by path.
    pub extra: Vec<String>,
    /// Attributes that differ, as `variable:attribute`; not the units of times, which are converted.
    pub attributes: BTreeSet<String>,
    /// What the reader says of the schema.
    pub warnings: Vec<String>,
}

impl Frame<'_> {
    /// Looks at an input, which may be the first itself.
    ///
    /// # Errors
    /// What cannot be joined.
    pub fn look(&self, reader: &dyn Reader, is_first: bool) -> Result<Look> {
        let (first, other) = (self.first.schema(), reader.schema());
        let names = NameMap::new(first, other);
        let mut look = Look {
            length: Length {
                count: 0,
                cells: None,
            },
            changes: Vec::new(),
            differing: Vec::new(),
            lacking: Vec::new(),
            extra: names.extra(other),
            attributes: BTreeSet::new(),
            warnings: other.warnings.clone(),
            names,
        };
        compare_attributes(
            "",
            &first.groups[0].attributes,
            &other.groups[0].attributes,
            &mut look.attributes,
        );
        let mut length = self.own_length(other);
        for var in self.wanted {
            let Some(theirs) = look.names.var(*var) else {
                look.lacking.push(*var);
                continue;
            };
            let axis = self.axes[var.0];
            let pair = Pair {
                first: (first, *var),
                other: (other, theirs),
                first_name: self.first_name,
            };
            let is_unpacked = self.unpack.contains(var);
            if !is_unpacked {
                pair.check_type()?;
            }
            pair.check_shape(axis)?;
            let attributes = |schema: &Schema, var: VarId| schema.var(var).attributes.clone();
            compare_attributes(
                &first.var_path(*var),
                &attributes(first, *var),
                &attributes(other, theirs),
                &mut look.attributes,
            );
            let Some(axis) = axis else {
                // Equal numbers in other units, or packed otherwise, are other values.
                let means_same = || pair.check_meaning().is_ok() && matches!(pair.check_units(), Ok(None));
                let first = (self.first, *var, self.first_name);
                if is_first {
                    continue;
                }
                if !means_same() {
                    look.differing.push((*var, None));
                } else if let Some(found) = self
                    .values
                    .difference(first, |region| reader.read_region(theirs, region))?
                {
                    look.differing.push((*var, Some(found)));
                }
                continue;
            };
            // A dimension of the same name may be one of several.
            let own = other.dim(other.var(theirs).dims[axis]).length;
            match length {
                Some(length) if length != own => {
                    return Err(Error::Usage(format!(
                        "variables have different lengths along {}: {length} and {own}",
                        first.dim(self.dim).name
                    )));
                }
                _ => length = Some(own),
            }
            let conversion = pair.check_units()?;
            // Units that are spelled in another way mean the same after the conversion.
            look.attributes.remove(&format!("{}:units", first.var_path(*var)));
            if is_unpacked {
                if conversion.is_some() {
                    return Err(pair.differing_units());
                }
                let unpacking = Unpacking::new(other.var(theirs));
                let unpacking = unpacking.map_err(|error| error.in_variable(&first.var_path(*var)))?;
                look.changes.push((*var, Change::Unpack(unpacking)));
                continue;
            }
            pair.check_meaning()?;
            let change = conversion.map(|conversion| Change::Times {
                conversion,
                missing: missing(other.var(theirs)),
                inexact: self.request.inexact,
            });
            look.changes.extend(change.map(|change| (*var, change)));
        }
        look.length.count = length.unwrap_or(0);
        look.length.cells = self.cells(reader, &look)?;
        Ok(look)
    }

    /// The joined variables whose chunks the copy takes of an input as they are, each with its id there.
    pub fn passing<'l>(&'l self, look: &'l Look) -> impl Iterator<Item = (VarId, VarId)> + 'l {
        let joined = self.wanted.iter().filter(|var| self.axes[var.0].is_some());
        let joined = joined.filter(|var| !matches!(self.first.schema().var(**var).ty, Type::User(_)));
        let whole = joined.filter(|var| !look.changes.iter().any(|(changed, _)| changed == *var));
        whole.filter_map(|var| Some((*var, look.names.var(*var)?)))
    }

    /// The length of the dimension in another input, by its path.
    fn own_length(&self, other: &Schema) -> Option<u64> {
        let dim = self.first.schema().dim(self.dim);
        let path = self.first.schema().path_in(dim.group, &dim.name);
        match other.dims_named(&path)[..] {
            [dim] => Some(other.dim(dim).length),
            _ => None,
        }
    }

    /// The values of the coordinate, in the first input's units.
    fn cells(&self, reader: &dyn Reader, look: &Look) -> Result<Option<Cells>> {
        let Some(var) = self.coordinate else {
            return Ok(None);
        };
        let Some(theirs) = look.names.var(var) else {
            return Ok(None);
        };
        let (schema, ty) = (reader.schema(), reader.schema().var(theirs).ty);
        let path = schema.var_path(theirs);
        let read = || {
            let mut values = reader.read_region(theirs, &Region::whole(&schema.shape(theirs)))?;
            if let Some((_, change)) = look.changes.iter().find(|(of, _)| *of == var) {
                // Numbers of other types are put in order as doubles.
                if let Change::Unpack(unpacking) = change {
                    let values = unpacking.unpacked(&values, Type::Double)?;
                    let missing: Vec<_> = default_fill_value(Type::Double)
                        .into_iter()
                        .map(|fill| fill.bytes)
                        .collect();
                    return Cells::new(Type::Double, &values, &missing, self.request.overlap.is_some());
                }
                values = change.apply(values, ty)?;
            }
            let missing = missing(schema.var(theirs));
            let ty = counted_as(schema.var(theirs));
            Cells::new(ty, &values, &missing, self.request.overlap.is_some())
        };
        read().map_err(|error| error.in_variable(&path))
    }
}

/// The type of a variable's numbers: `_Unsigned` may say that integers are stored as those of the other sign.
fn counted_as(variable: &Variable) -> Type {
    let is_unsigned = match text(variable, "_Unsigned") {
        Some(word) if word.eq_ignore_ascii_case("true") => true,
        Some(word) if word.eq_ignore_ascii_case("false") => false,
        _ => return variable.ty,
    };
    match (variable.ty, is_unsigned) {
        (Type::Byte, true) => Type::UByte,
        (Type::Short, true) => Type::UShort,
        (Type::Int, true) => Type::UInt,
        (Type::Int64, true) => Type::UInt64,
        (Type::UByte, false) => Type::Byte,
        (Type::UShort, false) => Type::Short,
        (Type::UInt, false) => Type::Int,
        (Type::UInt64, false) => Type::Int64,
        (ty, _) => ty,
    }
}

fn compare_attributes(path: &str, first: &Attributes, other: &Attributes, differing: &mut BTreeSet<String>) {
    if first == other {
        return;
    }
    let names = first
        .iter()
        .chain(other.iter())
        .map(|attribute| attribute.name.as_str());
    for name in names {
        let of = |attributes: &Attributes| attributes.iter().find(|a| a.name == name).cloned();
        if !same_attribute(of(first).as_ref(), of(other).as_ref()) {
            differing.insert(format!("{path}:{name}"));
        }
    }
}
