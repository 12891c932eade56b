//! Hyper-rectangles of elements.

use super::element_count;

/// A hyper-rectangle of elements: its start and its length in each dimension. A scalar's region has no
/// dimensions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Region {
    /// Index of the first element, slowest dimension first.
    pub start: Vec<u64>,
    /// Length in each dimension.
    pub count: Vec<u64>,
}

impl Region {
    /// A region of these starts and counts, which have the same length.
    pub fn new(start: &[u64], count: &[u64]) -> Self {
        debug_assert_eq!(start.len(), count.len());
        Self {
            start: start.to_vec(),
            count: count.to_vec(),
        }
    }

    /// The region of all elements of an array of this shape.
    pub fn whole(shape: &[u64]) -> Self {
        Self {
            start: vec![0; shape.len()],
            count: shape.to_vec(),
        }
    }

    /// Cuts a range of elements in C order into regions: `count` elements of an array of shape `shape`,
    /// starting with element number `first`. The regions are disjoint, in C order, and at most two for each
    /// dimension. A range that reaches past the end stops there. Returns the whole array if it has no
    /// elements or too many to count.
    pub fn range(shape: &[u64], first: u64, count: u64) -> Vec<Self> {
        let end = first.saturating_add(count);
        let Some(all) = element_count(shape).filter(|all| *all > 0 && (first, *all) != (0, end.min(*all)))
        else {
            return vec![Self::whole(shape)];
        };
        let end = end.min(all);
        // Number of elements that one step along each dimension passes.
        let mut steps = shape.to_vec();
        let mut behind = 1;
        for step in steps.iter_mut().rev() {
            behind *= std::mem::replace(step, behind);
        }
        let mut parts = Vec::new();
        let mut at = first;
        while at < end {
            // The slowest dimension in which a whole step starts at `at` and ends before `end`.
            let whole = |step: &u64| at.is_multiple_of(*step) && end - at >= *step;
            let Some(d) = steps.iter().position(whole) else {
                break;
            };
            let mut part = Self::whole(shape);
            for e in 0..=d {
                part.start[e] = at / steps[e] % shape[e];
                part.count[e] = 1;
            }
            part.count[d] = ((end - at) / steps[d]).min(shape[d] - part.start[d]);
            at += part.count[d] * steps[d];
            parts.push(part);
        }
        parts
    }

    /// The product of two regions: the dimensions of `self`, followed by those of `behind`.
    pub fn times(&self, behind: &Self) -> Self {
        Self {
            start: [self.start.as_slice(), &behind.start].concat(),
            count: [self.count.as_slice(), &behind.count].concat(),
        }
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.start.len()
    }

    /// True if the region holds no element.
    pub fn is_empty(&self) -> bool {
        self.count.contains(&0)
    }

    /// Number of elements; `None` on overflow.
    pub fn element_count(&self) -> Option<u64> {
        element_count(&self.count)
    }

    /// The elements in both regions; `None` if there are none. Both regions have the same rank.
    pub fn intersect(&self, other: &Self) -> Option<Self> {
        debug_assert_eq!(self.rank(), other.rank());
        let mut start = Vec::with_capacity(self.rank());
        let mut count = Vec::with_capacity(self.rank());
        for (((a, n), b), m) in self
            .start
            .iter()
            .zip(&self.count)
            .zip(&other.start)
            .zip(&other.count)
        {
            let first = *a.max(b);
            let end = a.saturating_add(*n).min(b.saturating_add(*m));
            if end <= first {
                return None;
            }
            start.push(first);
            count.push(end - first);
        }
        Some(Self { start, count })
    }

    /// True if the region has the rank of `shape` and every element lies within it.
    pub fn fits(&self, shape: &[u64]) -> bool {
        self.rank() == shape.len()
            && self.count.len() == shape.len()
            && self
                .start
                .iter()
                .zip(&self.count)
                .zip(shape)
                .all(|((s, n), len)| s.checked_add(*n).is_some_and(|end| end <= *len))
    }

    /// True if every element of `other` is in this region too. Both have the same rank.
    pub fn contains(&self, other: &Self) -> bool {
        other.is_empty() || self.intersect(other).as_ref() == Some(other)
    }

    /// The part of the region that lies within `shape`; `None` if there is none.
    pub fn clip(&self, shape: &[u64]) -> Option<Self> {
        self.intersect(&Self::whole(shape))
    }

    /// Number of elements before this box, if `whole` is cut into a grid of boxes that are stored one after
    /// another in C order. `self` is one of these boxes.
    pub fn place_in(&self, whole: &Self) -> u64 {
        let mut behind: u64 = whole.count.iter().product();
        let mut front = 1;
        let mut place = 0;
        for d in 0..self.rank() {
            behind /= whole.count[d].max(1);
            place += front * self.start[d].saturating_sub(whole.start[d]) * behind;
            front *= self.count[d];
        }
        place
    }

