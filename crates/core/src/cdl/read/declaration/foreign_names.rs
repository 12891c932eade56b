//! Warnings about names that netCDF's library refuses to create. HDF5 files can hold such names, so they are accepted:
//! the dump of any file can be made a file again.

use std::collections::HashSet;

use crate::model::{GroupId, Item, Schema, TypeClass, TypeId, VarId, name_fault};

use super::positions::Positions;

/// A warning for each such name. Returns the position of the name's first use and the warning, in the order of the text.
/// For a field or an enum member, the position is its type's.
pub fn foreign_names(schema: &Schema, places: &Positions) -> Vec<(u64, String)> {
    let found = names_at_fault(schema).into_iter();
    let mut found: Vec<_> = found
        .map(|(item, name, why)| (places.of(item).unwrap_or_default(), name, why))
        .collect();
    found.sort_by_key(|(at, ..)| *at);
    let mut told = HashSet::new();
    found.retain(|(_, name, _)| told.insert(*name));
    found
        .into_iter()
        .map(|(at, name, why)| (at, format!("netCDF-C cannot create the name {name:?}: {why}")))
        .collect()
}

/// Finds such names of groups, types, fields, enum members, dimensions, variables and attributes, with the rule that each
/// breaks. The item of a field or an enum member is its type.
pub fn names_at_fault(schema: &Schema) -> Vec<(Item, &str, &'static str)> {
    let mut found = Vec::new();
    let mut look = |name, item| {
        if let Some(why) = name_fault(name) {
            found.push((item, name, why));
        }
    };
    for (n, group) in schema.groups.iter().enumerate() {
        // The root group has the dataset's name, which is not stored in the file.
        if GroupId(n) != Schema::ROOT {
            look(&group.name, Item::Group(GroupId(n)));
        }
        for (at, attribute) in group.attributes.iter().enumerate() {
            look(&attribute.name, Item::GroupAttribute(GroupId(n), at));
        }
    }
    for (n, ty) in schema.types.iter().enumerate() {
        let item = Item::Type(TypeId(n));
        look(&ty.name, item);
        match &ty.class {
            TypeClass::Compound { fields, .. } => fields.iter().for_each(|f| look(&f.name, item)),
            TypeClass::Enum { members, .. } => members.iter().for_each(|(name, _)| look(name, item)),
            TypeClass::Opaque { .. } | TypeClass::Vlen { .. } => {}
        }
    }
    for (n, dim) in schema.dims.iter().enumerate() {
        look(&dim.name, Item::Dimension(crate::model::DimId(n)));
    }
    for (n, var) in schema.vars.iter().enumerate() {
        look(&var.name, Item::Variable(VarId(n)));
        for (at, attribute) in var.attributes.iter().enumerate() {
            look(&attribute.name, Item::VariableAttribute(VarId(n), at));
        }
    }
    found
}
