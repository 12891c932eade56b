//! Cuts a variable into regions that follow each other in C order, each small enough to hold.

use crate::format::Region;

/// The regions of a variable of `shape`, in C order. Each takes about `budget` bytes at most, and where that is possible its
/// borders are those of chunks, so that few chunks are decoded twice. None where the variable has no elements.
pub fn slabs(
    shape: &[u64],
    chunk: &[u64],
    element_size: usize,
    budget: u64,
) -> impl Iterator<Item = Region> + Send + use<> {
    // The dimension to cut along: the first behind which everything fits.
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

/// One region after another: there may be more than memory holds, as a file can claim any shape.
struct Slabs {
    shape: Vec<u64>,
    /// The dimension that is cut, where one is.
    cut: Option<usize>,
    length: u64,
    count: Vec<u64>,
    /// Where the next one begins.
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
