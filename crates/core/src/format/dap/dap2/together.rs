//! [`Together`]: small variables of the root, which one request brings together. The first read of one brings all of its group.

use std::sync::{Arc, Mutex, PoisonError};

use super::data::{Answer, Asked, most_bytes, question};
use super::leaf::{Leaf, LeafPlace};
use super::names::sent;
use crate::error::Result;
use crate::format::dap::server::Server;
use crate::format::dap::slice::element_count;
use crate::store::BoundedCache;

/// Most bytes of a variable that is small.
const MOST_OF_ONE: u64 = 16 << 10;

/// Most bytes of the variables of a group.
const MOST_OF_ALL: u64 = 512 << 10;

/// Most characters of a group's query. Servers refuse URLs from some 4,000 on.
const LONGEST_QUERY: usize = 1500;

/// Bytes of small variables that are kept.
const KEPT: usize = 16 << 20;

/// The small variables of a dataset, in groups.
pub struct Together {
    groups: Vec<Group>,
    /// The group of each variable.
    group_of: Vec<Option<usize>>,
    /// Elements, by the number of their variable.
    kept: BoundedCache<usize, Arc<Vec<u8>>>,
}

/// Variables that are asked for together.
#[derive(Default)]
struct Group {
    vars: Vec<usize>,
    bytes: u64,
    query: usize,
    /// True once it was asked for, whether it came or not.
    is_asked: Mutex<bool>,
}

impl Together {
    /// Groups of small variables.
    pub fn new(leaves: &[Leaf]) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        let mut group_of = vec![None; leaves.len()];
        for (n, leaf) in leaves.iter().enumerate() {
            let bytes = element_count(&leaf.whole()).map(|count| count.saturating_mul(leaf.size_sent()));
            let bytes = bytes.filter(|bytes| *bytes <= MOST_OF_ONE && leaf.place == LeafPlace::Root);
            let Some(bytes) = bytes else { continue };
            let query = sent(&leaf.projection(&leaf.whole())).len() + 1;
            let has_room =
                |group: &Group| group.bytes + bytes <= MOST_OF_ALL && group.query + query <= LONGEST_QUERY;
            if !groups.last().is_some_and(has_room) {
                groups.push(Group::default());
            }
            if let Some(group) = groups.last_mut() {
                group.vars.push(n);
                group.bytes += bytes;
                group.query += query;
            }
            group_of[n] = Some(groups.len() - 1);
        }
        Self {
            groups,
            group_of,
            kept: BoundedCache::new(KEPT),
        }
    }

    /// All elements of a variable. `None` for one that must be asked for alone: it is not small, or its group did not come.
    pub fn elements(&self, server: &Server, leaves: &[Leaf], var: usize) -> Option<Arc<Vec<u8>>> {
        let group = &self.groups[(*self.group_of.get(var)?)?];
        if group.vars.len() < 2 {
            return None;
        }
        let mut is_asked = group.is_asked.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut *is_asked, true) {
            // A request for one variable will say what is wrong with it.
            if let Ok(all) = fetch(server, leaves, group) {
                for (var, elements) in group.vars.iter().zip(all) {
                    let bytes = elements.len();
                    self.kept.keep(*var, Arc::new(elements), bytes);
                }
            }
        }
        self.kept.get(&var)
    }
}

fn fetch(server: &Server, leaves: &[Leaf], group: &Group) -> Result<Vec<Vec<u8>>> {
    let leaves: Vec<&Leaf> = group.vars.iter().map(|var| &leaves[*var]).collect();
    let projections: Vec<String> = leaves.iter().map(|leaf| leaf.projection(&leaf.whole())).collect();
    let mut asked = Vec::new();
    let mut most = 0u64;
    for leaf in leaves {
        let count = element_count(&leaf.whole()).unwrap_or(0);
        asked.push(Asked {
            leaf,
            count: Some(count),
            width: leaf.width,
            most: count as usize * leaf.size(),
        });
        most = most.saturating_add(most_bytes(count, leaf.size_sent()));
    }
    let mut all = Vec::new();
    server.answers(vec![question(&projections.join(","), "", most)], |answer| {
        let found = Answer::parse(answer)?.several(&asked)?;
        all = found.into_iter().map(|elements| elements.bytes).collect();
        Ok(())
    })?;
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::super::constraint::Constraint;
    use super::super::{dds, leaves};
    use super::*;

    #[test]
    fn groups_are_short() {
        let mut text = String::from("Dataset { Int32 large[100][100]; Structure { Byte b; } s;");
        for n in 0..200 {
            text.push_str(&format!("Float64 coordinate_{n}[n = 1000];"));
        }
        let dataset = dds::parse(&format!("{text} }} d;")).unwrap();
        let leaves = leaves::leaves(&dataset, &Constraint::default()).unwrap().all;
        let made = Together::new(&leaves);
        assert!((3..20).contains(&made.groups.len()), "{}", made.groups.len());
        for group in &made.groups {
            assert!(group.bytes <= MOST_OF_ALL && group.query <= LONGEST_QUERY && group.vars.len() > 1);
        }
        let alone: Vec<_> = (0..leaves.len())
            .filter(|n| made.group_of[*n].is_none())
            .collect();
        let names: Vec<_> = alone.iter().map(|n| leaves[*n].name.as_str()).collect();
        assert_eq!(names, ["large", "s.b"]);
    }
}
