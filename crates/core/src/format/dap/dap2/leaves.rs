//! The atomic variables of a dataset, as netCDF shows them: without structures around them.
//!
//! ```text
//! DDS ─► Leaf: path, dimensions of all structures around ─► constrained ─► order: of the root, of grids, others
//! ```

use std::collections::{HashMap, HashSet};

use super::constraint::Constraint;
use super::dds::{Atom, Dataset, Dim, Node, NodeKind};
use super::leaf::{Leaf, LeafDim, LeafPlace, Step};
use super::names::{decoded, legal};
use crate::error::Result;
use crate::format::dap::slice::Slice;

/// The variables of a dataset that a constraint takes, and a line for each item that was left out.
#[derive(Debug, Default)]
pub struct Leaves {
    /// The variables, in netCDF-C's order.
    pub all: Vec<Leaf>,
    /// The names of all variables, also of those that the constraint leaves out: with and without the structures around them.
    pub names: HashSet<String>,
    /// What netCDF cannot hold.
    pub left_out: Vec<String>,
}

/// Finds the variables.
///
/// # Errors
/// A constraint that does not fit the dataset.
pub fn leaves(dataset: &Dataset, constraint: &Constraint) -> Result<Leaves> {
    let mut found = Leaves::default();
    for node in &dataset.members {
        found.add(node, &[], LeafPlace::Root);
    }
    found.names = found
        .all
        .iter()
        .flat_map(|leaf| [leaf.full_name(), leaf.own_name()])
        .collect();
    let mut all = constraint.applied(std::mem::take(&mut found.all))?;
    // A map that is a variable of the root too is shown once. So are equal maps of several grids.
    let mut named: HashSet<String> = all
        .iter()
        .filter(|leaf| leaf.place != LeafPlace::GridMap)
        .map(|leaf| leaf.name.clone())
        .collect();
    all.retain(|leaf| leaf.place != LeafPlace::GridMap || named.insert(leaf.name.clone()));
    // Stable, so that each group is in the order of the DDS.
    all.sort_by_key(|leaf| group_of(leaf.place));
    found.all = all;
    Ok(found)
}

/// The group of variables that netCDF-C lists together.
fn group_of(place: LeafPlace) -> u8 {
    match place {
        LeafPlace::Root => 0,
        LeafPlace::GridArray | LeafPlace::GridMap => 1,
        LeafPlace::Inside => 2,
    }
}

impl Leaves {
    /// Puts the variables of each group in the order of those that the server answered for the same constraint.
    pub fn order_as(&mut self, answered: &Self) {
        let names = answered.all.iter().map(Leaf::full_name).enumerate();
        let places: HashMap<String, usize> = names.map(|(n, name)| (name, n)).collect();
        let place = |leaf: &Leaf| places.get(&leaf.full_name()).copied().unwrap_or(usize::MAX);
        self.all.sort_by_key(|leaf| (group_of(leaf.place), place(leaf)));
    }

    fn add(&mut self, node: &Node, above: &[(&Node, Step)], place: LeafPlace) {
        let step = Step {
            raw: node.name.clone(),
            rank: node.dims.len(),
            is_sequence: matches!(node.kind, NodeKind::Sequence(_)),
        };
        let mut path = above.to_vec();
        path.push((node, step));
        match &node.kind {
            NodeKind::Atom(atom) => self.all.push(leaf(&path, *atom, place)),
            NodeKind::Grid(members) => {
                for (n, member) in members.iter().enumerate() {
                    let place = if n == 0 {
                        LeafPlace::GridArray
                    } else {
                        LeafPlace::GridMap
                    };
                    self.add(member, &path, place);
                    if let (LeafPlace::GridMap, Some(map)) = (place, self.all.last_mut()) {
                        map.map = Some(n - 1);
                    }
                }
            }
            NodeKind::Sequence(_)
                if above
                    .iter()
                    .any(|(node, step)| step.is_sequence || !node.dims.is_empty()) =>
            {
                let names = path.iter().map(|(node, _)| decoded(&node.name));
                self.left_out.push(format!(
                    "sequence {}: left out, as netCDF has no sequences in sequences or arrays of them",
                    names.collect::<Vec<_>>().join(".")
                ));
            }
            NodeKind::Structure(members) | NodeKind::Sequence(members) => {
                for member in members {
                    self.add(member, &path, LeafPlace::Inside);
                }
            }
        }
    }
}

