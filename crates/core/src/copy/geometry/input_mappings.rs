//! [`InputMappings`]: the input variables of an output variable.

use std::ops::{Deref, Range};

use super::input_mapping::InputMapping;
use crate::chunk::Region;

/// The input variables of an output variable. A join has thousands, which follow each other along one dimension: a search
/// finds those that a region meets.
#[derive(Debug, Default)]
pub struct InputMappings {
    list: Vec<InputMapping>,
    /// The dimensions along which they follow each other without overlap.
    axes: Vec<usize>,
}

/// The end of an input along a dimension.
fn end(input: &InputMapping, axis: usize) -> u64 {
    input.target.start[axis] + input.target.count[axis]
}

impl Deref for InputMappings {
    type Target = [InputMapping];

    fn deref(&self) -> &[InputMapping] {
        &self.list
    }
}

impl InputMappings {
    /// Adds an input behind the others.
    pub fn push(&mut self, input: InputMapping) {
        match self.list.last() {
            None => self.axes = (0..input.target.rank()).collect(),
            Some(before) => self
                .axes
                .retain(|axis| end(before, *axis) <= input.target.start[*axis]),
        }
        self.list.push(input);
    }

    /// Makes room for `count` further inputs, and no more.
    pub fn reserve_exact(&mut self, count: usize) {
        self.list.reserve_exact(count);
    }

    /// The positions of inputs that may fill elements of a region of the output.
    pub fn near(&self, region: &Region) -> Range<usize> {
        match self.axes.first() {
            None => 0..self.list.len(),
            Some(&axis) => {
                let (start, stop) = (region.start[axis], region.start[axis] + region.count[axis]);
                let from = self.list.partition_point(|input| end(input, axis) <= start);
                let to = self.list.partition_point(|input| input.target.start[axis] < stop);
                from..to.max(from)
            }
        }
    }

    /// The regions of the output that stored pieces of the inputs fill.
    pub fn stored_regions(&self) -> impl Iterator<Item = Region> + '_ {
        self.list.iter().flat_map(Self::stored_regions_of)
    }

    /// The regions of the output that stored pieces of an input fill.
    pub fn stored_regions_of(input: &InputMapping) -> Box<dyn Iterator<Item = Region> + '_> {
        match &input.grid {
            Some(grid) if input.stored.is_some() => Box::new(
                input
                    .chunks()
                    .filter_map(|chunk| input.output(&grid.region(chunk))),
            ),
            _ => Box::new(std::iter::once(input.target.clone())),
        }
    }

    /// True if two inputs fill the same elements of the output.
    pub fn overlap(&self) -> bool {
        let meets = |(n, a): (usize, &InputMapping)| {
            let later = &self.list[n + 1..];
            later.iter().any(|b| a.target.intersect(&b.target).is_some())
        };
        self.axes.is_empty() && self.list.iter().enumerate().any(meets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Selection;
    use crate::model::{Encoding, VarId, VariableLayout};

    /// Inputs of these rows: the first of each, and the count.
    fn of_rows(rows: &[(u64, u64)]) -> InputMappings {
        let mut inputs = InputMappings::default();
        for (n, (at, count)) in rows.iter().enumerate() {
            let from = VariableLayout::contiguous(vec![*count, 3], 4, Encoding::Numbers { unit: 4 });
            let selection = Selection::new(vec![0, 0], vec![1, 1], vec![*count, 3], vec![*at, 0]).unwrap();
            inputs.push(InputMapping::new(VarId(n), Some(selection), &from, &[100, 3]).unwrap());
        }
        inputs
    }

    fn rows(start: u64, count: u64) -> Region {
        Region {
            start: vec![start, 0],
            count: vec![count, 3],
        }
    }

    #[test]
    fn inputs_that_follow_each_other_are_searched() {
        let inputs = of_rows(&[(0, 5), (5, 5), (12, 1), (20, 80)]);
        assert_eq!(inputs.near(&rows(0, 1)), 0..1);
        assert_eq!(inputs.near(&rows(4, 2)), 0..2);
        assert_eq!(inputs.near(&rows(10, 2)), 2..2);
        assert_eq!(inputs.near(&rows(10, 11)), 2..4);
        assert!(!inputs.overlap());
    }

    #[test]
    fn other_inputs_are_all_near() {
        let inputs = of_rows(&[(10, 5), (0, 5), (12, 9)]);
        assert_eq!(inputs.near(&rows(0, 1)), 0..3);
        assert!(inputs.overlap());
        assert!(!of_rows(&[(10, 5), (0, 5)]).overlap());
    }
}
