//! Types of equal structure, which netCDF-C does not distinguish.
//!
//! If a file has two types of equal structure (say, two opaque types of one size), netCDF-C uses the first of
//! them for everything of either type. This module does the same, for users who compare the texts. Elements
//! are not affected.

use std::collections::HashMap;

use crate::model::{Attributes, GroupId, Schema, Type, TypeClass, TypeId, VisibleNames};

/// The schema with each variable, attribute and field of the type that netCDF-C names for it. `None` if no
/// two types are equal.
///
/// That is the first type of equal structure, in the order of groups. But if the name of that type, used in
/// the group of the variable, finds another type of equal structure, it is that one.
pub fn as_netcdf_c_names_them(schema: &Schema) -> Option<Schema> {
    let mut classes: HashMap<String, usize> = HashMap::new();
    let mut class_of = vec![0; schema.types.len()];
    // A type comes after the types it is made of.
    for (at, ty) in schema.types.iter().enumerate() {
        let key = structure(&ty.class, &class_of);
        let next = classes.len();
        class_of[at] = *classes.entry(key).or_insert(next);
    }
    if classes.len() == schema.types.len() {
        return None;
    }
    let mut first = vec![None; classes.len()];
    for id in schema.groups.iter().flat_map(|g| &g.types) {
        first[class_of[id.0]].get_or_insert(*id);
    }
    let names = VisibleNames::new(schema);
    let shown = |group: GroupId, ty: Type| -> Type {
        let Type::User(id) = ty else { return ty };
        let class = class_of[id.0];
        let first: TypeId = first[class].unwrap_or(id);
        let visible = names.user_type(group, &schema.user_type(first).name);
        Type::User(
            visible
                .filter(|found| class_of[found.0] == class)
                .unwrap_or(first),
        )
    };
    let mut named = schema.clone();
    let first = |ty: &mut Type| {
        if let Type::User(id) = ty {
            *id = first[class_of[id.0]].unwrap_or(*id);
        }
    };
    for ty in &mut named.types {
        match &mut ty.class {
            TypeClass::Vlen { base } => first(base),
            TypeClass::Compound { fields, .. } => fields.iter_mut().for_each(|f| first(&mut f.ty)),
            TypeClass::Enum { .. } | TypeClass::Opaque { .. } => {}
        }
    }
    let rename = |group: GroupId, attributes: &mut Attributes| {
        if attributes.iter().any(|a| shown(group, a.ty) != a.ty) {
            for attribute in attributes {
                attribute.ty = shown(group, attribute.ty);
            }
        }
    };
    for var in &mut named.vars {
        var.ty = shown(var.group, var.ty);
        rename(var.group, &mut var.attributes);
    }
    for (at, group) in named.groups.iter_mut().enumerate() {
        rename(GroupId(at), &mut group.attributes);
    }
    Some(named)
}

/// A key that is equal for types of equal structure: everything but name and place. `class_of` has the
/// classes of earlier types.
fn structure(class: &TypeClass, class_of: &[usize]) -> String {
    let part = |ty: &Type| match ty {
        Type::User(id) => format!("user {}", class_of[id.0]),
        atomic => format!("{atomic:?}"),
    };
    match class {
        TypeClass::Enum { base, members } => format!("enum {} {members:?}", part(base)),
        TypeClass::Opaque { size } => format!("opaque {size}"),
        TypeClass::Vlen { base } => format!("vlen {}", part(base)),
        TypeClass::Compound { size, fields } => {
            let fields: Vec<_> = fields
                .iter()
                .map(|f| (&f.name, f.offset, part(&f.ty), &f.dims))
                .collect();
            format!("compound {size} {fields:?}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Kind, UserType, Variable};

    #[test]
    fn the_first_equal_type_or_the_visible_one_of_its_name() {
        let mut schema = Schema::new(Kind::Netcdf4);
        let [g, h, i, j] = ["g", "h", "i", "j"].map(|name| {
            let parent = if name == "g" || name == "j" {
                Schema::ROOT
            } else {
                GroupId(1)
            };
            schema.add_group(parent, name)
        });
        let mut opaque = |group, name: &str, size| {
            schema.add_type(UserType {
                name: name.into(),
                group,
                class: TypeClass::Opaque { size },
            })
        };
        let [_, t3, _, other] = [
            opaque(g, "t2", 4),
            opaque(h, "t3", 4),
            opaque(i, "t2", 4),
            opaque(j, "t2", 5),
        ];
        for (group, ty) in [(h, t3), (i, t3), (j, t3), (j, other)] {
            schema.add_var(Variable {
                name: "v".into(),
                group,
                ty: Type::User(ty),
                dims: Vec::new(),
                attributes: Vec::new().into(),
            });
        }
        let named = as_netcdf_c_names_them(&schema).unwrap();
        let types: Vec<_> = named.vars.iter().map(|v| v.ty).collect();
        assert_eq!(types, [0, 2, 0, 3].map(|n| Type::User(TypeId(n))));
        schema.types[1].class = TypeClass::Opaque { size: 6 };
        schema.types[2].class = TypeClass::Opaque { size: 7 };
        assert!(as_netcdf_c_names_them(&schema).is_none());
    }
}
