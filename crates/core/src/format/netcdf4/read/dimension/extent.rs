//! Lengths of unlimited dimensions: that of the longest variable on each, in any group. A shorter variable
//! reads as fill values past its own extent.

/// Computes the lengths of dimensions. `dims` holds (own length, unlimited). `variables` holds for each
/// variable its dimensions (positions in `dims`) and its own lengths. An unlimited dimension without
/// variables has length 0.
pub fn lengths<'a>(
    dims: impl Iterator<Item = (u64, bool)>,
    variables: impl Iterator<Item = (&'a [usize], &'a [u64])>,
) -> Vec<u64> {
    let dims: Vec<_> = dims.collect();
    let mut lengths: Vec<u64> = dims
        .iter()
        .map(|(length, unlimited)| if *unlimited { 0 } else { *length })
        .collect();
    for (positions, extent) in variables {
        for (position, length) in positions.iter().zip(extent) {
            if let (Some((_, true)), Some(longest)) = (dims.get(*position), lengths.get_mut(*position)) {
                *longest = (*longest).max(*length);
            }
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::lengths;

    #[test]
    fn the_longest_variable_decides() {
        let variables: [(&[usize], &[u64]); 3] = [(&[0, 1], &[4, 3]), (&[0], &[9]), (&[1], &[5])];
        assert_eq!(
            lengths(
                [(2, true), (3, false), (7, true)].into_iter(),
                variables.into_iter()
            ),
            [9, 3, 0]
        );
    }
}
