//! Cuts a variable into regions that follow each other in C order, each small enough to hold.

use crate::format::Region;

/// The regions of a variable of `shape`, in C order. Each takes about `budget` bytes at most, and where that is possible its
/// borders are those of chunks, so that few chunks are decoded twice. Empty where the variable has no elements.
pub fn slabs(shape: &[u64], chunk: &[u64], element_size: usize, budget: u64) -> Vec<Region> {
    if shape.contains(&0) {
        return Vec::new();
    }
    // The dimension to cut along: the first behind which everything fits.
    let mut inner = element_size.max(1) as u64;
    let mut at = shape.len();
    while at > 0 && inner.saturating_mul(shape[at - 1]) <= budget {
        at -= 1;
        inner *= shape[at];
    }
    if at == 0 {
        return vec![Region {
            start: vec![0; shape.len()],
            count: shape.to_vec(),
        }];
    }
    let cut = at - 1;
    let fits = (budget / inner).clamp(1, shape[cut]);
    let length = match chunk.get(cut) {
        Some(chunk) if *chunk > 0 && fits >= *chunk => fits - fits % chunk,
        _ => fits,
    };
    let mut regions = Vec::new();
    let mut start = vec![0; shape.len()];
    let mut count = shape.to_vec();
    count[..cut].fill(1);
    loop {
        count[cut] = length.min(shape[cut] - start[cut]);
        regions.push(Region {
            start: start.clone(),
            count: count.clone(),
        });
        start[cut] += count[cut];
        let mut carry = cut;
        while start[carry] == shape[carry] {
            start[carry] = 0;
            if carry == 0 {
                return regions;
            }
            carry -= 1;
            start[carry] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuts(shape: &[u64], chunk: &[u64], budget: u64) -> Vec<(Vec<u64>, Vec<u64>)> {
        slabs(shape, chunk, 1, budget)
            .into_iter()
            .map(|r| (r.start, r.count))
            .collect()
    }

    #[test]
    fn covers_everything_in_order() {
        assert_eq!(cuts(&[], &[], 10), [(vec![], vec![])]);
        assert_eq!(cuts(&[4, 3], &[4, 3], 100), [(vec![0, 0], vec![4, 3])]);
        assert_eq!(
            cuts(&[4, 3], &[2, 3], 10),
            [(vec![0, 0], vec![2, 3]), (vec![2, 0], vec![2, 3])]
        );
        assert_eq!(
            cuts(&[2, 5], &[], 3),
            [
                (vec![0, 0], vec![1, 3]),
                (vec![0, 3], vec![1, 2]),
                (vec![1, 0], vec![1, 3]),
                (vec![1, 3], vec![1, 2]),
            ]
        );
        assert_eq!(cuts(&[2, 0], &[], 3), []);
        assert_eq!(cuts(&[2], &[], 0), [(vec![0], vec![1]), (vec![1], vec![1])]);
    }
}