    /// The same elements, with indices counted from `origin`, which is at or before the start in every
    /// dimension.
    pub fn relative_to(&self, origin: &[u64]) -> Self {
        Self {
            start: self
                .start
                .iter()
                .zip(origin)
                .map(|(s, o)| s.saturating_sub(*o))
                .collect(),
            count: self.count.clone(),
        }
    }

    /// The parts that lie outside of `hidden`: at most two for each dimension, none of which meet.
    pub fn without(&self, hidden: &Region) -> Vec<Region> {
        let Some(met) = self.intersect(hidden) else {
            return vec![self.clone()];
        };
        let mut rest = self.clone();
        let mut parts = Vec::new();
        for d in 0..self.rank() {
            let (start, end) = (rest.start[d], rest.start[d] + rest.count[d]);
            let (low, high) = (met.start[d], met.start[d] + met.count[d]);
            for (from, to) in [(start, low), (high, end)] {
                if from < to {
                    let mut outside = rest.clone();
                    (outside.start[d], outside.count[d]) = (from, to - from);
                    parts.push(outside);
                }
            }
            (rest.start[d], rest.count[d]) = (low, high - low);
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::ChunkGrid;
    use proptest::prelude::*;

    #[test]
    fn intersection_is_common_to_both() {
        let a = Region::new(&[2, 0], &[5, 4]);
        assert_eq!(
            a.intersect(&Region::new(&[4, 1], &[10, 2])),
            Some(Region::new(&[4, 1], &[3, 2]))
        );
        assert_eq!(a.intersect(&Region::new(&[7, 1], &[1, 1])), None);
        assert_eq!(
            Region::new(&[], &[]).intersect(&Region::new(&[], &[])),
            Some(Region::new(&[], &[]))
        );
    }

    #[test]
    fn fitting_survives_overflow() {
        assert!(!Region::new(&[u64::MAX], &[2]).fits(&[u64::MAX]));
        assert!(Region::new(&[3], &[0]).fits(&[3]));
        assert!(!Region::new(&[3], &[1]).fits(&[3]));
    }

    #[test]
    fn clipping_and_moving() {
        let r = Region::new(&[8, 3], &[8, 3]);
        assert_eq!(r.clip(&[10, 100]), Some(Region::new(&[8, 3], &[2, 3])));
        assert_eq!(r.clip(&[8, 100]), None);
        assert_eq!(r.relative_to(&[8, 1]), Region::new(&[0, 2], &[8, 3]));
    }

    proptest! {
        #[test]
        fn ranges_are_cut_into_boxes(dims in proptest::collection::vec(0u64..5, 0..4), first in 0u64..70, count in 0u64..70) {
            let all = element_count(&dims).unwrap();
            prop_assume!(all > 0);
            let grid = ChunkGrid::new(&dims, &vec![1; dims.len()]).unwrap();
            let parts = Region::range(&dims, first, count);
            prop_assert!(parts.len() <= (2 * dims.len()).max(1));
            let elements: Vec<u64> = parts.iter().flat_map(|part| grid.chunks_in(part)).collect();
            let expected: Vec<u64> = (first.min(all)..(first + count).min(all)).collect();
            prop_assert_eq!(elements, expected);
        }

        #[test]
        fn parts_follow_each_other(dims in proptest::collection::vec((1u64..9, 1u64..5, 0u64..7), 0..4)) {
            // A region that starts anywhere, cut at chunk borders.
            let whole = Region {
                start: dims.iter().map(|d| d.2).collect(),
                count: dims.iter().map(|d| d.0).collect(),
            };
            let extent = vec![16; dims.len()];
            let chunk: Vec<u64> = dims.iter().map(|d| d.1).collect();
            let grid = ChunkGrid::new(&extent, &chunk).unwrap();
            let mut next = 0;
            for index in grid.chunks_in(&whole) {
                let part = grid.region(index).intersect(&whole).unwrap();
                prop_assert_eq!(part.place_in(&whole), next);
                next += part.element_count().unwrap();
            }
            prop_assert_eq!(Some(next), whole.element_count());
        }
    }

    proptest! {
        #[test]
        fn what_is_left_of_a_box(dims in proptest::collection::vec((0u64..5, 1u64..5, 0u64..5, 0u64..5), 0..4)) {
            let region = |f: fn(&(u64, u64, u64, u64)) -> (u64, u64)| Region {
                start: dims.iter().map(|d| f(d).0).collect(),
                count: dims.iter().map(|d| f(d).1).collect(),
            };
            let (part, hidden) = (region(|d| (d.0, d.1)), region(|d| (d.2, d.3)));
            let parts = part.without(&hidden);
            let left: u64 = parts.iter().filter_map(Region::element_count).sum();
            let met = part.intersect(&hidden).and_then(|met| met.element_count()).unwrap_or(0);
            prop_assert_eq!(left + met, part.element_count().unwrap());
            for (n, one) in parts.iter().enumerate() {
                prop_assert!(part.contains(one) && one.intersect(&hidden).is_none());
                prop_assert!(parts[n + 1..].iter().all(|other| one.intersect(other).is_none()));
            }
        }
    }
}
