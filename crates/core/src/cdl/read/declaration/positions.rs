//! Positions of declarations in a text, for errors found after parsing, such as an item that the kind of file cannot
//! hold.

use std::collections::HashMap;

use crate::model::{Item, VarId};

/// Position of the name of each item of the schema, in the schema's order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Positions {
    /// Groups. The first is the root group, at the dataset's name.
    pub groups: Vec<u64>,
    /// Types.
    pub types: Vec<u64>,
    /// Dimensions.
    pub dims: Vec<u64>,
    /// Variables.
    pub vars: Vec<u64>,
    /// Attributes of each group. Groups after the last one with an attribute have no entry.
    pub group_attributes: Vec<Vec<u64>>,
    /// Attributes of each variable. Variables after the last one with an attribute have no entry.
    pub variable_attributes: Vec<Vec<u64>>,
    /// Storage attributes by variable number: name, and position of the name.
    pub storage_attributes: HashMap<usize, Vec<(String, u64)>>,
}

impl Positions {
    /// Position of the declaration of `item`. A storage attribute that the text does not have is at its variable.
    pub fn of(&self, item: Item) -> Option<u64> {
        match item {
            Item::Group(id) => self.groups.get(id.0),
            Item::Type(id) => self.types.get(id.0),
            Item::Dimension(id) => self.dims.get(id.0),
            Item::Variable(id) => self.vars.get(id.0),
            Item::GroupAttribute(id, n) => self.group_attributes.get(id.0).and_then(|list| list.get(n)),
            Item::VariableAttribute(id, n) => self.variable_attributes.get(id.0).and_then(|list| list.get(n)),
            Item::StorageAttribute(id, name) => {
                let stands = self.storage_attributes.get(&id.0).and_then(|list| {
                    let (_, at) = list.iter().find(|(given, _)| given == name)?;
                    Some(at)
                });
                stands.or_else(|| self.vars.get(id.0))
            }
        }
        .copied()
    }

    /// Records the position of the storage attribute `name` of `var`.
    pub(crate) fn set_storage(&mut self, var: VarId, name: String, at: u64) {
        let list = self.storage_attributes.entry(var.0).or_default();
        match list.iter_mut().find(|(known, _)| *known == name) {
            Some((_, place)) => *place = at,
            None => list.push((name, at)),
        }
    }

    /// Records the position of the attribute `item`, which is new or repeats an earlier one.
    pub(crate) fn set_attribute(&mut self, item: Item, at: u64) {
        let (lists, owner, n) = match item {
            Item::GroupAttribute(id, n) => (&mut self.group_attributes, id.0, n),
            Item::VariableAttribute(id, n) => (&mut self.variable_attributes, id.0, n),
            _ => return,
        };
        if lists.len() <= owner {
            lists.resize_with(owner + 1, Vec::new);
        }
        let list = &mut lists[owner];
        match list.get_mut(n) {
            Some(place) => *place = at,
            None => list.push(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_of_storage_is_the_variables_matter() {
        let mut places = Positions {
            vars: vec![10, 20],
            ..Positions::default()
        };
        places.set_storage(VarId(1), "_Storage".into(), 30);
        places.set_storage(VarId(1), "_ChunkSizes".into(), 40);
        places.set_storage(VarId(1), "_Storage".into(), 50);
        let of = |var, name| places.of(Item::StorageAttribute(VarId(var), name));
        assert_eq!(of(1, "_Storage"), Some(50));
        assert_eq!(of(1, "_ChunkSizes"), Some(40));
        assert_eq!(of(1, "_Filter"), Some(20));
        assert_eq!(of(0, "_Storage"), Some(10));
        assert_eq!(of(2, "_Storage"), None);
    }
}
