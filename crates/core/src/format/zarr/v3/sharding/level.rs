//! One level of shards around the chunks of an array.

use super::index::IndexCodecs;
use crate::model::{CodecSpec, IndexLocation};

/// One level of shards: how the bytes of a shard divide into its inner chunks. Shards may lie in shards.
///
/// What is stored may have its dimensions in another order than the array, because of transpositions around the shard.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// Dimension i of what is stored is dimension `order[i]` of the array.
    pub order: Vec<usize>,
    /// Inner chunks in each stored dimension of a shard.
    pub counts: Vec<u64>,
    /// The shape of an inner chunk, in stored dimensions.
    pub chunk_shape: Vec<u64>,
    /// The codecs of the index.
    pub index_codecs: IndexCodecs,
    /// The place of the index.
    pub index_location: IndexLocation,
    /// The codecs that the bytes of a whole shard passed when it was written.
    pub around: Vec<CodecSpec>,
}

impl Level {
    /// Number of the inner chunk that holds the element at `position` of a shard. Changes `position` to that within the
    /// inner chunk. Positions have the array's order of dimensions.
    pub fn enter(&self, position: &mut [u64]) -> u64 {
        let mut number = 0u64;
        for ((at, length), count) in self.order.iter().zip(&self.chunk_shape).zip(&self.counts) {
            let place = position[*at] / length;
            position[*at] %= length;
            number = number.saturating_mul(*count).saturating_add(place);
        }
        number
    }

    /// Position, in a shard, of the first element of inner chunk `number`. The inverse of [`Level::enter`].
    pub fn origin(&self, mut number: u64) -> Vec<u64> {
        let mut position = vec![0; self.order.len()];
        let dimensions = self.order.iter().zip(&self.chunk_shape).zip(&self.counts);
        for ((at, length), count) in dimensions.rev() {
            position[*at] = number % count * length;
            number /= count;
        }
        position
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_numbered_as_they_are_stored() {
        // An array of 8 by 12, stored transposed, with inner chunks of 3 by 4 as stored.
        let level = Level {
            order: vec![1, 0],
            counts: vec![4, 2],
            chunk_shape: vec![3, 4],
            index_codecs: IndexCodecs::default_written(),
            index_location: IndexLocation::End,
            around: Vec::new(),
        };
        let mut position = [5, 7];
        assert_eq!(level.enter(&mut position), 2 * 2 + 1);
        assert_eq!(position, [1, 1]);
        for number in 0..8 {
            let origin = level.origin(number);
            assert_eq!(level.enter(&mut origin.clone()), number);
        }
        assert_eq!(level.origin(5), [4, 6]);
    }
}
