//! [`GroupTree`]: groups and variables by the bytes that they take.

use std::collections::HashMap;

use crate::inspect::sizes::DatasetSizes;
use crate::model::{GroupId, Schema};

/// Most variables with a leaf of their own. The smaller ones of a group share one leaf.
const MOST_LEAVES: usize = 120;

/// Most levels of groups. What lies deeper is in the last of them.
const DEEPEST: usize = 4;

/// One group.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupTree {
    /// Its name; empty for the root.
    pub name: String,
    /// Bytes of all that is in it.
    pub bytes: u64,
    /// Its variables, the largest first.
    pub leaves: Vec<Leaf>,
    /// Its groups that have bytes.
    pub groups: Vec<GroupTree>,
}

/// One variable, or several small ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// The variable's place in [`DatasetSizes::variables`]; `None` for several.
    pub variable: Option<usize>,
    /// Number of variables.
    pub count: usize,
    /// Bytes.
    pub bytes: u64,
}

impl GroupTree {
    /// The tree of a dataset.
    pub(super) fn of(schema: &Schema, sizes: &DatasetSizes) -> Self {
        let mut root = Self::default();
        // The group in which each group is shown.
        let mut known: HashMap<GroupId, Vec<GroupId>> = HashMap::new();
        for (n, of) in sizes.variables.iter().enumerate() {
            let Some(bytes) = of.counted().filter(|bytes| *bytes > 0) else {
                continue;
            };
            let group = schema.var(of.var).group;
            let chain = known.entry(group).or_insert_with(|| chain(schema, group));
            root.add(schema, chain, n, bytes);
        }
        root
    }

    fn add(&mut self, schema: &Schema, chain: &[GroupId], n: usize, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
        if let Some((first, rest)) = chain.split_first() {
            let name = &schema.group(*first).name;
            let known = self.groups.iter_mut().find(|group| group.name == *name);
            if let Some(group) = known {
                return group.add(schema, rest, n, bytes);
            }
            // A group of small variables alone is among them, so there are few groups.
            if n < MOST_LEAVES {
                let mut group = Self {
                    name: name.clone(),
                    ..Self::default()
                };
                group.add(schema, rest, n, bytes);
                self.groups.push(group);
                return;
            }
        }
        // Variables come in the order of their sizes, so the first ones are the largest.
        match self.leaves.last_mut() {
            Some(last) if n >= MOST_LEAVES && last.variable.is_none() => {
                last.bytes = last.bytes.saturating_add(bytes);
                last.count += 1;
            }
            _ => self.leaves.push(Leaf {
                variable: (n < MOST_LEAVES).then_some(n),
                count: 1,
                bytes,
            }),
        }
    }
}

/// The groups from below the root to a group.
fn chain(schema: &Schema, group: GroupId) -> Vec<GroupId> {
    let mut chain = Vec::new();
    let mut at = group;
    while let Some(parent) = schema.group(at).parent {
        chain.push(at);
        at = parent;
    }
    chain.reverse();
    chain.truncate(DEEPEST);
    chain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Registry;
    use crate::format::in_memory::InMemoryReader;
    use crate::model::Kind;

    #[test]
    fn small_variables_share_a_leaf_and_deep_groups_end() {
        let mut schema = Schema::new(Kind::Netcdf4);
        let mut group = Schema::ROOT;
        for _ in 0..1000 {
            group = schema.add_group(group, "g");
        }
        let others: Vec<GroupId> = (0..500)
            .map(|n| schema.add_group(Schema::ROOT, format!("o{n}")))
            .collect();
        let mut root = GroupTree::default();
        let deep = chain(&schema, group);
        assert_eq!(deep.len(), DEEPEST);
        root.add(&schema, &deep, 0, 1000);
        for (n, group) in others.iter().enumerate() {
            root.add(&schema, &chain(&schema, *group), n + 1, 2);
        }
        assert_eq!(root.bytes, 2000);
        assert_eq!(root.groups.len(), MOST_LEAVES);
        let small = 500 - (MOST_LEAVES - 1);
        let leaf = Leaf {
            variable: None,
            count: small,
            bytes: 2 * small as u64,
        };
        assert_eq!(root.leaves, [leaf]);
        let empty = InMemoryReader::new(Schema::new(Kind::Netcdf4), Vec::new());
        assert!(
            crate::inspect::sizes(&empty, &Registry::builtin()).is_err(),
            "a reader that counts no bytes"
        );
    }
}
