//! A thing of a dataset, for those who must say where it comes from.

use super::{DimId, GroupId, TypeId, VarId};

/// Something that a schema holds, or that a CDL text says of a part of it. Attributes are told by their place in their
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
    /// How a variable is stored: the name of the attribute that says so in CDL, such as `_ChunkSizes`. It is in no list.
    StorageAttribute(VarId, &'static str),
}
