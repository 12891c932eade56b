//! The parts of a variable that were ever written.

use std::iter::Chain;
use std::ops::Range;
use std::vec::IntoIter;

use super::Region;
use crate::chunk::ChunkGrid;
use crate::store::Object;

/// The parts of a variable that were ever written. The rest reads as the fill value of its layout, or as
/// zeros if it has none.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Written {
    /// Everything within the extent.
    All,
    /// Nothing.
    Nothing,
    /// The chunks with these numbers, ascending, all within the grid of chunks over the extent.
    Chunks(Vec<u64>),
    /// These regions of a contiguous variable. They may overlap.
    Regions(Vec<Region>),
}

impl Written {
    /// The value for a chunked variable with these stored chunks, ascending.
    pub fn of_chunks(mut stored: Vec<u64>, grid: &ChunkGrid) -> Self {
        // An index may still name chunks past the extent.
        stored.truncate(stored.partition_point(|chunk| *chunk < grid.len()));
        match stored.len() as u64 {
            0 => Self::Nothing,
            all if all == grid.len() => Self::All,
            _ => Self::Chunks(stored),
        }
    }

    /// Numbers of the written chunks of a chunked variable.
    pub fn chunks(self, grid: &ChunkGrid) -> WrittenChunks {
        match self {
            Self::Chunks(stored) => WrittenChunks::Listed(stored),
            Self::Nothing => WrittenChunks::Listed(Vec::new()),
            Self::All | Self::Regions(_) => WrittenChunks::All(grid.len()),
        }
    }
}

/// Numbers of the written chunks of a variable, ascending. A header alone can claim that there are very many, so no memory
/// is taken for each where all were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WrittenChunks {
    /// All chunks of a grid of this many.
    All(u64),
    /// These, ascending.
    Listed(Vec<u64>),
}

impl WrittenChunks {
    /// How many there are.
    pub fn len(&self) -> u64 {
        match self {
            Self::All(count) => *count,
            Self::Listed(chunks) => chunks.len() as u64,
        }
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Those in a range.
    pub fn within(&self, range: Range<u64>) -> impl Iterator<Item = u64> + '_ {
        let (all, listed) = match self {
            Self::All(count) => (range.start..range.end.min(*count), &[][..]),
            Self::Listed(chunks) => {
                let place = |bound: u64| chunks.partition_point(|chunk| *chunk < bound);
                let from = place(range.start);
                (0..0, &chunks[from..place(range.end).max(from)])
            }
        };
        all.chain(listed.iter().copied())
    }

    /// The first one that is not below `chunk`.
    pub fn next_from(&self, chunk: u64) -> Option<u64> {
        self.within(chunk..u64::MAX).next()
    }
}

impl IntoIterator for WrittenChunks {
    type Item = u64;
    type IntoIter = Chain<Range<u64>, IntoIter<u64>>;

    fn into_iter(self) -> Self::IntoIter {
        let (all, listed) = match self {
            Self::All(count) => (0..count, Vec::new()),
            Self::Listed(chunks) => (0..0, chunks),
        };
        all.chain(listed)
    }
}

/// Smallest variable, in bytes, whose holes are looked for.
const LEAST: u64 = 1 << 20;

/// Most pieces between holes. With more, the whole variable counts as written.
const MOST_PIECES: usize = 4096;

