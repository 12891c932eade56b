//! Names one part of a schema, so that an error can point to where the part was declared.

use crate::{DimId, GroupId, TypeId, VarId};

/// A part of a schema, or an attribute that exists only in CDL. An attribute is given by its index in its
/// owner's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// A group.
    Group(GroupId),
    /// A user-defined type.
    Type(TypeId),
    /// A dimension.
    Dimension(DimId),
    /// A variable.
    Variable(VarId),
    /// An attribute of a group.
    GroupAttribute(GroupId, usize),
    /// An attribute of a variable.
    VariableAttribute(VarId, usize),
    /// A special attribute that describes a variable's storage in CDL, such as `_ChunkSizes`, by name. It is
    /// in no list.
    StorageAttribute(VarId, &'static str),
}
