//! The geometry of a variable whose chunks keep their shape.

use std::sync::Arc;

use super::input_mapping::InputMapping;
use super::input_mappings::InputMappings;
use super::order::BlockOrder;
use crate::chunk::{ChunkGrid, Region};
use crate::filter::ChainEnd;

/// The geometry of a variable whose chunks keep their shape.
#[derive(Debug, Clone)]
pub struct AlignedGrids {
    /// The grid of output chunks.
    pub grid: ChunkGrid,
    /// The shape of a shard, in chunks. `None` without shards: chunks are then written in C order.
    pub shard: Option<Vec<u64>>,
    /// How passing chunks of each input change at the outer end of their filters. Empty if none changes.
    pub ends: Arc<[Option<ChainEnd>]>,
}

impl AlignedGrids {
    /// How passing chunks of an input change; `None` if they do not.
    pub fn end(&self, input: usize) -> Option<&ChainEnd> {
        self.ends.get(input)?.as_ref()
    }

    /// The order in which chunks are written.
    pub fn order(&self) -> BlockOrder {
        let tile = self.grid.counts();
        BlockOrder::sharded(tile, tile, 1, self.shard.as_deref())
    }

    /// Number of the chunk at `position` in the order.
    pub fn chunk(&self, order: &BlockOrder, position: u64) -> u64 {
        match self.shard {
            None => position,
            Some(_) => self.grid.index(&order.block_at(position).span.start),
        }
    }

    /// Index of the input that holds an output chunk, and the number of its chunk there.
    pub fn source(&self, inputs: &InputMappings, chunk: u64) -> Option<(usize, u64)> {
        if let [
            InputMapping {
                selection: None,
                grid: Some(grid),
                ..
            },
        ] = &inputs[..]
            && grid.counts() == self.grid.counts()
        {
            return Some((0, chunk));
        }
        let origin = self.grid.origin(chunk);
        let holds = |input: &InputMapping| {
            let target = input.target.start.iter().zip(&input.target.count);
            target.zip(&origin).all(|((s, n), at)| at >= s && at - s < *n)
        };
        let cell = Region {
            start: origin.clone(),
            count: vec![1; origin.len()],
        };
        let near = inputs.near(&cell);
        let at = near.start + inputs[near].iter().rposition(holds)?;
        let grid = inputs[at].grid.as_ref()?;
        let coordinates: Vec<u64> = inputs[at]
            .index(&origin)
            .iter()
            .zip(grid.chunk())
            .map(|(at, size)| at / size)
            .collect();
        let number = grid.index(&coordinates);
        inputs[at].is_stored(number).then_some((at, number))
    }

    /// True if the output's chunk holds all elements of the input's chunk, and no others.
    pub fn is_whole(&self, input: &InputMapping, from: u64, chunk: u64) -> bool {
        match (&input.selection, &input.grid) {
            (None, Some(grid)) if grid.extent() == self.grid.extent() => true,
            (_, Some(grid)) => grid.region(from).count == self.grid.region(chunk).count,
            (_, None) => false,
        }
    }
}
