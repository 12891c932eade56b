//! Dimensions of a dataset: DAP2 has them with each variable, netCDF once.
//!
//! Equal names and lengths are one dimension. A second length of a name gets a number behind the name, and dimensions without
//! names are called by their variable and position, both as netCDF-C does it.

use std::collections::HashMap;

use super::leaf::Leaf;

/// The dimensions of a dataset, sorted by name, unlimited ones first.
#[derive(Debug, Default)]
pub struct Dimensions {
    /// Name and length.
    pub all: Vec<(String, u64)>,
    /// The dimensions of each variable, as positions in `all`.
    pub of_variables: Vec<Vec<usize>>,
}

/// Collects the dimensions of `leaves`. Those of text have a last dimension of characters. `unlimited` is the name of the
/// unlimited dimension, which comes first.
pub fn dimensions(leaves: &[Leaf], unlimited: Option<&str>) -> Dimensions {
    // The key of a dimension without a name is its variable and position.
    let mut numbers: HashMap<(String, u64), usize> = HashMap::new();
    let mut taken: HashMap<String, u64> = HashMap::new();
    let mut all: Vec<(String, u64)> = Vec::new();
    let mut of_variables = Vec::new();
    for leaf in leaves {
        let characters = (format!("maxStrlen{}", leaf.width), leaf.width as u64);
        let mut own = Vec::new();
        let named = leaf.dims.iter().enumerate().map(|(n, dim)| {
            let name = dim.name.clone().unwrap_or_else(|| format!("{}_{n}", leaf.name));
            (name, dim.length)
        });
        for (name, length) in named.chain(leaf.atom.is_text().then_some(characters)) {
            let number = *numbers.entry((name.clone(), length)).or_insert_with(|| {
                all.push((free_name(&mut taken, &name), length));
                all.len() - 1
            });
            own.push(number);
        }
        of_variables.push(own);
    }
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|n| (Some(all[*n].0.as_str()) != unlimited, all[*n].0.clone()));
    let mut places = vec![0; all.len()];
    for (place, number) in order.iter().enumerate() {
        places[*number] = place;
    }
    for number in of_variables.iter_mut().flatten() {
        *number = places[*number];
    }
    let mut sorted = vec![(String::new(), 0); all.len()];
    for (number, dim) in all.into_iter().enumerate() {
        sorted[places[number]] = dim;
    }
    Dimensions {
        all: sorted,
        of_variables,
    }
}

/// The name, or the name with the next number behind it if it is taken.
fn free_name(taken: &mut HashMap<String, u64>, name: &str) -> String {
    let mut free = name.to_owned();
    while taken.contains_key(&free) {
        let next = taken.entry(name.to_owned()).or_default();
        *next += 1;
        free = format!("{name}_{next}");
    }
    taken.insert(free.clone(), 0);
    free
}

#[cfg(test)]
mod tests {
    use super::super::constraint::Constraint;
    use super::super::{dds, leaves};
    use super::*;

    #[test]
    fn equal_dimensions_are_one() {
        let text = "Dataset { Int32 a[t = 2][x = 3]; Int32 b[t = 2]; Int32 c[t = 5][t = 6]; Byte d[2][t_1 = 7]; String s; } d;";
        let mut leaves = leaves::leaves(&dds::parse(text).unwrap(), &Constraint::default())
            .unwrap()
            .all;
        leaves[4].width = 64;
        let found = dimensions(&leaves, Some("x"));
        let names: Vec<_> = found
            .all
            .iter()
            .map(|(name, length)| (name.as_str(), *length))
            .collect();
        assert_eq!(
            names,
            [
                ("x", 3),
                ("d_0", 2),
                ("maxStrlen64", 64),
                ("t", 2),
                ("t_1", 5),
                ("t_1_1", 7),
                ("t_2", 6)
            ]
        );
        assert_eq!(
            found.of_variables,
            [vec![3, 0], vec![3], vec![4, 6], vec![1, 5], vec![2]]
        );
    }
}
