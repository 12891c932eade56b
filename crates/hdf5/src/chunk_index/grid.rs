//! Numbers of chunks: in C order over the present extent, and in the order of array indexes.

/// The grid of chunks that covers a dataset's present extent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChunkGrid {
    counts: Vec<u64>,
    total: u64,
}

impl ChunkGrid {
    /// A grid over an extent of `dims`. `None` if a chunk has no elements, or the number of chunks overflows.
    pub(super) fn new(dims: &[u64], shape: &[u64]) -> Option<Self> {
        if shape.contains(&0) {
            return None;
        }
        let counts: Vec<u64> = dims
            .iter()
            .zip(shape)
            .map(|(dim, chunk)| dim.div_ceil(*chunk))
            .collect();
        let total = if counts.contains(&0) {
            0
        } else {
            counts.iter().try_fold(1u64, |n, count| n.checked_mul(*count))?
        };
        Some(Self { counts, total })
    }

    /// Number of chunks.
    pub(super) fn count(&self) -> u64 {
        self.total
    }

    /// Number of dimensions.
    pub(super) fn rank(&self) -> usize {
        self.counts.len()
    }

    /// The number of the chunk at these coordinates (in chunks), in C order; `None` outside the extent.
    pub(super) fn linear(&self, coordinates: &[u64]) -> Option<u64> {
        if coordinates.len() != self.counts.len() {
            return None;
        }
        let mut index = 0u64;
        for (coordinate, count) in coordinates.iter().zip(&self.counts) {
            if coordinate >= count {
                return None;
            }
            index = index * count + coordinate;
        }
        Some(index)
    }

    /// The coordinates (in chunks) of chunk number `index`, which must be less than [`count`](Self::count).
    fn coordinates(&self, mut index: u64, coordinates: &mut [u64]) {
        for (coordinate, count) in coordinates.iter_mut().zip(&self.counts).rev() {
            let count = (*count).max(1);
            *coordinate = index % count;
            index /= count;
        }
    }
}

/// Numbering of chunks in array indexes (implicit, fixed array, extensible array): C order over the *maximum* extent.
/// An unlimited dimension is moved to the front, so that it can grow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArrayOrder {
    /// The dimension that is moved to the front.
    front: usize,
    /// Difference of the numbers of neighbouring chunks, along each dimension.
    strides: Vec<u64>,
}

impl ArrayOrder {
    /// `None` if several dimensions are unlimited, a dimension exceeds its maximum (two chunks would have the same
    /// number), or the number of chunks overflows.
    pub(super) fn new(dims: &[u64], shape: &[u64], max_dims: &[Option<u64>]) -> Option<Self> {
        if dims
            .iter()
            .zip(max_dims)
            .any(|(dim, max)| max.is_some_and(|max| max < *dim))
        {
            return None;
        }
        let mut unlimited = max_dims
            .iter()
            .enumerate()
            .filter(|(_, max)| max.is_none())
            .map(|(i, _)| i);
        let front = unlimited.next().unwrap_or(0);
        if unlimited.next().is_some() {
            return None;
        }
        let mut strides = vec![0; shape.len()];
        let mut step = Some(1u64);
        for (i, stride) in strides.iter_mut().enumerate().rev() {
            if i != front {
                *stride = step?;
                let max = max_dims.get(i).copied()??;
                step = step?.checked_mul(max.div_ceil(*shape.get(i)?));
            }
        }
        if let Some(stride) = strides.get_mut(front) {
            *stride = step?;
        }
        Some(Self { front, strides })
    }

    /// The coordinates (in chunks) of the array's element `index`.
    pub(super) fn coordinates(&self, mut index: u64, coordinates: &mut [u64]) {
        let mut place = |i: usize| {
            if let (Some(coordinate), Some(stride)) = (coordinates.get_mut(i), self.strides.get(i)) {
                // A stride is 0 only if a dimension can have no chunks. Then no chunk is inside the extent either.
                *coordinate = index.checked_div(*stride).unwrap_or(u64::MAX);
                index = index.checked_rem(*stride).unwrap_or(0);
            }
        };
        place(self.front);
        for i in (0..self.strides.len()).filter(|i| *i != self.front) {
            place(i);
        }
    }

    /// Number of elements of an array with this order: all chunks of the largest extent, which must be fixed. `None` if they
    /// cannot be counted.
    pub(super) fn fixed_count(shape: &[u64], max_dims: &[Option<u64>]) -> Option<u64> {
        let counts = max_dims
            .iter()
            .zip(shape)
            .map(|(max, length)| Some((*max)?.div_ceil(*length)));
        counts
            .into_iter()
            .try_fold(1u64, |all, count| all.checked_mul(count?))
    }

    /// The array's element for chunk `linear` of `grid`; `None` if it overflows.
    pub(super) fn element(&self, grid: &ChunkGrid, linear: u64) -> Option<u64> {
        let mut coordinates = vec![0; grid.rank()];
        grid.coordinates(linear, &mut coordinates);
        coordinates
            .iter()
            .zip(&self.strides)
            .try_fold(0u64, |sum, (c, stride)| sum.checked_add(c.checked_mul(*stride)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_count_partial_chunks() {
        let grid = ChunkGrid::new(&[10, 7], &[4, 7]).unwrap();
        assert_eq!(grid.count(), 3);
        assert_eq!(grid.linear(&[2, 0]), Some(2));
        assert_eq!(grid.linear(&[0, 1]), None);
        assert_eq!(grid.linear(&[3, 0]), None);
        assert_eq!(ChunkGrid::new(&[0, 7], &[4, 7]).unwrap().count(), 0);
        assert_eq!(
            ChunkGrid::new(&[0, u64::MAX, u64::MAX], &[4, 1, 1])
                .unwrap()
                .count(),
            0
        );
        assert_eq!(ChunkGrid::new(&[u64::MAX, 2], &[1, 1]), None);
        assert_eq!(ChunkGrid::new(&[1], &[0]), None);
    }

    #[test]
    fn arrays_count_over_the_largest_extent() {
        let order = ArrayOrder::new(&[3, 9, 6], &[2, 3, 5], &[Some(4), None, Some(11)]).unwrap();
        // Dimension 1 in front, then 2 x 3 chunks.
        assert_eq!(order.strides, [3, 6, 1]);
        let grid = ChunkGrid::new(&[3, 9, 6], &[2, 3, 5]).unwrap();
        assert_eq!(grid.count(), 2 * 3 * 2);
        for linear in 0..grid.count() {
            let mut coordinates = [0; 3];
            order.coordinates(order.element(&grid, linear).unwrap(), &mut coordinates);
            assert_eq!(grid.linear(&coordinates), Some(linear));
        }
        let mut coordinates = [0; 3];
        order.coordinates(2, &mut coordinates);
        assert_eq!(coordinates, [0, 0, 2]);
        assert_eq!(grid.linear(&coordinates), None);
    }

    #[test]
    fn arrays_refuse_what_they_cannot_count() {
        let huge = Some(u64::MAX);
        assert_eq!(ArrayOrder::new(&[1, 1], &[1, 1], &[None, None]), None);
        assert_eq!(ArrayOrder::new(&[1, 1, 1], &[1, 1, 1], &[None, huge, huge]), None);
        assert!(ArrayOrder::new(&[1, 1], &[1, 1], &[huge, Some(1)]).is_some());
        assert_eq!(ArrayOrder::new(&[1, 2], &[1, 1], &[None, Some(1)]), None);
        assert_eq!(ArrayOrder::new(&[u64::MAX, 1], &[1, 1], &[huge, Some(0)]), None);
    }
}
