//! [`Schema`]: groups, dimensions and variables.

use super::unclosed::Unclosed;
use crate::{Attributes, DimId, Encoding, GroupId, Kind, Type, TypeClass, TypeId, UserType, VarId};

/// What a file says of its own making; not part of the data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provenance {
    /// Text of the `_NCProperties` attribute, if the file has one.
    pub nc_properties: Option<String>,
    /// The version of the HDF5 superblock.
    pub superblock_version: u32,
    /// True if the netCDF-4 library wrote the file, and not plain HDF5 (ncdump's `_IsNetcdf4`).
    pub is_netcdf4: bool,
}

/// The file that an archive was made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArchiveOrigin {
    /// Its length, in bytes.
    pub size: u64,
    /// Its SHA-256; `None` for an archive from a pipe whose end was not read.
    pub sha256: Option<[u8; 32]>,
}

/// The structure of a dataset.
#[derive(Debug, Clone)]
pub struct Schema {
    /// Which kind of dataset.
    pub kind: Kind,
    /// Groups; `groups[0]` is the root. A child comes after its parent.
    pub groups: Vec<Group>,
    /// Dimensions of all groups.
    pub dims: Vec<Dimension>,
    /// User-defined types of all groups. A type comes after the types it is made of.
    pub types: Vec<UserType>,
    /// Variables of all groups.
    pub vars: Vec<Variable>,
    /// How the file was made; only for HDF5 files.
    pub provenance: Option<Provenance>,
    /// The file that an archive restores; only for archives.
    pub origin: Option<ArchiveOrigin>,
    /// Size of the file's pages, in bytes, for an HDF5 file whose space is managed in pages (`H5F_FSPACE_STRATEGY_PAGE`).
    pub page_size: Option<u64>,
    /// Why the dataset may lack what its writer meant to write; `None` if nothing says so.
    pub unfinished: Option<Unclosed>,
    /// One line for each item that was left out because netCDF cannot hold it.
    pub warnings: Vec<String>,
    /// One line for each item that was left out because it is damaged. What is left can be shown; a copy of everything
    /// cannot be made.
    pub faults: Vec<String>,
    /// One line for each damaged item of which another copy was read, so that nothing is left out.
    pub replaced: Vec<String>,
    /// One line for each item that was left out because it is in a file that may not be read. What is left can be shown; a
    /// copy of everything cannot be made.
    pub refused: Vec<String>,
}

/// A group.
#[derive(Debug, Clone, Default)]
pub struct Group {
    /// Its name; the root's is empty.
    pub name: String,
    /// The parent group; `None` for the root.
    pub parent: Option<GroupId>,
    /// Child groups, in order.
    pub children: Vec<GroupId>,
    /// Dimensions defined in the group, in order.
    pub dims: Vec<DimId>,
    /// Types defined in the group, in order.
    pub types: Vec<TypeId>,
    /// Variables in the group, in order.
    pub vars: Vec<VarId>,
    /// Attributes of the group, in order. Those of the root are the global attributes.
    pub attributes: Attributes,
}

/// A dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dimension {
    /// Its name.
    pub name: String,
    /// The group that defines it.
    pub group: GroupId,
    /// Present length, in elements.
    pub length: u64,
    /// True if it may grow.
    pub unlimited: bool,
}

/// A variable. Its storage is described by [`crate::VariableLayout`].
#[derive(Debug, Clone)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The group that holds it.
    pub group: GroupId,
    /// The type of its elements.
    pub ty: Type,
    /// Its shape, slowest dimension first; empty for a scalar.
    pub dims: Vec<DimId>,
    /// Attributes, in order. `_FillValue` is among them if the file has one.
    pub attributes: Attributes,
}

impl Schema {
    /// An empty dataset: only a root group.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            groups: vec![Group::default()],
            dims: Vec::new(),
            types: Vec::new(),
            vars: Vec::new(),
            provenance: None,
            origin: None,
            page_size: None,
            unfinished: None,
            warnings: Vec::new(),
            faults: Vec::new(),
            replaced: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// The root group.
    pub const ROOT: GroupId = GroupId(0);

    /// The group with this id.
    pub fn group(&self, id: GroupId) -> &Group {
        &self.groups[id.0]
    }

    /// The dimension with this id.
    pub fn dim(&self, id: DimId) -> &Dimension {
        &self.dims[id.0]
    }

    /// The variable with this id.
    pub fn var(&self, id: VarId) -> &Variable {
        &self.vars[id.0]
    }

    /// The user type with this id.
    pub fn user_type(&self, id: TypeId) -> &UserType {
        &self.types[id.0]
    }

    /// Adds a group to `parent`.
    pub fn add_group(&mut self, parent: GroupId, name: impl Into<String>) -> GroupId {
        let id = GroupId(self.groups.len());
        self.groups.push(Group {
            name: name.into(),
            parent: Some(parent),
            ..Group::default()
        });
        self.groups[parent.0].children.push(id);
        id
    }

    /// Adds a dimension to its group.
    pub fn add_dim(&mut self, dim: Dimension) -> DimId {
        let id = DimId(self.dims.len());
        self.groups[dim.group.0].dims.push(id);
        self.dims.push(dim);
        id
    }

