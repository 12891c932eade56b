//! The dimensions of a file that is being read. First come those of dimension scales, then those made for
//! variables without scales ([`super::phony`]).

use std::collections::HashMap;

use super::scale::Scale;
use crate::format::netcdf4::read::object::links::ObjectId;

/// A dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundDimension {
    /// Its id in the file: given by the scale, or the next free one.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Index of its group in the hierarchy.
    pub group: usize,
    /// Length of its scale, or of its first variable.
    pub length: u64,
    /// True if it may grow.
    pub unlimited: bool,
}

/// All dimensions of a file, with ways to find one. Positions are indices in [`Dimensions::all`].
#[derive(Debug, Default)]
pub struct Dimensions {
    all: Vec<FoundDimension>,
    /// The id of the next dimension without one.
    next_id: i64,
    by_id: HashMap<i64, Vec<usize>>,
    by_scale: HashMap<ObjectId, Vec<usize>>,
    by_shape: HashMap<(usize, u64, bool), Vec<usize>>,
    /// The parent of each group.
    parents: Vec<Option<usize>>,
}

impl Dimensions {
    /// An empty list, for groups with these parents.
    pub fn new(parents: Vec<Option<usize>>) -> Self {
        Self {
            parents,
            ..Self::default()
        }
    }

    /// The dimensions found so far.
    pub fn all(&self) -> &[FoundDimension] {
        &self.all
    }

    /// Adds the dimension of a scale. If the scale gives no id, it gets the next free one.
    pub fn add_scale(&mut self, scale: &Scale, name: &str, group: usize, object: ObjectId) -> usize {
        let at = self.add(scale.id, name.to_owned(), group, scale.length, scale.unlimited);
        self.by_scale.entry(object).or_default().push(at);
        at
    }

    /// Adds a dimension without scale, named after its id.
    pub fn add_phony(&mut self, group: usize, length: u64, unlimited: bool) -> usize {
        self.add(
            None,
            format!("phony_dim_{}", self.next_id),
            group,
            length,
            unlimited,
        )
    }

    fn add(&mut self, id: Option<i64>, name: String, group: usize, length: u64, unlimited: bool) -> usize {
        let id = id.unwrap_or(self.next_id);
        self.next_id = self.next_id.max(id.saturating_add(1));
        let at = self.all.len();
        self.all.push(FoundDimension {
            id,
            name,
            group,
            length,
            unlimited,
        });
        self.by_id.entry(id).or_default().push(at);
        self.by_shape
            .entry((group, length, unlimited))
            .or_default()
            .push(at);
        at
    }

    /// The dimension with this id in `group` or, if there is none, in the nearest parent.
    pub fn with_id(&self, group: usize, id: i64) -> Option<usize> {
        self.nearest(group, self.by_id.get(&id)?)
    }

    /// The only dimension with this id in any group. `None` if several have it.
    pub fn alone_with_id(&self, id: i64) -> Option<usize> {
        match self.by_id.get(&id)?.as_slice() {
            [alone] => Some(*alone),
            _ => None,
        }
    }

    /// The dimension of this scale in `group` or in the nearest parent. If there is none, the first one in
    /// any group.
    pub fn of_scale(&self, group: usize, scale: ObjectId) -> Option<usize> {
        let candidates = self.by_scale.get(&scale)?;
        self.nearest(group, candidates)
            .or_else(|| candidates.first().copied())
    }

    /// The first dimension of `group` itself with this length and growth that is not in `used`.
    pub fn unused(
        &self,
        group: usize,
        length: u64,
        unlimited: bool,
        used: &[Option<usize>],
    ) -> Option<usize> {
        self.by_shape
            .get(&(group, length, unlimited))?
            .iter()
            .copied()
            .find(|at| !used.contains(&Some(*at)))
    }

    fn nearest(&self, group: usize, candidates: &[usize]) -> Option<usize> {
        let mut at = Some(group);
        while let Some(g) = at {
            if let Some(found) = candidates
                .iter()
                .copied()
                .find(|c| self.all.get(*c).is_some_and(|d| d.group == g))
            {
                return Some(found);
            }
            at = self.parents.get(g).copied().flatten();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(id: Option<i64>, length: u64) -> Scale {
        Scale {
            id,
            length,
            unlimited: false,
            is_variable: true,
        }
    }

    fn object(address: u64) -> ObjectId {
        ObjectId { file: 0, address }
    }

    #[test]
    fn ids_count_on_from_the_highest() {
        let mut dims = Dimensions::new(vec![None]);
        dims.add_scale(&scale(Some(4), 1), "a", 0, object(1));
        dims.add_scale(&scale(Some(2), 1), "b", 0, object(2));
        dims.add_scale(&scale(None, 1), "c", 0, object(3));
        let phony = dims.add_phony(0, 7, true);
        assert_eq!(dims.all()[2].id, 5);
        assert_eq!(dims.all()[phony].name, "phony_dim_6");
    }

    #[test]
    fn own_and_outer_groups_go_first() {
        // Group 0 holds 1 and 2; group 1 holds 3.
        let mut dims = Dimensions::new(vec![None, Some(0), Some(0), Some(1)]);
        let root = dims.add_scale(&scale(None, 3), "x", 0, object(1));
        let inner = dims.add_scale(&scale(None, 3), "x", 1, object(2));
        assert_eq!(dims.of_scale(3, object(2)), Some(inner));
        assert_eq!(dims.of_scale(2, object(2)), Some(inner));
        assert_eq!(dims.of_scale(2, object(1)), Some(root));
        assert_eq!(dims.with_id(3, 1), Some(inner));
        assert_eq!(dims.with_id(2, 1), None);
        assert_eq!(dims.alone_with_id(1), Some(inner));
        dims.add_scale(&scale(Some(1), 3), "y", 2, object(3));
        assert_eq!(dims.with_id(3, 1), Some(inner));
        assert_eq!(dims.alone_with_id(1), None);
    }

    #[test]
    fn two_links_to_one_scale_resolve_to_the_nearer() {
        let mut dims = Dimensions::new(vec![None, Some(0)]);
        dims.add_scale(&scale(Some(0), 3), "x", 0, object(1));
        let near = dims.add_scale(&scale(Some(0), 3), "y", 1, object(1));
        assert_eq!(dims.of_scale(1, object(1)), Some(near));
        assert_eq!(dims.with_id(1, 0), Some(near));
    }
}
