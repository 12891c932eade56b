//! Strided selections: which elements of one array become which elements of another.

use std::ops::Range;

use super::{Region, element_count};
use crate::error::{Error, Result};

/// Every `stride`th element of an array, placed as a box in another array.
///
/// ```text
/// input   . . a . . b . . c .      start 2, stride 3, count 3
/// output  . . . . a b c .          at 4
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Selection {
    start: Vec<u64>,
    stride: Vec<u64>,
    count: Vec<u64>,
    at: Vec<u64>,
}

impl Selection {
    /// Selects `count` elements in each dimension of the input, starting at `start`, every `stride`th. They
    /// fill the box of the output that starts at `at`.
    ///
    /// # Errors
    /// If the ranks differ, a stride is 0, or an index overflows.
    pub fn new(start: Vec<u64>, stride: Vec<u64>, count: Vec<u64>, at: Vec<u64>) -> Result<Self> {
        let rank = start.len();
        let sane = [stride.len(), count.len(), at.len()] == [rank; 3]
            && !stride.contains(&0)
            && element_count(&count).is_some()
            && (0..rank).all(|d| {
                let steps = count[d].saturating_sub(1).checked_mul(stride[d]);
                steps
                    .and_then(|n| n.checked_add(start[d])?.checked_add(1))
                    .is_some()
                    && at[d].checked_add(count[d]).is_some()
            });
        if !sane {
            return Err(Error::Usage(format!(
                "a selection of {count:?} elements from {start:?} in steps of {stride:?} at {at:?}"
            )));
        }
        Ok(Self {
            start,
            stride,
            count,
            at,
        })
    }

    /// The part of the selection whose elements have an index within `range` along `axis`. Its input is another array, in which
    /// the first element of `range` has the index `from`. `None` if nothing is left.
    ///
    /// # Errors
    /// An index that overflows.
    pub fn within(&self, axis: usize, range: Range<u64>, from: u64) -> Result<Option<Self>> {
        let (start, stride) = (self.start[axis], self.stride[axis]);
        let before = range.start.saturating_sub(start).div_ceil(stride);
        let end = range
            .end
            .saturating_sub(start)
            .div_ceil(stride)
            .min(self.count[axis]);
        if before >= end {
            return Ok(None);
        }
        let mut within = self.clone();
        within.start[axis] = start + before * stride - range.start + from;
        within.count[axis] = end - before;
        within.at[axis] = self.at[axis] + before;
        Self::new(within.start, within.stride, within.count, within.at).map(Some)
    }

    /// Selects all elements of an array of this shape, each at its own place.
    pub fn whole(shape: &[u64]) -> Self {
        Self {
            start: vec![0; shape.len()],
            stride: vec![1; shape.len()],
            count: shape.to_vec(),
            at: vec![0; shape.len()],
        }
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.start.len()
    }

    /// Distance, in elements of the input, from one selected element to the next in each dimension.
    pub fn stride(&self) -> &[u64] {
        &self.stride
    }

    /// True if the selected elements are neighbours in the input (every stride is 1).
    pub fn is_dense(&self) -> bool {
        self.stride.iter().all(|s| *s == 1)
    }

    /// The box of the output that the selection fills.
    pub fn target(&self) -> Region {
        Region {
            start: self.at.clone(),
            count: self.count.clone(),
        }
    }

    /// The smallest box of the input that holds all selected elements; empty if none is selected.
    pub fn bounds(&self) -> Region {
        self.input(&self.target()).unwrap_or_else(|| Region {
            start: self.start.clone(),
            count: vec![0; self.rank()],
        })
    }

    /// The smallest box of the input that holds the elements for the region `output`; `None` if the selection
    /// fills no part of that region.
    pub fn input(&self, output: &Region) -> Option<Region> {
        let met = output.intersect(&self.target())?;
        let mut start = Vec::with_capacity(self.rank());
        let mut count = Vec::with_capacity(self.rank());
        for d in 0..self.rank() {
            start.push(self.start[d] + (met.start[d] - self.at[d]) * self.stride[d]);
            count.push((met.count[d] - 1) * self.stride[d] + 1);
        }
        Some(Region { start, count })
    }

