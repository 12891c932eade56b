//! Fast lookup of names within a dataset.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use crate::{DimId, GroupId, Schema, TypeId};

/// The names of a schema's dimensions, types and variables, by group. A name without a path means the item of
/// that name in the same group, or else in the nearest parent group.
///
/// Built once per schema, because a header may name a dimension or type in very many places.
#[derive(Debug)]
pub struct VisibleNames<'a> {
    schema: &'a Schema,
    dims: HashMap<(GroupId, &'a str), DimId>,
    types: HashMap<(GroupId, &'a str), TypeId>,
    vars: OnceLock<HashSet<(GroupId, &'a str)>>,
}

impl<'a> VisibleNames<'a> {
    /// Collects the names. If two items in a group have the same name, as in damaged files, the first one
    /// counts.
    pub fn new(schema: &'a Schema) -> Self {
        let mut dims = HashMap::with_capacity(schema.dims.len());
        let mut types = HashMap::with_capacity(schema.types.len());
        for (at, group) in schema.groups.iter().enumerate() {
            for id in &group.dims {
                let key = (GroupId(at), schema.dim(*id).name.as_str());
                dims.entry(key).or_insert(*id);
            }
            for id in &group.types {
                let key = (GroupId(at), schema.user_type(*id).name.as_str());
                types.entry(key).or_insert(*id);
            }
        }
        Self {
            schema,
            dims,
            types,
            vars: OnceLock::new(),
        }
    }

    /// The schema whose names these are.
    pub fn schema(&self) -> &'a Schema {
        self.schema
    }

    /// The dimension that `name` means in a group: of the group itself, or of the nearest parent that has
    /// one.
    pub fn dim(&self, group: GroupId, name: &str) -> Option<DimId> {
        let mut around = self.schema.around(group);
        around.find_map(|at| self.dims.get(&(at, name)).copied())
    }

    /// The type that `name` means in a group: of the group itself, or of the nearest parent that has one.
    pub fn user_type(&self, group: GroupId, name: &str) -> Option<TypeId> {
        let mut around = self.schema.around(group);
        around.find_map(|at| self.types.get(&(at, name)).copied())
    }

    /// True if the group itself has a variable of this name.
    pub fn has_var(&self, group: GroupId, name: &str) -> bool {
        let all = || {
            let vars = self.schema.groups.iter().enumerate();
            let keys = vars.flat_map(|(at, group)| group.vars.iter().map(move |id| (GroupId(at), *id)));
            keys.map(|(group, id)| (group, self.schema.var(id).name.as_str()))
                .collect()
        };
        self.vars.get_or_init(all).contains(&(group, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dimension, Kind, Type, TypeClass, UserType, Variable};

    #[test]
    fn names_mean_what_is_nearest() {
        let mut schema = Schema::new(Kind::Netcdf4);
        let a = schema.add_group(Schema::ROOT, "a");
        let b = schema.add_group(a, "b");
        for group in [Schema::ROOT, b, b] {
            schema.add_dim(Dimension {
                name: "x".into(),
                group,
                length: 1,
                unlimited: false,
            });
        }
        schema.add_type(UserType {
            name: "o".into(),
            group: a,
            class: TypeClass::Opaque { size: 1 },
        });
        schema.add_var(Variable {
            name: "v".into(),
            group: a,
            ty: Type::Int,
            dims: Vec::new(),
            attributes: Vec::new().into(),
        });
        assert_eq!(schema.around(b).collect::<Vec<_>>(), [b, a, Schema::ROOT]);
        let names = VisibleNames::new(&schema);
        assert_eq!(names.dim(b, "x"), Some(DimId(1)));
        assert_eq!(names.dim(a, "x"), Some(DimId(0)));
        assert_eq!(names.dim(b, "y"), None);
        assert_eq!(names.user_type(b, "o"), Some(TypeId(0)));
        assert_eq!(names.user_type(Schema::ROOT, "o"), None);
        assert!(names.has_var(a, "v"));
        assert!(!names.has_var(b, "v") && !names.has_var(a, "x"));
    }
}
