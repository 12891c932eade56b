//! The chunks of a variable that are written, as positions in the order of writing.

use std::ops::Range;

use super::order::BlockOrder;
use crate::chunk::{ChunkGrid, Region};

/// The chunks of a grid that are written, as positions in the order of writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChunksToWrite {
    /// All positions in this range.
    Range(Range<u64>),
    /// These positions, ascending.
    List(Vec<u64>),
}

impl ChunksToWrite {
    /// The first `n` positions.
    pub fn first(n: u64) -> Self {
        Self::Range(0..n)
    }

    /// These positions, in any order, each once.
    pub fn listed(mut positions: Vec<u64>) -> Self {
        positions.sort_unstable();
        Self::List(positions)
    }

    /// Number of chunks that are written.
    pub fn len(&self) -> u64 {
        match self {
            Self::Range(range) => range.end - range.start,
            Self::List(positions) => positions.len() as u64,
        }
    }

    /// Position of the `n`th written chunk.
    pub fn position(&self, n: u64) -> Option<u64> {
        match self {
            Self::Range(range) => range
                .start
                .checked_add(n)
                .filter(|position| *position < range.end),
            Self::List(positions) => positions.get(usize::try_from(n).ok()?).copied(),
        }
    }

    /// Number of written chunks before `position`.
    pub fn before(&self, position: u64) -> u64 {
        match self {
            Self::Range(range) => position.clamp(range.start, range.end) - range.start,
            Self::List(positions) => positions.partition_point(|p| *p < position) as u64,
        }
    }

    /// The written chunks number `part.start` to `part.end` (exclusive).
    pub fn part(&self, part: Range<u64>) -> Self {
        match self {
            Self::Range(range) => {
                let at = |n: u64| range.start.saturating_add(n).min(range.end);
                Self::Range(at(part.start)..at(part.end))
            }
            Self::List(positions) => {
                let at = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).min(positions.len());
                let (first, end) = (at(part.start), at(part.end));
                Self::List(positions.get(first..end).unwrap_or_default().to_vec())
            }
        }
    }
}

/// The positions of all chunks that hold an element of these regions, which may overlap.
pub fn positions_of(
    regions: impl IntoIterator<Item = Region>,
    grid: &ChunkGrid,
    order: &BlockOrder,
) -> Vec<u64> {
    let mut positions = Vec::new();
    let mut distinct = 0;
    for region in regions {
        for index in grid.chunks_in(&region) {
            positions.push(order.position(&grid.coordinates(index)));
        }
        // Neighbouring regions meet the same chunks. Removing duplicates keeps the list near its final
        // length.
        if positions.len() > 2 * distinct + 4096 {
            positions.sort_unstable();
            positions.dedup();
            distinct = positions.len();
        }
    }
    positions.sort_unstable();
    positions.dedup();
    positions.shrink_to_fit();
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_from_what_is_written() {
        let some = ChunksToWrite::List(vec![3, 7, 8]);
        assert_eq!((some.position(1), some.position(3)), (Some(7), None));
        assert_eq!((some.before(7), some.before(9)), (1, 3));
        assert_eq!(ChunksToWrite::first(4).before(9), 4);
    }

    #[test]
    fn a_part_holds_its_own_places_only() {
        let all = ChunksToWrite::Range(10..20);
        let part = all.part(3..5);
        assert_eq!(
            (part.len(), part.position(0), part.position(2)),
            (2, Some(13), None)
        );
        assert_eq!((part.before(0), part.before(14), part.before(99)), (0, 1, 2));
        let some = ChunksToWrite::List(vec![3, 7, 8]).part(1..9);
        assert_eq!(some, ChunksToWrite::List(vec![7, 8]));
        assert_eq!(all.part(30..40).len(), 0);
    }
}
