//! Resolves names: which item a name means in which group.
//!
//! The rules are netCDF's. A dimension or type is looked up in the group, then in the groups around it. A variable is
//! looked up in the group only. A type that is not found this way may be anywhere else in the tree, if only one has the
//! name. A path from the root names one item exactly.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use crate::model::{DimId, GroupId, Schema, Type, TypeId, VarId};

use crate::cdl::read::syntax::names::Path;
use crate::cdl::read::syntax::similar::question;

/// The names declared in one group.
#[derive(Debug, Default)]
struct GroupNames {
    parent: Option<GroupId>,
    groups: HashMap<String, GroupId>,
    dims: HashMap<String, DimId>,
    types: HashMap<String, TypeId>,
    vars: HashMap<String, VarId>,
}

/// The names declared in all groups.
#[derive(Debug)]
pub struct Scopes {
    groups: Vec<GroupNames>,
    /// Types by name, over the whole tree; `None` if several types have the name. A type that hides one of a group
    /// around it does not count: the outer one is meant.
    types: HashMap<String, Option<TypeId>>,
}

impl Default for Scopes {
    /// A root group without names.
    fn default() -> Self {
        Self {
            groups: vec![GroupNames::default()],
            types: HashMap::new(),
        }
    }
}

impl Scopes {
    /// Adds a group. Returns false if its parent already has one of that name.
    pub fn add_group(&mut self, parent: GroupId, name: &str, id: GroupId) -> bool {
        self.groups.push(GroupNames {
            parent: Some(parent),
            ..GroupNames::default()
        });
        self.groups[parent.0].groups.insert(name.to_owned(), id).is_none()
    }

    /// Adds a dimension. Returns false if the group already has one of that name.
    pub fn add_dim(&mut self, group: GroupId, name: &str, id: DimId) -> bool {
        self.groups[group.0].dims.insert(name.to_owned(), id).is_none()
    }

    /// Adds a variable. Returns false if the group already has one of that name, which stays.
    pub fn add_var(&mut self, group: GroupId, name: &str, id: VarId) -> bool {
        match self.groups[group.0].vars.entry(name.to_owned()) {
            Entry::Vacant(entry) => {
                entry.insert(id);
                true
            }
            Entry::Occupied(_) => false,
        }
    }

    /// Adds a type. Returns false if the group already has one of that name.
    pub fn add_type(&mut self, group: GroupId, name: &str, id: TypeId) -> bool {
        let around = self.groups[group.0].parent;
        if around.is_none_or(|around| self.around(around, |names| names.types.get(name)).is_none()) {
            match self.types.entry(name.to_owned()) {
                Entry::Vacant(entry) => {
                    entry.insert(Some(id));
                }
                Entry::Occupied(mut entry) => {
                    entry.insert(None);
                }
            }
        }
        self.groups[group.0].types.insert(name.to_owned(), id).is_none()
    }

    /// Forgets all variables.
    pub fn forget_vars(&mut self) {
        for names in &mut self.groups {
            names.vars.clear();
        }
    }

    /// The group `name` in `parent`.
    pub fn child(&self, parent: GroupId, name: &str) -> Option<GroupId> {
        self.groups[parent.0].groups.get(name).copied()
    }

    /// The result of `find` in `group`, or in the nearest group around it that has one.
    fn around<'s, T: Copy + 's>(
        &'s self,
        group: GroupId,
        find: impl Fn(&'s GroupNames) -> Option<&'s T>,
    ) -> Option<T> {
        let mut at = Some(group);
        while let Some(group) = at {
            let names = &self.groups[group.0];
            if let Some(found) = find(names) {
                return Some(*found);
            }
            at = names.parent;
        }
        None
    }

    /// The names in the group at a path.
    fn at(&self, groups: &[String]) -> Option<&GroupNames> {
        let mut at = Schema::ROOT;
        for name in groups {
            at = self.child(at, name)?;
        }
        Some(&self.groups[at.0])
    }

    /// The dimension that `path` means in `group`.
    pub fn dim(&self, group: GroupId, path: &Path) -> Option<DimId> {
        match &path.groups {
            Some(groups) => self.at(groups)?.dims.get(&path.name).copied(),
            None => self.around(group, |names| names.dims.get(&path.name)),
        }
    }

    /// The variable that `path` means in `group`.
    pub fn var(&self, group: GroupId, path: &Path) -> Option<VarId> {
        let names = match &path.groups {
            Some(groups) => self.at(groups)?,
            None => &self.groups[group.0],
        };
        names.vars.get(&path.name).copied()
    }

    /// The type that `path` means in `group`. A netCDF type takes precedence over a user's type of the same name: the
    /// user's type can still be named by its path.
    ///
    /// # Errors
    /// The reason, which is put into words only when displayed: most callers only ask whether the type exists.
    pub fn ty<'p>(&self, group: GroupId, path: &'p Path) -> Result<Type, NoType<'p>> {
        let unknown = NoType::Unknown(&path.name);
        if let Some(groups) = &path.groups {
            let found = self.at(groups).and_then(|names| names.types.get(&path.name));
            return found.map(|id| Type::User(*id)).ok_or(unknown);
        }
        if let Some(ty) = Type::from_cdl_name(&path.name) {
            return Ok(ty);
        }
        if let Some(id) = self.around(group, |names| names.types.get(&path.name)) {
            return Ok(Type::User(id));
        }
        match self.types.get(&path.name) {
            Some(Some(id)) => Ok(Type::User(*id)),
            Some(None) => Err(NoType::Several(&path.name)),
            None => Err(unknown),
        }
    }
}

/// The reason that a name means no type.
#[derive(Debug, Clone, Copy)]
pub enum NoType<'n> {
    /// Nothing has this name.
    Unknown(&'n str),
    /// Types in several groups have this name.
    Several(&'n str),
}

impl fmt::Display for NoType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => write!(f, "there is no type '{name}' here{}", question(name, ATOMIC)),
            Self::Several(name) => {
                write!(
                    f,
                    "several groups have a type '{name}': write the path of the one that is meant"
                )
            }
        }
    }
}

/// The names that [`Type::from_cdl_name`] accepts, for messages.
const ATOMIC: [&str; 12] = [
    "byte", "char", "short", "int", "float", "double", "ubyte", "ushort", "uint", "int64", "uint64", "string",
];