    /// Adds a user type to its group.
    pub fn add_type(&mut self, ty: UserType) -> TypeId {
        let id = TypeId(self.types.len());
        self.groups[ty.group.0].types.push(id);
        self.types.push(ty);
        id
    }

    /// Adds a variable to its group.
    pub fn add_var(&mut self, var: Variable) -> VarId {
        let id = VarId(self.vars.len());
        self.groups[var.group.0].vars.push(id);
        self.vars.push(var);
        id
    }

    /// The shape of a variable in netCDF's terms: the lengths of its dimensions.
    pub fn shape(&self, var: VarId) -> Vec<u64> {
        self.var(var).dims.iter().map(|d| self.dim(*d).length).collect()
    }

    /// The path of a group: `/`, `/a`, `/a/b`.
    pub fn group_path(&self, id: GroupId) -> String {
        let inner = self.around(id).filter(|at| self.group(*at).parent.is_some());
        let mut names: Vec<_> = inner.map(|at| self.group(at).name.as_str()).collect();
        names.reverse();
        format!("/{}", names.join("/"))
    }

    /// The path of an item called `name` in a group: `/t`, `/a/b/t`.
    pub fn path_in(&self, group: GroupId, name: &str) -> String {
        format!("{}/{name}", self.group_path(group).trim_end_matches('/'))
    }

    /// The path of a variable as users write it: `t` in the root group, `/a/b/t` below.
    pub fn var_path(&self, id: VarId) -> String {
        let var = self.var(id);
        match var.group {
            Self::ROOT => var.name.clone(),
            group => self.path_in(group, &var.name),
        }
    }

    /// Bytes of one element in [`Values`](crate::Values).
    pub fn type_size(&self, ty: Type) -> usize {
        match ty {
            Type::User(id) => match &self.user_type(id).class {
                TypeClass::Enum { base, .. } => base.atomic_size(),
                TypeClass::Opaque { size } | TypeClass::Compound { size, .. } => *size,
                TypeClass::Vlen { .. } => crate::SLOT_SIZE,
            },
            atomic => atomic.atomic_size(),
        }
    }

    /// True if elements are booleans.
    pub fn is_boolean(&self, ty: Type) -> bool {
        matches!(ty, Type::User(id) if self.user_type(id).is_boolean())
    }

    /// True if all fields of a compound are of fixed size and none is an enum, but for booleans, at any depth. A type that is
    /// larger than `most` fields is none.
    pub fn is_plain_compound(&self, ty: Type, most: usize) -> bool {
        let mut left = most;
        matches!(ty, Type::User(id) if matches!(self.user_type(id).class, TypeClass::Compound { .. }))
            && self.is_plain(ty, &mut left)
    }

    fn is_plain(&self, ty: Type, left: &mut usize) -> bool {
        let Type::User(id) = ty else {
            return ty != Type::String;
        };
        let user = self.user_type(id);
        match &user.class {
            TypeClass::Opaque { .. } => true,
            TypeClass::Enum { .. } => user.is_boolean(),
            TypeClass::Vlen { .. } => false,
            TypeClass::Compound { fields, .. } => fields.iter().all(|field| {
                *left = left.saturating_sub(1);
                *left > 0 && self.is_plain(field.ty, left)
            }),
        }
    }

    /// True if elements contain strings or variable-length sequences, at any depth.
    pub fn has_heap(&self, ty: Type) -> bool {
        match ty {
            Type::String => true,
            Type::User(id) => match &self.user_type(id).class {
                TypeClass::Vlen { .. } => true,
                TypeClass::Compound { fields, .. } => fields.iter().any(|f| self.has_heap(f.ty)),
                _ => false,
            },
            _ => false,
        }
    }

    /// True if an element has bytes that belong to no field, at any depth.
    pub fn has_gaps(&self, ty: Type) -> bool {
        let Type::User(id) = ty else {
            return false;
        };
        let TypeClass::Compound { size, fields } = &self.user_type(id).class else {
            return false;
        };
        let mut end = 0;
        for field in fields {
            if field.offset != end || self.has_gaps(field.ty) {
                return true;
            }
            let count = field
                .dims
                .iter()
                .fold(1usize, |n, length| n.saturating_mul(*length));
            end += count.saturating_mul(self.type_size(field.ty));
        }
        end != *size
    }

    /// How every writer here stores elements of a type: the bytes of one element, and their form. The layout
    /// of an existing file may differ. For example, a compound of big-endian numbers is `Structured` there,
    /// because it must be converted.
    pub fn storage_encoding(&self, ty: Type) -> (usize, Encoding) {
        let size = self.type_size(ty);
        let encoding = match ty {
            _ if self.has_heap(ty) => Encoding::Structured,
            _ if self.kind.can().packed_compounds && self.has_gaps(ty) => Encoding::Structured,
            Type::User(id) => match &self.user_type(id).class {
                TypeClass::Enum { .. } => Encoding::Numbers { unit: size },
                _ => Encoding::Packed,
            },
            _ => Encoding::Numbers { unit: size },
        };
        (size, encoding)
    }
}
