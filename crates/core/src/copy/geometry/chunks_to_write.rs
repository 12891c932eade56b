//! The chunks of a variable that are written, as places in the order of writing.

use std::ops::Range;

use super::order::BlockOrder;
use crate::chunk::{ChunkGrid, Region};

/// The chunks of a grid that are written, as places in the order of writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Places {
    /// All places in this range.
    Range(Range<u64>),
    /// These places, ascending.
    List(Vec<u64>),
}

impl Places {
    /// The first `n` places.
    pub fn first(n: u64) -> Self {
        Self::Range(0..n)
    }

    /// Number of chunks that are written.
    pub fn len(&self) -> u64 {
        match self {
            Self::Range(range) => range.end - range.start,
            Self::List(places) => places.len() as u64,
        }
    }

    /// Place of the `n`th written chunk.
    pub fn place(&self, n: u64) -> Option<u64> {
        match self {
            Self::Range(range) => range.start.checked_add(n).filter(|place| *place < range.end),
            Self::List(places) => places.get(usize::try_from(n).ok()?).copied(),
        }
    }

    /// Number of written chunks before `place`.
    pub fn before(&self, place: u64) -> u64 {
        match self {
            Self::Range(range) => place.clamp(range.start, range.end) - range.start,
            Self::List(places) => places.partition_point(|p| *p < place) as u64,
        }
    }

    /// The written chunks number `part.start` to `part.end` (exclusive).
    pub fn part(&self, part: Range<u64>) -> Self {
        match self {
            Self::Range(range) => {
                let at = |n: u64| range.start.saturating_add(n).min(range.end);
                Self::Range(at(part.start)..at(part.end))
            }
            Self::List(places) => {
                let at = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).min(places.len());
                let (first, end) = (at(part.start), at(part.end));
                Self::List(places.get(first..end).unwrap_or_default().to_vec())
            }
        }
    }
}

/// The places of all chunks that hold an element of these regions, which may overlap.
pub(super) fn places_of(
    regions: impl IntoIterator<Item = Region>,
    grid: &ChunkGrid,
    order: &BlockOrder,
) -> Vec<u64> {
    let mut places = Vec::new();
    let mut distinct = 0;
    for region in regions {
        for index in grid.chunks_in(&region) {
            places.push(order.place(&grid.coordinates(index)));
        }
        // Neighbouring regions meet the same chunks. Removing duplicates keeps the list near its final
        // length.
        if places.len() > 2 * distinct + 4096 {
            places.sort_unstable();
            places.dedup();
            distinct = places.len();
        }
    }
    places.sort_unstable();
    places.dedup();
    places.shrink_to_fit();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_from_what_is_written() {
        let some = Places::List(vec![3, 7, 8]);
        assert_eq!((some.place(1), some.place(3)), (Some(7), None));
        assert_eq!((some.before(7), some.before(9)), (1, 3));
        assert_eq!(Places::first(4).before(9), 4);
    }

    #[test]
    fn a_part_holds_its_own_places_only() {
        let all = Places::Range(10..20);
        let part = all.part(3..5);
        assert_eq!((part.len(), part.place(0), part.place(2)), (2, Some(13), None));
        assert_eq!((part.before(0), part.before(14), part.before(99)), (0, 1, 2));
        let some = Places::List(vec![3, 7, 8]).part(1..9);
        assert_eq!(some, Places::List(vec![7, 8]));
        assert_eq!(all.part(30..40).len(), 0);
    }
}