/// The written parts of a contiguous variable whose unwritten parts read as zeros. The range `bytes` of an
/// object, which may be a sparse file, holds its elements of `size` bytes in C order. If the object cannot
/// report holes, everything counts as written.
pub(crate) fn between_holes(object: &dyn Object, bytes: Range<u64>, size: usize, extent: &[u64]) -> Written {
    let length = bytes.end.saturating_sub(bytes.start);
    let size = size.max(1) as u64;
    if length < LEAST {
        return Written::All;
    }
    let mut regions = Vec::new();
    let mut at = bytes.start;
    for _ in 0..MOST_PIECES {
        let Ok(data) = object.next_data(at) else {
            return Written::All;
        };
        if data >= bytes.end {
            return match regions.is_empty() {
                true => Written::Nothing,
                false => Written::Regions(regions),
            };
        }
        let Ok(hole) = object.next_hole(data) else {
            return Written::All;
        };
        if data <= bytes.start && hole >= bytes.end {
            return Written::All;
        }
        let first = (data.max(bytes.start) - bytes.start) / size;
        let end = (hole.min(bytes.end) - bytes.start).div_ceil(size);
        regions.extend(Region::range(extent, first, end - first));
        if hole <= data {
            return Written::All;
        }
        at = hole;
        if at >= bytes.end {
            return Written::Regions(regions);
        }
    }
    Written::All
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    /// An object of which these ranges are data.
    struct Sparse(Vec<Range<u64>>);

    impl Object for Sparse {
        fn size(&self) -> io::Result<Option<u64>> {
            Ok(None)
        }
        fn read_exact_at(&self, _: u64, _: &mut [u8]) -> io::Result<()> {
            Err(io::ErrorKind::Unsupported.into())
        }
        fn next_data(&self, offset: u64) -> io::Result<u64> {
            let next = self.0.iter().find(|data| data.end > offset);
            Ok(next.map_or(u64::MAX, |data| data.start.max(offset)))
        }
        fn next_hole(&self, offset: u64) -> io::Result<u64> {
            Ok(self
                .0
                .iter()
                .find(|data| data.contains(&offset))
                .map_or(offset, |d| d.end))
        }
    }

    #[test]
    #[allow(clippy::single_range_in_vec_init)]
    fn holes_are_left_out() {
        let mib = 1u64 << 20;
        let of = |data: Vec<Range<u64>>, bytes| between_holes(&Sparse(data), bytes, 4, &[mib]);
        let whole = 0..4 * mib;
        assert_eq!(of(vec![0..5 * mib], whole.clone()), Written::All);
        assert_eq!(of(vec![], whole.clone()), Written::Nothing);
        assert_eq!(of(vec![5 * mib..6 * mib], whole.clone()), Written::Nothing);
        let region = |start, count| Region {
            start: vec![start],
            count: vec![count],
        };
        assert_eq!(
            of(vec![10..13, 2 * mib..9 * mib], whole),
            Written::Regions(vec![region(2, 2), region(mib / 2, mib / 2)])
        );
        // The variable starts inside the object.
        assert_eq!(
            of(vec![0..mib], mib / 2..4 * mib + mib / 2),
            Written::Regions(vec![region(0, mib / 8)])
        );
        let many = (0..5000).map(|n| n * 100..n * 100 + 4).collect();
        assert_eq!(of(many, 0..4 * mib), Written::All, "too many pieces");
        assert_eq!(of(vec![], 0..100), Written::All, "too small to ask");
    }

    #[test]
    fn chunks_past_the_extent_do_not_count() {
        let grid = ChunkGrid::new(&[10], &[5]).unwrap();
        assert_eq!(Written::of_chunks(vec![0, 1, 7], &grid), Written::All);
        assert_eq!(Written::of_chunks(vec![1, 7], &grid), Written::Chunks(vec![1]));
        assert_eq!(Written::of_chunks(vec![7], &grid), Written::Nothing);
    }

    #[test]
    fn chunks_that_are_all_written_take_no_memory() {
        let grid = ChunkGrid::new(&[u64::MAX], &[1]).unwrap();
        let all = Written::All.chunks(&grid);
        assert_eq!(all.len(), u64::MAX);
        assert_eq!(all.next_from(1 << 60), Some(1 << 60));
        assert!(all.within(5..8).eq(5..8));
        assert!(all.into_iter().take(3).eq(0..3));
        let some = Written::Chunks(vec![2, 3, 7]).chunks(&grid);
        assert_eq!(
            (some.len(), some.next_from(4), some.next_from(8)),
            (3, Some(7), None)
        );
        assert!(some.within(3..7).eq([3]) && some.within(8..u64::MAX).next().is_none());
        assert!(some.into_iter().eq([2, 3, 7]));
        assert!(Written::Nothing.chunks(&grid).is_empty());
    }
}
