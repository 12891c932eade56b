//! [`Union`]: the schemas of several datasets as one.

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::model::{Attributes, DimId, Dimension, GroupId, Schema, Type, VarId, Variable};

/// The schemas of several datasets as one. Items of the same path are one item, which the first dataset that has it defines.
#[derive(Debug)]
pub struct Union {
    pub schema: Schema,
    /// For each variable, the number of the dataset that defines it, and its id there.
    pub owners: Vec<(usize, VarId)>,
    /// For each dataset, its variables in the union; `None` for what is left out.
    pub places: Vec<Vec<Option<VarId>>>,
    /// The variables, by group and name.
    by_name: HashMap<(usize, String), VarId>,
    /// For each dimension, the name of the dataset that defines it.
    dims_of: Vec<String>,
}

impl Union {
    /// The first dataset, and its name.
    pub fn new(first: &Schema, name: &str) -> Self {
        let vars = (0..first.vars.len()).map(VarId);
        Self {
            schema: first.clone(),
            owners: vars.clone().map(|var| (0, var)).collect(),
            places: vec![vars.clone().map(Some).collect()],
            by_name: vars.map(|var| (key(first.var(var)), var)).collect(),
            dims_of: vec![name.to_owned(); first.dims.len()],
        }
    }

    /// Adds what a further dataset has and the others lack. Variables that are not `wanted` are left out where they do not fit.
    ///
    /// # Errors
    /// A wanted variable whose dimensions have other lengths than those of the others, or whose type they cannot have.
    pub fn add(&mut self, (other, name): (&Schema, &str), wanted: impl Fn(VarId) -> bool) -> Result<()> {
        let number = self.places.len();
        let groups = self.groups(other);
        let same_types = self.schema.types == other.types;
        let takes_types =
            !same_types && self.schema.types.is_empty() && groups.iter().enumerate().all(|(n, g)| n == g.0);
        if takes_types {
            for ty in &other.types {
                self.schema.add_type(ty.clone());
            }
        }
        let mut places = Vec::with_capacity(other.vars.len());
        for (n, variable) in other.vars.iter().enumerate() {
            let var = VarId(n);
            let path = other.var_path(var);
            let of_union = |dims| Variable {
                group: groups[variable.group.0],
                dims,
                ..variable.clone()
            };
            if let Some(ours) = self.by_name.get(&key(&of_union(Vec::new()))) {
                places.push(Some(*ours));
                continue;
            }
            let is_held = !has_user_types(variable) || same_types || takes_types;
            let dims = match is_held {
                true => self.dims((other, name), &groups, &variable.dims),
                false => Err(Error::Usage(
                    "its types are not those of the first input, which has other ones".to_owned(),
                )),
            };
            places.push(match dims {
                Ok(dims) => {
                    let variable = of_union(dims);
                    let name = key(&variable);
                    let added = self.schema.add_var(variable);
                    self.owners.push((number, var));
                    self.by_name.insert(name, added);
                    Some(added)
                }
                Err(_) if !wanted(var) => None,
                Err(error) => return Err(error.in_variable(&path)),
            });
        }
        self.places.push(places);
        Ok(())
    }

    /// The groups of a further dataset, which are added where they are missing.
    fn groups(&mut self, other: &Schema) -> Vec<GroupId> {
        let mut groups: Vec<GroupId> = Vec::with_capacity(other.groups.len());
        for group in &other.groups {
            // A child comes after its parent.
            let ours = group.parent.map(|parent| groups[parent.0]);
            groups.push(match ours {
                None => Schema::ROOT,
                Some(parent) => {
                    let mut children = self.schema.group(parent).children.iter();
                    match children.find(|child| self.schema.group(**child).name == group.name) {
                        Some(found) => *found,
                        None => {
                            let added = self.schema.add_group(parent, group.name.clone());
                            self.schema.groups[added.0].attributes = plain(&group.attributes);
                            added
                        }
                    }
                }
            });
        }
        groups
    }

