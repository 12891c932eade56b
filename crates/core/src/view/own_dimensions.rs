//! Dimensions for variables that are longer than those of the dataset below, as an HDF5 dataset can be longer than its dimension
//! scale.

use std::collections::{HashMap, HashSet};

use crate::format::Reader;
use crate::message::some_of;
use crate::model::{DimId, Dimension, MAX_NAME, Schema, VarId};

/// True if a variable is longer than a dimension of it.
pub fn is_needed(input: &dyn Reader) -> bool {
    let schema = input.schema();
    (0..schema.vars.len()).any(|n| !longer(input, schema, VarId(n)).is_empty())
}

/// Gives each variable that is longer than a dimension of it one of its own length, in the group of the other. Variables share
/// it. One of length 5 in place of `t` is called `t_5`. `schema` presents `input`. Returns a warning that names the variables.
pub fn add(input: &dyn Reader, schema: &mut Schema) -> Option<String> {
    let mut names: HashSet<String> = schema.dims.iter().map(|dim| dim.name.clone()).collect();
    names.extend(schema.vars.iter().map(|var| var.name.clone()));
    let mut added: HashMap<(DimId, u64), DimId> = HashMap::new();
    let mut told = Vec::new();
    for var in (0..schema.vars.len()).map(VarId) {
        for (at, length) in longer(input, schema, var) {
            let old = schema.var(var).dims[at];
            let new = *added.entry((old, length)).or_insert_with(|| {
                let Dimension { name, group, .. } = schema.dim(old);
                let dim = Dimension {
                    name: unused(name, length, &mut names),
                    group: *group,
                    length,
                    unlimited: false,
                };
                schema.add_dim(dim)
            });
            schema.vars[var.0].dims[at] = new;
            let name = |dim: DimId| &*schema.dim(dim).name;
            told.push(format!(
                "{} ({}, not {})",
                schema.var_path(var),
                name(new),
                name(old)
            ));
        }
    }
    (!told.is_empty()).then(|| {
        format!(
            "variables longer than their dimension get a new dimension of their own length: {}",
            some_of(&told, told.len())
        )
    })
}

/// The dimensions of a variable that it is longer than: their positions, and the lengths of the variable.
fn longer(input: &dyn Reader, schema: &Schema, var: VarId) -> Vec<(usize, u64)> {
    let dims = schema.var(var).dims.iter();
    let lengths = dims.zip(&input.layout(var).extent).enumerate();
    lengths
        .filter(|(_, (dim, length))| **length > schema.dim(**dim).length)
        .map(|(at, (_, length))| (at, *length))
        .collect()
}

/// A name for a dimension in place of `name`, which neither a dimension nor a variable has.
fn unused(name: &str, length: u64, names: &mut HashSet<String>) -> String {
    let mut new = format!("{name}_{length}");
    // There are no more names than these numbers, so one is soon found.
    let mut number = names.len();
    while new.len() > MAX_NAME || !names.insert(new.clone()) {
        new = format!("dim_{length}_{number}");
        number += 1;
    }
    new
}