    /// The box of the output that the selected elements within `input` fill; `None` if none is selected
    /// there.
    pub fn output(&self, input: &Region) -> Option<Region> {
        let mut start = Vec::with_capacity(self.rank());
        let mut count = Vec::with_capacity(self.rank());
        for d in 0..self.rank() {
            let end = input.start[d].saturating_add(input.count[d]);
            let stride = self.stride[d];
            let first = input.start[d].saturating_sub(self.start[d]).div_ceil(stride);
            let behind = end
                .saturating_sub(self.start[d])
                .div_ceil(stride)
                .min(self.count[d]);
            if behind <= first {
                return None;
            }
            start.push(self.at[d] + first);
            count.push(behind - first);
        }
        Some(Region { start, count })
    }

    /// Index in the input of the element that goes to `output`, an index within [`Selection::target`].
    pub fn index(&self, output: &[u64]) -> Vec<u64> {
        (0..self.rank())
            .map(|d| self.start[d] + (output[d] - self.at[d]) * self.stride[d])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::ChunkGrid;
    use proptest::prelude::*;

    #[test]
    fn nonsense_is_refused() {
        let of = |start, stride, count, at| Selection::new(vec![start], vec![stride], vec![count], vec![at]);
        assert!(of(0, 0, 1, 0).is_err());
        assert!(of(1, u64::MAX, 3, 0).is_err());
        assert!(of(0, 1, 2, u64::MAX).is_err());
        assert!(Selection::new(vec![0], vec![1], vec![1], vec![]).is_err());
        assert!(of(5, 9, 0, 0).unwrap().bounds().is_empty());
    }

    #[test]
    fn a_part_of_a_selection_counts_from_another_index() {
        // 2, 5, 8, 11 at 1 to 4.
        let all = Selection::new(vec![2], vec![3], vec![4], vec![1]).unwrap();
        let within = |range, from| all.within(0, range, from).unwrap();
        let of = |start, count, at| Selection::new(vec![start], vec![3], vec![count], vec![at]).ok();
        assert_eq!(within(0..100, 0), Some(all.clone()));
        assert_eq!(within(4..9, 0), of(1, 2, 2));
        assert_eq!(within(5..6, 10), of(10, 1, 2));
        assert_eq!(within(6..8, 0), None);
        assert_eq!(within(12..20, 0), None);
        assert_eq!(within(0..2, 0), None);
    }

    proptest! {
        #[test]
        fn both_directions_agree(
            dims in proptest::collection::vec((0u64..5, 1u64..4, 0u64..5, 0u64..5, 0u64..12, 0u64..8), 1..3),
        ) {
            let pick = |f: fn(&(u64, u64, u64, u64, u64, u64)) -> u64| dims.iter().map(f).collect::<Vec<_>>();
            let selection = Selection::new(pick(|d| d.0), pick(|d| d.1), pick(|d| d.2), pick(|d| d.3)).unwrap();
            let piece = Region { start: pick(|d| d.4), count: pick(|d| d.5) };
            // Every pair of elements, one by one.
            let all = ChunkGrid::new(&vec![20; dims.len()], &vec![1; dims.len()]).unwrap();
            let mut into = Vec::new();
            let mut from = Vec::new();
            for n in 0..all.len() {
                let at = all.coordinates(n);
                let inside = |r: &Region, at: &[u64]| (0..at.len()).all(|d| at[d] >= r.start[d] && at[d] < r.start[d] + r.count[d]);
                if inside(&selection.target(), &at) {
                    let input = selection.index(&at);
                    if inside(&piece, &input) {
                        into.push(at.clone());
                    }
                    if inside(&piece, &at) {
                        from.push(input);
                    }
                }
            }
            let hull = |points: &[Vec<u64>]| (!points.is_empty()).then(|| {
                let low: Vec<u64> = (0..dims.len()).map(|d| points.iter().map(|p| p[d]).min().unwrap()).collect();
                let count = (0..dims.len()).map(|d| points.iter().map(|p| p[d]).max().unwrap() - low[d] + 1).collect();
                Region { start: low, count }
            });
            let output = selection.output(&piece);
            prop_assert_eq!(&output, &hull(&into));
            prop_assert_eq!(output.and_then(|r| r.element_count()).unwrap_or(0), into.len() as u64);
            prop_assert_eq!(selection.input(&piece), hull(&from));
        }
    }
}