fn leaf(path: &[(&Node, Step)], atom: Atom, place: LeafPlace) -> Leaf {
    let mut dims = Vec::new();
    for (node, step) in path {
        if step.is_sequence {
            dims.push(LeafDim {
                name: Some(legal(&node.name)),
                length: 0,
                slice: Slice::whole(0),
                is_rows: true,
            });
        }
        dims.extend(node.dims.iter().map(|Dim { name, length }| LeafDim {
            name: name.as_deref().map(legal),
            length: *length,
            slice: Slice::whole(*length),
            is_rows: false,
        }));
    }
    // The name of a grid is that of its array, and adds nothing.
    let is_shown = |(node, _): &&(&Node, Step)| !matches!(node.kind, NodeKind::Grid(_));
    let name = path.iter().filter(is_shown).map(|(node, _)| legal(&node.name));
    Leaf {
        name: name.collect::<Vec<_>>().join("."),
        atom,
        place,
        map: None,
        dims,
        path: path.iter().map(|(_, step)| step.clone()).collect(),
        width: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::dds;
    use super::*;

    const DDS: &str = "Dataset {
        Grid { Array: Float32 g[t = 10][y = 4]; Maps: Int32 t[t = 10]; Int32 y[y = 4]; } g;
        Structure { Structure { Int16 v[3]; } in[2]; } s;
        Sequence { Int32 a; } rows;
        Int32 x.y[5];
    } d;";

    fn of(query: &str) -> Result<Vec<(String, Vec<u64>)>> {
        let found = leaves(&dds::parse(DDS).unwrap(), &Constraint::parse(query)?)?;
        let lengths = |leaf: &Leaf| leaf.dims.iter().map(|dim| dim.length).collect();
        Ok(found
            .all
            .iter()
            .map(|leaf| (leaf.name.clone(), lengths(leaf)))
            .collect())
    }

    #[test]
    fn projections_are_applied() {
        for (query, wanted) in [
            ("g.g[0:1:3][2]", vec![("g", vec![4, 1])]),
            (
                "g[2:3:9][1:2]",
                vec![("g", vec![3, 2]), ("t", vec![3]), ("y", vec![2])],
            ),
            ("s.in[1].v[0:2:2]", vec![("s.in.v", vec![1, 2])]),
            ("v", vec![("s.in.v", vec![2, 3])]),
            ("x.y%5B4%5D", vec![("x.y", vec![1])]),
            ("rows.a&rows.a>3", vec![("rows.a", vec![0])]),
            ("t", vec![("t", vec![10])]),
        ] {
            let found = of(query).unwrap();
            let wanted: Vec<_> = wanted.into_iter().map(|(name, l)| (name.to_owned(), l)).collect();
            assert_eq!(found, wanted, "{query}");
        }
        assert_eq!(of("").unwrap().len(), 6);
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        for query in [
            "no",
            "g.g[0:1:10][0]",
            "g.g[0]",
            "g[",
            "g[1:0]",
            "g[0:0:1][0]",
            "g..g",
            "rows.a&f(x)",
            "rows[0:1].a",
            "g[a]",
            "g[18446744073709551615:18446744073709551615:18446744073709551615][0]",
        ] {
            assert!(of(query).is_err(), "{query}");
        }
    }

    #[test]
    fn requests_name_indexes_of_the_server() {
        let found = leaves(
            &dds::parse(DDS).unwrap(),
            &Constraint::parse("g[2:3:9][1:2]").unwrap(),
        )
        .unwrap();
        let slice = |first, step, count| Slice { first, step, count };
        let of = |slices: &[Slice]| found.all[0].projection(slices);
        assert_eq!(of(&[slice(1, 1, 2), slice(0, 1, 1)]), "g.g[5:3:8][1:1:1]");
        assert_eq!(of(&[slice(0, 2, 2), slice(0, 1, 2)]), "g.g[2:6:8][1:1:2]");
    }
}
