//! [`HardLinkNames`]: what the groups and datasets of a file are called, to select some of them.
//!
//! ```text
//! Verbatim::names ─► a schema of all groups and datasets ─► lists of names mean addresses ─► Selection ─► Verbatim::select
//! ```

use crate::format::netcdf4::hdf5_error::hdf5_error;
use std::collections::HashMap;

use ncutils_hdf5::{LinkTarget, ObjectKind};

use super::copy::Verbatim;
use super::variable::Variable;
use crate::error::Result;
use crate::model::{self, Attributes, GroupId, Kind, Schema, Type};

/// The names of all groups and datasets that hard links lead to. A dataset with several names is a variable for each.
pub struct HardLinkNames {
    /// Groups and variables. Variables have no dimensions, and no type of theirs.
    pub schema: Schema,
    /// The address of each group.
    pub groups: Vec<u64>,
    /// The address of the dataset that each variable is.
    pub vars: Vec<u64>,
}

impl Verbatim {
    /// True if a dataset is defined, and its data is not copied.
    pub fn is_without_data(&self, variable: Variable) -> bool {
        let mut items = self.hierarchy.items.iter();
        let item = items.find(|item| match variable {
            Variable::Plain(var) => item.var == Some(var),
            Variable::Addressed(var) => item.addressed == Some(var),
        });
        item.is_some_and(|item| self.hierarchy.is_without_data(item))
    }

    /// True if a dataset at an address is left out.
    pub fn is_left_out(&self, address: u64) -> bool {
        !self.hierarchy.ids.contains_key(&address)
    }

    /// The names of all groups and datasets.
    ///
    /// # Errors
    /// A group is damaged.
    pub fn names(&self) -> Result<HardLinkNames> {
        let file = &self.file.file;
        let mut names = HardLinkNames {
            schema: Schema::new(Kind::Netcdf4),
            groups: vec![file.root()],
            vars: Vec::new(),
        };
        let mut known: HashMap<u64, GroupId> = HashMap::from([(file.root(), Schema::ROOT)]);
        // Objects are numbered as they are found, so a group comes before what it holds.
        for item in &self.hierarchy.items {
            let Some(group) = known.get(&item.address).copied() else {
                continue;
            };
            for link in self
                .hierarchy
                .links(file, &file.object(item.address).map_err(hdf5_error)?)?
            {
                let LinkTarget::Hard(target) = link.target else {
                    continue;
                };
                let kind = self.hierarchy.ids.get(&target);
                match kind.map(|id| self.hierarchy.items[id.0].kind) {
                    Some(ObjectKind::Group) if !known.contains_key(&target) => {
                        known.insert(target, names.schema.add_group(group, &link.name));
                        names.groups.push(target);
                    }
                    Some(ObjectKind::Dataset) => {
                        names.schema.add_var(model::Variable {
                            name: link.name,
                            group,
                            ty: Type::Byte,
                            dims: Vec::new(),
                            attributes: Attributes::default(),
                        });
                        names.vars.push(target);
                    }
                    _ => {}
                }
            }
        }
        Ok(names)
    }
}
