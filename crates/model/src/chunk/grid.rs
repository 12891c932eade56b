//! The grid of chunks that covers an extent.

use super::{MAX_RANK, Region};
use crate::error::{Error, Result};

/// Equal chunks that cover an extent, starting at the origin. The last chunk in a dimension may reach past
/// the extent. Chunks are numbered from 0 in C order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkGrid {
    extent: Vec<u64>,
    chunk: Vec<u64>,
    counts: Vec<u64>,
    len: u64,
}

impl ChunkGrid {
    /// The grid of chunks of shape `chunk` over `extent`.
    ///
    /// # Errors
    /// If the ranks differ or exceed [`MAX_RANK`], a chunk length is 0, or the number of chunks overflows.
    pub fn new(extent: &[u64], chunk: &[u64]) -> Result<Self> {
        if extent.len() != chunk.len() || extent.len() > MAX_RANK {
            return Err(Error::Damaged(format!(
                "chunks of {} dimensions in a variable of {}",
                chunk.len(),
                extent.len()
            )));
        }
        let mut counts = Vec::with_capacity(extent.len());
        for (length, size) in extent.iter().zip(chunk) {
            match (length, size) {
                (0, _) => counts.push(0),
                (_, 0) => return Err(Error::Damaged("a chunk of length 0".into())),
                _ => counts.push(length.div_ceil(*size)),
            }
        }
        let len = super::element_count(&counts)
            .ok_or_else(|| Error::Damaged("more chunks than can be counted".into()))?;
        Ok(Self {
            extent: extent.to_vec(),
            chunk: chunk.to_vec(),
            counts,
            len,
        })
    }

    /// Lengths of the covered array.
    pub fn extent(&self) -> &[u64] {
        &self.extent
    }

    /// Shape of every chunk, in elements.
    pub fn chunk(&self) -> &[u64] {
        &self.chunk
    }

    /// Number of chunks in each dimension.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Number of chunks.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// True if there are no chunks, because the extent has no element.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Coordinates of chunk `index` in the grid, in chunks.
    pub fn coordinates(&self, index: u64) -> Vec<u64> {
        let mut at = vec![0; self.counts.len()];
        let mut rest = index;
        for (c, n) in at.iter_mut().zip(&self.counts).rev() {
            *c = rest % (*n).max(1);
            rest /= (*n).max(1);
        }
        at
    }

    /// Number of the chunk at `coordinates`, which lie within [`ChunkGrid::counts`].
    pub fn index(&self, coordinates: &[u64]) -> u64 {
        coordinates
            .iter()
            .zip(&self.counts)
            .fold(0, |index, (c, n)| index.wrapping_mul(*n).wrapping_add(*c))
    }

    /// Index of the first element of chunk `index`.
    pub fn origin(&self, index: u64) -> Vec<u64> {
        let mut at = self.coordinates(index);
        for (c, size) in at.iter_mut().zip(&self.chunk) {
            *c = c.saturating_mul(*size);
        }
        at
    }

    /// The elements of chunk `index` that lie within the extent.
    pub fn region(&self, index: u64) -> Region {
        let start = self.origin(index);
        let count = start
            .iter()
            .zip(&self.chunk)
            .zip(&self.extent)
            .map(|((s, size), length)| (*size).min(length.saturating_sub(*s)))
            .collect();
        Region { start, count }
    }

    /// True if chunk `index` reaches past the extent.
    pub fn is_edge(&self, index: u64) -> bool {
        let mut rest = index;
        for ((n, size), length) in self.counts.iter().zip(&self.chunk).zip(&self.extent).rev() {
            let n = (*n).max(1);
            if rest % n == n - 1 && length % (*size).max(1) != 0 {
                return true;
            }
            rest /= n;
        }
        false
    }

    /// The chunks that `region` meets, as a box of the grid: its start and lengths are in chunks. The part of
    /// `region` past the extent is ignored. `None` if no chunk is met.
    pub fn span(&self, region: &Region) -> Option<Region> {
        let inside = region.clip(&self.extent)?;
        let mut start = inside.start;
        let mut count = inside.count;
        for ((s, n), size) in start.iter_mut().zip(&mut count).zip(&self.chunk) {
            let first = *s / size;
            let last = (*s + (*n - 1)) / size;
            *s = first;
            *n = last - first + 1;
        }
        Some(Region { start, count })
    }