    /// The dimensions of a variable of a further dataset, which are added where they are missing.
    fn dims(
        &mut self,
        (other, name): (&Schema, &str),
        groups: &[GroupId],
        dims: &[DimId],
    ) -> Result<Vec<DimId>> {
        let mut found = Vec::with_capacity(dims.len());
        for dim in dims.iter().map(|dim| other.dim(*dim)) {
            let group = groups[dim.group.0];
            let mut ours = self.schema.group(group).dims.iter();
            match ours.find(|ours| self.schema.dim(**ours).name == dim.name) {
                None => {
                    found.push(self.schema.add_dim(Dimension { group, ..dim.clone() }));
                    self.dims_of.push(name.to_owned());
                }
                Some(ours) => {
                    let length = self.schema.dim(*ours).length;
                    if length != dim.length {
                        return Err(Error::Usage(format!(
                            "the dimension {} has the length {}, and {length} in {}",
                            dim.name, dim.length, self.dims_of[ours.0]
                        )));
                    }
                    found.push(*ours);
                }
            }
        }
        Ok(found)
    }
}

fn key(variable: &Variable) -> (usize, String) {
    (variable.group.0, variable.name.clone())
}

fn has_user_types(variable: &Variable) -> bool {
    let mut attributes = variable.attributes.iter();
    matches!(variable.ty, Type::User(_)) || attributes.any(|a| matches!(a.ty, Type::User(_)))
}

/// The attributes whose types every dataset has.
fn plain(attributes: &Attributes) -> Attributes {
    let plain = attributes.iter().filter(|a| !matches!(a.ty, Type::User(_)));
    plain.cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Kind;

    fn schema(lengths: &[(&str, u64)], vars: &[(&str, &[usize])]) -> Schema {
        let mut schema = Schema::new(Kind::Netcdf4);
        for (name, length) in lengths {
            schema.add_dim(Dimension {
                name: (*name).to_owned(),
                group: Schema::ROOT,
                length: *length,
                unlimited: false,
            });
        }
        for (name, dims) in vars {
            schema.add_var(Variable {
                name: (*name).to_owned(),
                group: Schema::ROOT,
                ty: Type::Int,
                dims: dims.iter().map(|dim| DimId(*dim)).collect(),
                attributes: Vec::new().into(),
            });
        }
        schema
    }

    #[test]
    fn items_of_one_path_are_one() {
        let mut union = Union::new(
            &schema(&[("x", 3), ("t", 2)], &[("x", &[0]), ("a", &[1, 0])]),
            "a.nc",
        );
        let other = schema(&[("y", 4), ("x", 3)], &[("b", &[0, 1]), ("x", &[1])]);
        union.add((&other, "b.nc"), |_| true).unwrap();
        let names: Vec<_> = union.schema.vars.iter().map(|var| var.name.as_str()).collect();
        assert_eq!(names, ["x", "a", "b"]);
        assert_eq!(union.schema.shape(VarId(2)), [4, 3]);
        assert_eq!(union.owners, [(0, VarId(0)), (0, VarId(1)), (1, VarId(0))]);
        assert_eq!(union.places[1], [Some(VarId(2)), Some(VarId(0))]);
    }

    #[test]
    fn dimensions_of_wanted_variables_must_agree() {
        let first = schema(&[("x", 3)], &[("a", &[0])]);
        let other = schema(&[("x", 4)], &[("b", &[0]), ("c", &[])]);
        let mut union = Union::new(&first, "a.nc");
        union.add((&other, "b.nc"), |var| var == VarId(1)).unwrap();
        assert_eq!(union.places[1], [None, Some(VarId(1))]);
        let error = Union::new(&first, "a.nc")
            .add((&other, "b.nc"), |_| true)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("variable b: the dimension x has the length 4, and 3 in a.nc"),
            "{error}"
        );
    }
}
