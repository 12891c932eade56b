//! [`Known`]: the attributes that owners of many have, by name.

use std::collections::HashMap;

use crate::model::{GroupId, Item, VarId};

/// The owner of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Owner {
    Group(GroupId),
    Variable(VarId),
}

impl Owner {
    /// Attribute number `n` of this owner.
    pub(super) fn attribute(self, n: usize) -> Item {
        match self {
            Self::Group(id) => Item::GroupAttribute(id, n),
            Self::Variable(id) => Item::VariableAttribute(id, n),
        }
    }
}

/// Positions of attributes by name, for owners with more than a few attributes.
#[derive(Debug, Default)]
pub struct Known {
    pub(super) by_name: HashMap<Owner, HashMap<String, usize>>,
}
