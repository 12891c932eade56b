//! Dimensions for variables without dimension scales, as in files from plain HDF5 programs.
//!
//! netCDF-C makes one dimension for each length and growth in a group, and names it `phony_dim_N` with the
//! next dimension id N of the file. An existing dimension of equal length and growth, real or phony, is
//! reused, but not twice in one variable. A group is handled after its child groups.

use super::dimensions::Dimensions;

/// Completes the dimensions of one variable. `dims` are its known dimensions, `lengths` and `max_lengths` its
/// own lengths.
pub fn complete(
    dimensions: &mut Dimensions,
    group: usize,
    dims: &mut [Option<usize>],
    lengths: &[u64],
    max_lengths: &[Option<u64>],
) {
    for d in 0..dims.len() {
        let (Some(None), Some(length), Some(max)) = (dims.get(d), lengths.get(d), max_lengths.get(d)) else {
            continue;
        };
        let unlimited = max.is_none();
        let dim = match dimensions.unused(group, *length, unlimited, dims) {
            Some(dim) => dim,
            None => dimensions.add_phony(group, *length, unlimited),
        };
        dims[d] = Some(dim);
    }
}

/// The order in which groups are handled: children before their parent, otherwise the file's order.
pub fn group_order(parents: &[Option<usize>]) -> Vec<usize> {
    let mut children = vec![Vec::new(); parents.len()];
    for (group, parent) in parents.iter().enumerate() {
        if let Some(list) = parent.and_then(|p| children.get_mut(p)) {
            list.push(group);
        }
    }
    let mut order = Vec::with_capacity(parents.len());
    // Collect parents before children and the last child first, then reverse.
    let mut pending: Vec<usize> = (0..parents.len()).filter(|g| parents[*g].is_none()).collect();
    while let Some(group) = pending.pop() {
        order.push(group);
        pending.extend(&children[group]);
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_come_before_their_parent() {
        //  0 ─┬─ 1 ─── 2
        //     └─ 3
        assert_eq!(group_order(&[None, Some(0), Some(1), Some(0)]), [2, 1, 3, 0]);
    }

    #[test]
    fn equal_lengths_share_a_dimension_but_not_within_a_variable() {
        let mut dimensions = Dimensions::new(vec![None]);
        let mut square = [None, None];
        complete(&mut dimensions, 0, &mut square, &[3, 3], &[Some(3), Some(3)]);
        assert_eq!(square, [Some(0), Some(1)]);
        let mut other = [None, None];
        complete(&mut dimensions, 0, &mut other, &[3, 3], &[None, Some(8)]);
        assert_eq!(other, [Some(2), Some(0)]);
        let mut partly = [None, Some(0)];
        complete(&mut dimensions, 0, &mut partly, &[3, 3], &[Some(3), Some(3)]);
        assert_eq!(partly, [Some(1), Some(0)]);
        assert_eq!(dimensions.all()[2].name, "phony_dim_2");
    }
}
