//! The elements of a variable that a text gives, when lists along unlimited dimensions have different lengths.
//!
//! ```text
//! v(d, u) = {1, 2, 3}, {4}, {5}, {6, 7} ;        rows 0 to 0: 3 elements, rows 1 to 2: 1 element, row 3: 2 elements
//! ```
//!
//! One long list among many short ones makes a variable much larger than its text. Only chunks that hold given elements
//! are written.

use crate::chunk::Region;

/// Maximum number of boxes. Beyond it, each two neighbours are merged into one box that contains both.
const MOST: usize = 1 << 14;

/// The given elements, as boxes. A box is a range of items in each level but the last, and the number of elements that
/// each item has in the last level.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// For each box: the first item and the end of the range for each outer level, then the number of elements.
    boxes: Vec<u64>,
    /// Number of levels, without the last.
    outer: usize,
}

impl Given {
    /// No elements yet, for a variable with this many levels.
    pub fn new(levels: usize) -> Self {
        Self {
            boxes: Vec::new(),
            outer: levels.saturating_sub(1),
        }
    }

    fn width(&self) -> usize {
        2 * self.outer + 1
    }

    /// Adds a list of `count` elements at `items` of the outer levels. Lists must be added in the order of the text.
    pub fn add(&mut self, items: &[u64], count: u64) {
        debug_assert_eq!(items.len(), self.outer);
        if count == 0 {
            return;
        }
        let width = self.width();
        if let Some(last) = self
            .boxes
            .len()
            .checked_sub(width)
            .map(|at| &mut self.boxes[at..])
            && last[width - 1] == count
            && let Some((item, before)) = items.split_last()
            && last[width - 2] == *item
            && before
                .iter()
                .zip(last.chunks_exact(2))
                .all(|(n, range)| range == [*n, *n + 1])
        {
            last[width - 2] += 1;
            return;
        }
        self.boxes.extend(items.iter().flat_map(|n| [*n, *n + 1]));
        self.boxes.push(count);
        if self.boxes.len() > MOST * width {
            self.coarsen();
        }
    }

    /// Merges each two neighbouring boxes.
    fn coarsen(&mut self) {
        let width = self.width();
        let mut boxes = Vec::with_capacity(self.boxes.len());
        for two in self.boxes.chunks(2 * width) {
            let (a, b) = two.split_at(width);
            let b = if b.is_empty() { a } else { b };
            for (n, (a, b)) in a.iter().zip(b).enumerate() {
                let first = n % 2 == 0 && n + 1 < width;
                boxes.push(if first { *a.min(b) } else { *a.max(b) });
            }
        }
        self.boxes = boxes;
    }

    /// Regions of a variable of this extent that together contain all given elements; they may overlap. `levels` has
    /// the first dimension of each level.
    pub fn regions(&self, extent: &[u64], levels: &[usize]) -> Vec<Region> {
        let mut regions = Vec::new();
        for of_box in self.boxes.chunks_exact(self.width()) {
            let mut parts = vec![Region::default()];
            for (level, start) in levels.iter().enumerate() {
                let end = levels.get(level + 1).copied().unwrap_or(extent.len());
                let (first, behind) = match of_box[2 * level..] {
                    [first, behind, _, ..] => (first, behind),
                    [count, ..] => (0, count),
                    [] => (0, 0),
                };
                let along = Region::range(&extent[*start..end], first, behind.saturating_sub(first));
                parts = parts
                    .iter()
                    .flat_map(|part| along.iter().map(|along| part.times(along)))
                    .collect();
            }
            regions.append(&mut parts);
        }
        regions
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::ChunkGrid;
    use proptest::prelude::*;

    /// The elements that are in any of the regions.
    fn elements(regions: &[Region], extent: &[u64]) -> Vec<u64> {
        let grid = ChunkGrid::new(extent, &vec![1; extent.len()]).unwrap();
        let mut elements: Vec<u64> = regions.iter().flat_map(|part| grid.chunks_in(part)).collect();
        elements.sort_unstable();
        elements.dedup();
        elements
    }

    #[test]
    fn rows_of_one_length_are_one_box() {
        let mut given = Given::new(2);
        for (row, count) in [3, 1, 1, 0, 1, 2].into_iter().enumerate() {
            given.add(&[row as u64], count);
        }
        assert_eq!(given.boxes, [0, 1, 3, 1, 3, 1, 4, 5, 1, 5, 6, 2]);
        assert_eq!(
            elements(&given.regions(&[6, 3], &[0, 1]), &[6, 3]),
            [0, 1, 2, 3, 6, 12, 15, 16]
        );
    }

    #[test]
    fn many_boxes_become_fewer_that_hold_the_same() {
        let mut given = Given::new(2);
        for row in 0..3 * MOST as u64 {
            given.add(&[row], 1 + row % 2);
        }
        assert!(given.boxes.len() <= 3 * MOST);
        let regions = given.regions(&[3 * MOST as u64, 2], &[0, 1]);
        let rows: u64 = regions.iter().map(|region| region.count[0]).sum();
        assert_eq!(rows, 3 * MOST as u64);
        assert!(
            regions
                .iter()
                .all(|region| region.count[1]
                    == 1 + u64::from(region.count[0] > 1 || region.start[0] % 2 == 1))
        );
    }

    proptest! {
        #[test]
        fn all_that_is_given_is_in_the_regions(
            outer in 1u64..4,
            middle in proptest::collection::vec(proptest::collection::vec(0u64..7, 0..5), 1..5),
            coarse in 0u8..3,
        ) {
            // v(d, e, u, w): d and e are one level, then two unlimited ones.
            let extent = [middle.len() as u64, outer, 5, 7];
            let mut given = Given::new(3);
            let mut expected = Vec::new();
            for (item, lists) in middle.iter().enumerate() {
                for (n, count) in lists.iter().enumerate() {
                    given.add(&[item as u64, n as u64], *count);
                    let list = (item * 5 + n) as u64;
                    expected.extend((0..*count).map(|element| list * 7 + element));
                }
            }
            for _ in 0..coarse {
                given.coarsen();
            }
            let found = elements(&given.regions(&extent, &[0, 2, 3]), &extent);
            if coarse == 0 {
                prop_assert_eq!(found, expected);
            } else {
                prop_assert!(expected.iter().all(|element| found.contains(element)));
            }
        }
    }
}
