//! How long unlimited dimensions are: as long as the longest variable on them, in their own group and all below. A variable
//! that is shorter reads as fill past its own extent.

/// The lengths of dimensions. `dims` are (own length, unlimited); `variables` pairs each variable's dimensions (positions in
/// `dims`) with its own lengths. An unlimited dimension on which there is no variable has length 0.
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
