//! [`ChunkList`]: the coordinates of many chunks of an array, in one allocation.

/// Coordinates of chunks of an array.
#[derive(Debug, Default)]
pub struct ChunkList {
    /// Number of dimensions of the array.
    rank: usize,
    len: usize,
    coordinates: Vec<u32>,
}

impl ChunkList {
    /// Adds a chunk. All chunks have the same number of coordinates.
    pub fn push(&mut self, index: &[u32]) {
        self.rank = index.len();
        self.len += 1;
        self.coordinates.extend_from_slice(index);
    }

    /// Adds the chunks of another list.
    pub fn extend(&mut self, other: &Self) {
        if !other.is_empty() {
            self.rank = other.rank;
            self.len += other.len;
            self.coordinates.extend_from_slice(&other.coordinates);
        }
    }

    /// The coordinates of a chunk, by its position.
    pub fn get(&self, n: usize) -> &[u32] {
        self.coordinates
            .get(n * self.rank..(n + 1) * self.rank)
            .unwrap_or_default()
    }

    /// The coordinates of each chunk.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len).map(|n| self.get(n))
    }

    /// The coordinates of the last chunk.
    pub fn last(&self) -> Option<&[u32]> {
        self.len.checked_sub(1).map(|last| self.get(last))
    }

    /// The positions of chunks, in the order of their coordinates. Of chunks that came twice, the first one counts.
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len).collect();
        order.sort_by(|a, b| self.get(*a).cmp(self.get(*b)));
        order.dedup_by(|b, a| self.get(*a) == self.get(*b));
        order
    }

    pub fn rank(&self) -> usize {
        self.rank
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_ordered_and_each_comes_once() {
        let mut all = ChunkList::default();
        let mut more = ChunkList::default();
        all.push(&[2, 0]);
        more.push(&[0, 7]);
        more.push(&[2, 0]);
        more.push(&[0, 5]);
        all.extend(&ChunkList::default());
        all.extend(&more);
        assert_eq!((all.len(), all.rank(), all.last()), (4, 2, Some(&[0, 5][..])));
        assert_eq!(all.order(), [3, 1, 0]);
        // The one chunk of a scalar.
        let mut scalar = ChunkList::default();
        scalar.push(&[]);
        assert_eq!(scalar.iter().collect::<Vec<_>>(), [&[0; 0]]);
    }
}
