//! The order in which a variable's chunks are written when their shape changes, and which chunks are made
//! together.
//!
//! The grid of output chunks is divided into *tiles*: the smallest boxes whose faces are also faces of input
//! chunks. Working tile by tile decodes each input chunk once and needs little memory. Chunks are written
//! tile after tile, in C order within a tile. This order depends on shapes alone, so the output is the same
//! for any memory budget and number of threads. A *block* is made at once: it is a tile or, if a tile exceeds
//! the budget, a run of the tile's chunks that is itself a box.
//!
//! ```text
//! input 2×2, output 3×3 chunks:    tile = 6×6 elements = 2×2 output chunks = 3×3 input chunks
//! ```

use std::borrow::Cow;

use crate::chunk::{Region, common_divisor};

/// The order of chunks, and its division into blocks.
#[derive(Debug, Clone)]
pub struct BlockOrder {
    counts: Vec<u64>,
    tile: Vec<u64>,
    /// For each dimension of the grid, the number of chunks in one step along it.
    after: Vec<u64>,
    /// Shape of a block within its tile: length 1 before this dimension, `step` along it, the whole tile
    /// after it.
    level: usize,
    step: u64,
    /// The order of shards, if there are any: tiles then divide each shard.
    shards: Option<Box<Shards>>,
}

/// Shards as boxes of the grid, in C order.
#[derive(Debug, Clone)]
struct Shards {
    /// The order of the shards: each of its tiles is a shard.
    order: BlockOrder,
    /// The order of chunks within a whole shard. There may be very many chunks, and nearly all are in whole shards.
    within: BlockOrder,
    most: u64,
}

/// Chunks made together: a box of the grid whose chunks follow each other in the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The box, in chunks.
    pub span: Region,
    /// Position of its first chunk in the order.
    pub first: u64,
    /// Position after its last chunk.
    pub end: u64,
}

/// The shape of a tile, in output chunks. `input` and `output` are chunk shapes, and `counts` is the number
/// of output chunks in each dimension of `extent`.
pub fn tile_shape(input: &[u64], output: &[u64], extent: &[u64], counts: &[u64]) -> Vec<u64> {
    let mut tile = Vec::with_capacity(counts.len());
    for (((i, o), length), count) in input.iter().zip(output).zip(extent).zip(counts) {
        let chunks = if *i >= *length || *i == 0 || *o == 0 {
            *count
        } else {
            i / common_divisor(*i, *o)
        };
        tile.push(chunks.min(*count).max(1));
    }
    tile
}

/// Lengthens a tile so that its chunks follow each other in C order within a shard. Both shapes are in chunks.
///
/// Readers of a shard join neighbouring chunks into one read. The length of the tile in its first dimension of several
/// chunks can stay, because tiles follow each other along it.
pub fn tile_in_c_order(tile: &mut [u64], shard: &[u64]) {
    let mut lengthens = false;
    for (length, all) in tile.iter_mut().zip(shard) {
        if lengthens {
            *length = (*length).max(*all);
        }
        lengthens |= (*length).min(*all) > 1;
    }
}

impl Block {
    /// The same block in the whole grid, for a block whose position and positions count from the start of
    /// `shard`.
    fn moved(mut self, shard: &Self) -> Self {
        for (at, start) in self.span.start.iter_mut().zip(&shard.span.start) {
            *at += start;
        }
        self.first += shard.first;
        self.end += shard.first;
        self
    }
}

impl BlockOrder {
    /// The order over a grid of `counts` chunks, in tiles of shape `tile`, with blocks of at most `most`
    /// chunks (at least one). All three are in chunks.
    pub fn new(counts: &[u64], tile: &[u64], most: u64) -> Self {
        let tile: Vec<u64> = tile
            .iter()
            .zip(counts)
            .map(|(t, n)| (*t).min(*n).max(1))
            .collect();
        let mut after = vec![1u64; counts.len()];
        for d in (0..counts.len().saturating_sub(1)).rev() {
            after[d] = after[d + 1].saturating_mul(counts[d + 1]);
        }
        let (mut level, mut step, mut chunks) = (0, 1, 1u64);
        for d in (0..tile.len()).rev() {
            level = d;
            step = tile[d];
            let whole = chunks.saturating_mul(tile[d]);
            if whole > most {
                step = (most / chunks).clamp(1, tile[d]);
                // Blocks of about equal size are better than a small last one.
                step = tile[d].div_ceil(tile[d].div_ceil(step));
                break;
            }
            chunks = whole;
        }
        Self {
            counts: counts.to_vec(),
            tile,
            after,
            level,
            step,
            shards: None,
        }
    }

    /// The order with shards: they follow each other in C order, and tiles and blocks divide each one. So the
    /// chunks of a shard are consecutive.
    pub fn sharded(counts: &[u64], tile: &[u64], most: u64, shard: Option<&[u64]>) -> Self {
        let mut order = Self::new(counts, tile, most);
        if let Some(shard) = shard {
            let shards = Self::new(counts, shard, u64::MAX);
            order.shards = Some(Box::new(Shards {
                within: Self::new(&shards.tile, &order.tile, most),
                order: shards,
                most,
            }));
        }
        order
    }

