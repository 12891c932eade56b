//! [`BoxIndex`]: finds the boxes that meet a region among very many.

use crate::chunk::Region;

/// Boxes, sorted along the dimension in which most of them begin elsewhere.
#[derive(Debug)]
pub struct BoxIndex {
    dimension: usize,
    /// Beginning, end and number of each box along the dimension, sorted.
    sorted: Vec<(u64, u64, u32)>,
    /// For each span of `sorted` that a binary search visits, the highest end in it, by the middle of the span.
    highest: Vec<u64>,
}

impl BoxIndex {
    /// An index of these boxes of `rank` dimensions. Empty boxes are left out.
    pub fn new(rank: usize, boxes: &[&Region]) -> Self {
        let distinct = |d: usize| {
            let mut starts: Vec<u64> = boxes.iter().map(|b| b.start[d]).collect();
            starts.sort_unstable();
            starts.dedup();
            starts.len()
        };
        let dimension = (0..rank).rev().max_by_key(|d| distinct(*d)).unwrap_or(0);
        let along = |(n, b): (usize, &&Region)| {
            let (start, count) = match rank {
                0 => (0, 1),
                _ => (b.start[dimension], b.count[dimension]),
            };
            (!b.is_empty()).then(|| (start, start.saturating_add(count), n as u32))
        };
        let mut sorted: Vec<_> = boxes.iter().enumerate().filter_map(along).collect();
        sorted.sort_unstable();
        let mut highest = vec![0; sorted.len()];
        fill(&sorted, &mut highest);
        Self {
            dimension,
            sorted,
            highest,
        }
    }

    /// Numbers of the boxes that meet `region` in the index's dimension, ascending.
    pub fn meeting(&self, region: &Region) -> Vec<u32> {
        let (low, high) = match region.rank() {
            0 => (0, 1),
            _ => {
                let low = region.start[self.dimension];
                (low, low.saturating_add(region.count[self.dimension]))
            }
        };
        let mut found = Vec::new();
        search(&self.sorted, &self.highest, low, high, &mut found);
        found.sort_unstable();
        found
    }
}

/// Fills in the highest end of each span, and returns that of all.
fn fill(sorted: &[(u64, u64, u32)], highest: &mut [u64]) -> u64 {
    let middle = sorted.len() / 2;
    let Some(own) = sorted.get(middle) else { return 0 };
    let left = fill(&sorted[..middle], &mut highest[..middle]);
    let right = fill(&sorted[middle + 1..], &mut highest[middle + 1..]);
    highest[middle] = own.1.max(left).max(right);
    highest[middle]
}

fn search(sorted: &[(u64, u64, u32)], highest: &[u64], low: u64, high: u64, found: &mut Vec<u32>) {
    let middle = sorted.len() / 2;
    let Some((start, end, number)) = sorted.get(middle) else {
        return;
    };
    if highest[middle] <= low {
        return;
    }
    search(&sorted[..middle], &highest[..middle], low, high, found);
    if *start < high {
        if *end > low {
            found.push(*number);
        }
        search(&sorted[middle + 1..], &highest[middle + 1..], low, high, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn scalars_meet() {
        let scalar = Region::whole(&[]);
        assert_eq!(BoxIndex::new(0, &[&scalar, &scalar]).meeting(&scalar), [0, 1]);
    }

    proptest! {
        #[test]
        fn all_that_meet_are_found(
            boxes in proptest::collection::vec((0u64..20, 0u64..9, 0u64..3, 0u64..3), 0..40),
            low in 0u64..25,
            count in 1u64..6,
        ) {
            let regions: Vec<Region> = boxes
                .iter()
                .map(|b| Region { start: vec![b.2, b.0], count: vec![b.3, b.1] })
                .collect();
            let asked = Region { start: vec![0, low], count: vec![9, count] };
            let found = BoxIndex::new(2, &regions.iter().collect::<Vec<_>>()).meeting(&asked);
            prop_assert!(found.is_sorted());
            for (n, region) in regions.iter().enumerate() {
                if region.intersect(&asked).is_some() {
                    prop_assert!(found.contains(&(n as u32)), "{n}");
                }
            }
        }
    }
}