    /// Numbers of the chunks that `region` meets, ascending.
    pub fn chunks_in(&self, region: &Region) -> ChunksIn<'_> {
        ChunksIn {
            grid: self,
            at: self.span(region).map(|span| (span.start.clone(), span)),
        }
    }

    /// Numbers of the chunks in `span`, a box of the grid in chunks, ascending.
    pub fn chunks_of_span(&self, span: Region) -> ChunksIn<'_> {
        ChunksIn {
            grid: self,
            at: (!span.is_empty()).then(|| (span.start.clone(), span)),
        }
    }
}

/// See [`ChunkGrid::chunks_in`].
#[derive(Debug, Clone)]
pub struct ChunksIn<'a> {
    grid: &'a ChunkGrid,
    /// Coordinates of the next chunk, and the box of chunks to walk.
    at: Option<(Vec<u64>, Region)>,
}

impl Iterator for ChunksIn<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let (at, span) = self.at.as_mut()?;
        let index = self.grid.index(at);
        let mut done = true;
        for ((c, s), n) in at.iter_mut().zip(&span.start).zip(&span.count).rev() {
            *c += 1;
            if *c - *s < *n {
                done = false;
                break;
            }
            *c = *s;
        }
        if done {
            self.at = None;
        }
        Some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_and_coordinates_are_inverse() {
        let grid = ChunkGrid::new(&[5, 7, 1], &[2, 3, 4]).unwrap();
        assert_eq!(grid.counts(), [3, 3, 1]);
        for i in 0..grid.len() {
            assert_eq!(grid.index(&grid.coordinates(i)), i);
        }
        assert_eq!(
            grid.region(8),
            Region {
                start: vec![4, 6, 0],
                count: vec![1, 1, 1]
            }
        );
        assert!(grid.is_edge(0), "the last dimension is shorter than a chunk");
        let even = ChunkGrid::new(&[4, 6], &[2, 3]).unwrap();
        assert!((0..4).all(|i| !even.is_edge(i)));
    }

    #[test]
    fn a_scalar_is_one_chunk_and_an_empty_extent_none() {
        let scalar = ChunkGrid::new(&[], &[]).unwrap();
        assert_eq!(scalar.len(), 1);
        assert_eq!(scalar.chunks_in(&Region::default()).collect::<Vec<_>>(), [0]);
        let empty = ChunkGrid::new(&[0, 4], &[1, 2]).unwrap();
        assert!(empty.is_empty());
        assert_eq!(empty.chunks_in(&Region::whole(&[1, 4])).count(), 0);
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(ChunkGrid::new(&[4], &[0]).is_err());
        assert!(ChunkGrid::new(&[4], &[1, 1]).is_err());
        assert!(ChunkGrid::new(&[u64::MAX, 3], &[1, 1]).is_err());
        assert!(ChunkGrid::new(&[1; 33], &[1; 33]).is_err());
    }

    proptest! {
        #[test]
        fn chunks_in_a_region_are_those_that_meet_it(
            dims in proptest::collection::vec((1u64..9, 1u64..5, 0u64..9, 0u64..9), 0..4),
        ) {
            let extent: Vec<_> = dims.iter().map(|d| d.0).collect();
            let chunk: Vec<_> = dims.iter().map(|d| d.1).collect();
            let region = Region {
                start: dims.iter().map(|d| d.2).collect(),
                count: dims.iter().map(|d| d.3).collect(),
            };
            let grid = ChunkGrid::new(&extent, &chunk).unwrap();
            let met: Vec<_> = (0..grid.len()).filter(|i| grid.region(*i).intersect(&region).is_some()).collect();
            prop_assert_eq!(grid.chunks_in(&region).collect::<Vec<_>>(), met);
            for i in 0..grid.len() {
                let clipped = grid.region(i).count != grid.chunk();
                prop_assert_eq!(grid.is_edge(i), clipped);
            }
        }
    }
}