    /// The shard that holds the chunk at `position`, and the order of chunks within it.
    fn within_shard<'a>(&'a self, shards: &'a Shards, position: u64) -> (Block, Cow<'a, Self>) {
        let shard = shards.order.tile_at(position);
        let within = match shard.span.count == shards.within.counts {
            true => Cow::Borrowed(&shards.within),
            false => Cow::Owned(Self::new(&shard.span.count, &self.tile, shards.most)),
        };
        (shard, within)
    }

    /// The shard that holds the chunk at `position`. Without shards, its block.
    pub fn shard_at(&self, position: u64) -> Block {
        match &self.shards {
            Some(shards) => shards.order.tile_at(position),
            None => self.block_at(position),
        }
    }

    /// Position after the last chunk of the shard that holds the chunk at `position`. Without shards, the next
    /// position.
    pub fn shard_end(&self, position: u64) -> u64 {
        match &self.shards {
            Some(shards) => shards.order.tile_at(position).end,
            None => position + 1,
        }
    }

    /// The group of shards that holds the chunk at `position`. `group` is the shape of a group in shards, which follow each
    /// other. Without shards, the tile.
    pub fn group_at(&self, position: u64, group: &[u64]) -> Block {
        let Some(shards) = &self.shards else {
            return self.tile_at(position);
        };
        let shard = shards.order.tile_at(position);
        let mut last = Vec::with_capacity(group.len());
        let mut span = shard.span;
        for (d, along) in group.iter().enumerate() {
            let (length, count) = (shards.order.tile[d], self.counts[d]);
            let chunks = along.saturating_mul(length);
            let start = span.start[d] - span.start[d] % chunks;
            let end = start.saturating_add(chunks).min(count);
            last.push((end - 1) / length * length);
            span.start[d] = start;
            span.count[d] = end - start;
        }
        Block {
            first: self.position(&span.start),
            end: self.shard_end(self.position(&last)),
            span,
        }
    }

    /// Position in the order of the chunk at `coordinates` of the grid.
    pub fn position(&self, coordinates: &[u64]) -> u64 {
        if let Some(shards) = &self.shards {
            let (shard, within) = self.within_shard(shards, shards.order.position(coordinates));
            let local: Vec<u64> = coordinates
                .iter()
                .zip(&shard.span.start)
                .map(|(c, s)| c - s)
                .collect();
            return shard.first + within.position(&local);
        }
        let mut front = 1;
        let mut position = 0;
        let mut local = 0;
        for (d, c) in coordinates.iter().enumerate() {
            let start = c - c % self.tile[d];
            let length = self.tile[d].min(self.counts[d] - start);
            position += front * start * self.after[d];
            local = local * length + (c - start);
            front *= length;
        }
        position + local
    }

    /// The tile that holds the chunk at `position`, which is less than the number of chunks.
    pub fn tile_at(&self, position: u64) -> Block {
        if let Some(shards) = &self.shards {
            let (shard, within) = self.within_shard(shards, position);
            return within.tile_at(position - shard.first).moved(&shard);
        }
        let rank = self.counts.len();
        let mut start = vec![0; rank];
        let mut count = vec![0; rank];
        let mut rest = position;
        let mut front = 1;
        for d in 0..rank {
            let layer = front * self.after[d];
            start[d] = rest / (self.tile[d] * layer) * self.tile[d];
            rest -= start[d] * layer;
            count[d] = self.tile[d].min(self.counts[d] - start[d]);
            front *= count[d];
        }
        Block {
            span: Region { start, count },
            first: position - rest,
            end: position - rest + front,
        }
    }

    /// The block that holds the chunk at `position`, which is less than the number of chunks.
    pub fn block_at(&self, position: u64) -> Block {
        if let Some(shards) = &self.shards {
            let (shard, within) = self.within_shard(shards, position);
            return within.block_at(position - shard.first).moved(&shard);
        }
        let rank = self.counts.len();
        let tile = self.tile_at(position);
        let tile_first = tile.first;
        let mut rest = position - tile_first;
        let mut behind = tile.end - tile_first;
        let lengths = tile.span.count;
        let mut start = tile.span.start;
        // From here on, `rest` is the position within the tile.
        let mut first = 0;
        let mut size = 1;
        let mut count = lengths.clone();
        for d in 0..rank {
            behind /= lengths[d];
            let at = rest / behind;
            rest %= behind;
            let from = match d.cmp(&self.level) {
                std::cmp::Ordering::Less => {
                    count[d] = 1;
                    at
                }
                std::cmp::Ordering::Equal => {
                    let from = at - at % self.step;
                    count[d] = self.step.min(lengths[d] - from);
                    from
                }
                std::cmp::Ordering::Greater => 0,
            };
            start[d] += from;
            first += from * behind;
            size *= count[d];
        }
        Block {
            span: Region { start, count },
            first: tile_first + first,
            end: tile_first + first + size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::ChunkGrid;
    use proptest::prelude::*;

    #[test]
    fn tiles_end_where_chunks_of_both_end() {
        assert_eq!(
            tile_shape(&[100, 100], &[30, 50], &[1000, 1000], &[34, 20]),
            [10, 2]
        );
        assert_eq!(
            tile_shape(&[1, 361, 720], &[248, 19, 36], &[248, 361, 720], &[1, 19, 20]),
            [1, 19, 20]
        );
        assert_eq!(tile_shape(&[97], &[100], &[1000], &[10]), [10]);
        assert!(tile_shape(&[], &[], &[], &[]).is_empty());
    }

    #[test]
    fn a_tile_is_no_longer_than_c_order_needs() {
        for (tile, shard, expected) in [
            ([1, 1, 2], [4, 4, 4], [1, 1, 2]),
            ([1, 2, 2], [4, 4, 4], [1, 2, 4]),
            ([2, 1, 1], [4, 4, 4], [2, 4, 4]),
            ([3, 1, 2], [1, 4, 4], [3, 1, 2]),
            ([1, 3, 9], [4, 4, 4], [1, 3, 9]),
        ] {
            let mut found = tile;
            tile_in_c_order(&mut found, &shard);
            assert_eq!(found, expected, "{tile:?} {shard:?}");
        }
    }

    #[test]
    fn a_budget_cuts_a_tile_into_like_parts() {
        let order = BlockOrder::new(&[1, 19, 20], &[1, 19, 20], 84);
        assert_eq!((order.level, order.step), (1, 4));
        assert_eq!(order.block_at(0).span.count, [1, 4, 20]);
        assert_eq!(order.block_at(379).span.start, [0, 16, 0]);
        let scalar = BlockOrder::new(&[], &[], 5);
        assert_eq!(scalar.block_at(0).end, 1);
    }

    proptest! {
        #[test]
        fn a_shard_is_in_c_order(
            dims in proptest::collection::vec((1u64..6, 1u64..5, 1u64..4), 0..4),
            most in 1u64..20,
        ) {
            let counts: Vec<_> = dims.iter().map(|d| d.0).collect();
            let mut tile: Vec<_> = dims.iter().map(|d| d.1).collect();
            let shard: Vec<_> = dims.iter().map(|d| d.2).collect();
            tile_in_c_order(&mut tile, &shard);
            let order = BlockOrder::sharded(&counts, &tile, most, Some(&shard));
            let grid = ChunkGrid::new(&counts, &vec![1; counts.len()]).unwrap();
            let mut chunks: Vec<u64> = (0..grid.len()).collect();
            chunks.sort_by_key(|chunk| order.position(&grid.coordinates(*chunk)));
            let shard_of = |chunk: u64| -> Vec<u64> {
                grid.coordinates(chunk).iter().zip(&shard).map(|(c, s)| c / s).collect()
            };
            for pair in chunks.windows(2) {
                let (a, b) = (shard_of(pair[0]), shard_of(pair[1]));
                prop_assert!(a < b || a == b && pair[0] < pair[1], "{:?}", pair);
            }
        }

        #[test]
        fn blocks_follow_each_other_and_hold_every_chunk_once(
            dims in proptest::collection::vec((1u64..6, 1u64..5, 1u64..4), 0..4),
            most in 1u64..20,
            sharded in any::<bool>(),
        ) {
            let counts: Vec<_> = dims.iter().map(|d| d.0).collect();
            let tile: Vec<_> = dims.iter().map(|d| d.1).collect();
            let shard: Vec<_> = dims.iter().map(|d| d.2).collect();
            let order = BlockOrder::sharded(&counts, &tile, most, sharded.then_some(&shard));
            let grid = ChunkGrid::new(&counts, &vec![1; counts.len()]).unwrap();
            let mut position = 0;
            let mut seen = vec![false; grid.len() as usize];
            while position < grid.len() {
                let block = order.block_at(position);
                prop_assert_eq!(block.first, position);
                prop_assert_eq!(Some(block.end - block.first), block.span.element_count());
                prop_assert!(block.end - block.first <= most);
                if sharded {
                    let end = order.shard_end(position);
                    prop_assert!(block.end <= end, "a block ends with its shard");
                    let of = |at: &[u64]| at.iter().zip(&shard).map(|(a, s)| a / s).collect::<Vec<_>>();
                    let next = (end < grid.len()).then(|| of(&order.block_at(end).span.start));
                    prop_assert_ne!(next, Some(of(&block.span.start)), "a shard's chunks are consecutive");
                }
                for (n, index) in grid.chunks_of_span(block.span.clone()).enumerate() {
                    let at = position + n as u64;
                    prop_assert_eq!(order.position(&grid.coordinates(index)), at);
                    prop_assert_eq!(&order.block_at(at), &block);
                    prop_assert!(!std::mem::replace(&mut seen[index as usize], true));
                }
                position = block.end;
            }
            prop_assert!(seen.iter().all(|s| *s));
        }
    }
}
