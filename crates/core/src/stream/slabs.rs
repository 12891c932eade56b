//! Cuts a variable into regions in C order, each small enough for memory.

use crate::format::Region;

/// The regions of a variable of `shape`, in C order. Each takes at most about `budget` bytes. Its borders are
/// chunk borders if possible, so that few chunks are decoded twice. Empty if the variable has no elements.
pub fn slabs(
    shape: &[u64],
    chunk: &[u64],
    element_size: usize,
    budget: u64,
) -> impl Iterator<Item = Region> + Send + use<> {
    // Cut along the fastest dimension that does not fit whole.
    let mut inner = element_size.max(1) as u64;
    let mut at = shape.len();
    while at > 0 && inner.saturating_mul(shape[at - 1]) <= budget {
        at -= 1;
        inner *= shape[at];
    }
    let cut = at.checked_sub(1);
    let length = cut.map_or(1, |cut| {
        let fits = (budget / inner.max(1)).clamp(1, shape[cut].max(1));
        match chunk.get(cut) {
            Some(chunk) if *chunk > 0 && fits >= *chunk => fits - fits % chunk,
            _ => fits,
        }
    });
    let mut count = shape.to_vec();
    count[..cut.unwrap_or(0)].fill(1);
    Slabs {
        shape: shape.to_vec(),
        cut,
        length,
        next: (!shape.contains(&0)).then(|| vec![0; shape.len()]),
        count,
    }
}

/// Makes one region at a time: a file can claim any shape, so a list might not fit into memory.
struct Slabs {
    shape: Vec<u64>,
    /// The dimension that is cut, if any.
    cut: Option<usize>,
    length: u64,
    count: Vec<u64>,
    /// Start of the next region.
    next: Option<Vec<u64>>,
}

impl Iterator for Slabs {
    type Item = Region;

    fn next(&mut self) -> Option<Region> {
        let start = self.next.take()?;
        let mut count = self.count.clone();
        if let Some(cut) = self.cut {
            count[cut] = self.length.min(self.shape[cut] - start[cut]);
            let mut after = start.clone();
            after[cut] += count[cut];
            let mut carry = cut;
            while after[carry] == self.shape[carry] && carry > 0 {
                after[carry] = 0;
                carry -= 1;
                after[carry] += 1;
            }
            self.next = (after[carry] < self.shape[carry]).then_some(after);
        }
        Some(Region { start, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuts(shape: &[u64], chunk: &[u64], budget: u64) -> Vec<(Vec<u64>, Vec<u64>)> {
        slabs(shape, chunk, 1, budget)
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

    #[test]
    fn any_shape_can_be_begun() {
        let first = slabs(&[u64::MAX, u64::MAX], &[], 8, 1 << 20).nth(3).unwrap();
        assert_eq!((first.start, first.count), (vec![0, 3 << 17], vec![1, 1 << 17]));
    }
}
