//! The geometry of a variable whose chunks change shape: tiles, and slabs of contiguous storage.

use super::input_mapping::InputMapping;
use super::order::{Block, BlockOrder, tile_in_c_order, tile_shape};
use crate::chunk::{ChunkGrid, Region, chunks_of_shard};
use crate::error::{Error, Result};
use crate::format::read_region::chunk_size;
use crate::model::{Storage, VariableLayout};

/// Upper limit, in bytes, of the slabs in which a contiguous output is written.
const SLAB: u64 = 256 << 10;

/// Shortest contiguous run, in bytes, that a tile should read from an input without chunks.
const RUN: u64 = 64 << 10;

/// The same, in bytes, of elements that the reader gives: a server of them takes long for each question.
const QUESTION: u64 = 4 << 20;

/// Most shards in a group. Each piece of input is compared with all of them.
const MOST_GROUPED: u64 = 4096;

/// The geometry of a variable whose chunks change shape.
#[derive(Debug, Clone)]
pub struct Tiling {
    /// The grid of output chunks, or of slabs if the output is contiguous.
    pub grid: ChunkGrid,
    /// The shape of a tile, in output chunks.
    pub tile: Vec<u64>,
    /// The shape of a shard, in output chunks; `None` without shards.
    pub shard: Option<Vec<u64>>,
    /// The shape of a group, in shards: shards that follow each other, and that one input chunk can meet. Empty without shards.
    group: Vec<u64>,
}

impl Tiling {
    /// The geometry of an output with layout `to`, whose data comes from `inputs` (at least one).
    ///
    /// # Errors
    /// If the output's chunks form no valid grid, or do not divide its shards.
    pub fn new(inputs: &[InputMapping], to: &VariableLayout) -> Result<Self> {
        Self::of_runs(inputs, to, RUN)
    }

    /// Same as [`new`](Self::new), for inputs whose elements the reader gives. Each block is one question to it.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn of_values(inputs: &[InputMapping], to: &VariableLayout) -> Result<Self> {
        Self::of_runs(inputs, to, QUESTION)
    }

    /// The tiles read runs of at least `run` bytes, where the input has no chunks.
    fn of_runs(inputs: &[InputMapping], to: &VariableLayout, run: u64) -> Result<Self> {
        let input = inputs.iter().find_map(|input| input.grid.as_ref());
        let shape = match &to.storage {
            Storage::Chunked { shape, .. } => shape.clone(),
            _ => {
                let chunk = input.map_or(&to.extent[..], |grid| grid.chunk());
                slab_shape(&to.extent, to.element_size, chunk)
            }
        };
        let grid = ChunkGrid::new(&to.extent, &shape)?;
        let runs;
        let from = match input {
            Some(input) => input.chunk(),
            None => {
                runs = run_shape(&to.extent, to.element_size, &shape, run);
                &runs
            }
        };
        let mut tile = tile_shape(from, &shape, &to.extent, grid.counts());
        let shard = shard_chunks(to)?;
        let mut group = Vec::new();
        if let Some(shard) = &shard {
            tile_in_c_order(&mut tile, shard);
            if input.is_some() {
                group = group_shape(from, &to.extent, grid.chunk(), shard);
            }
        }
        Ok(Self {
            grid,
            tile,
            shard,
            group,
        })
    }

    /// True if an input chunk can meet several shards.
    pub fn has_groups(&self) -> bool {
        self.group.iter().any(|shards| *shards > 1)
    }

    /// The chunks that are made of the same input chunks as the chunk at `position`: those of a group of shards, or of a tile.
    pub fn made_with(&self, order: &BlockOrder, position: u64) -> Block {
        match self.has_groups() {
            true => order.group_at(position, &self.group),
            false => order.tile_at(position),
        }
    }

    /// Bytes of the chunks of a block.
    ///
    /// # Errors
    /// If they are more than memory can hold.
    pub fn block_bytes(&self, block: &Block, to: &VariableLayout) -> Result<usize> {
        let chunk = chunk_size(to, self.grid.chunk())?;
        usize::try_from(block.end - block.first)
            .ok()
            .and_then(|n| n.checked_mul(chunk))
            .ok_or_else(|| Error::Unsupported("a block of chunks larger than memory".into()))
    }

    /// The order of chunks, with blocks of at most `most` chunks.
    pub fn order(&self, most: u64) -> BlockOrder {
        BlockOrder::sharded(self.grid.counts(), &self.tile, most, self.shard.as_deref())
    }
}

/// The shape of a shard, in chunks; `None` if chunks are stored one by one.
///
/// # Errors
/// If a shard does not hold whole chunks.
pub fn shard_chunks(to: &VariableLayout) -> Result<Option<Vec<u64>>> {
    let shard = to.shard.as_ref();
    shard
        .map(|shard| chunks_of_shard(shard, to.chunk_shape()))
        .transpose()
}

/// The shape of a group, in shards. `input` and `output` are the shapes of chunks, and `shard` is in output chunks.
fn group_shape(input: &[u64], extent: &[u64], output: &[u64], shard: &[u64]) -> Vec<u64> {
    let mut counts = Vec::with_capacity(shard.len());
    let mut group = Vec::with_capacity(shard.len());
    for (((i, length), o), shard) in input.iter().zip(extent).zip(output).zip(shard) {
        let elements = o.saturating_mul(*shard).max(1);
        let count = length.div_ceil(elements).max(1);
        group.push(i.div_ceil(elements).clamp(1, count));
        counts.push(count);
    }
    tile_in_c_order(&mut group, &counts);
    while group.iter().fold(1u64, |n, along| n.saturating_mul(*along)) > MOST_GROUPED {
        let Some(first) = group.iter_mut().find(|along| **along > 1) else {
            break;
        };
        *first = first.div_ceil(2);
    }
    group
}

/// The shape of the slabs of a contiguous output: whole in the fastest dimensions, and at most [`SLAB`]
/// bytes. If possible, slabs end where input chunks of shape `input` end. Each slab is one range, and slabs
/// are consecutive.
fn slab_shape(extent: &[u64], element_size: usize, input: &[u64]) -> Vec<u64> {
    let mut shape = vec![1; extent.len()];
    let mut bytes = element_size as u64;
    for d in (0..extent.len()).rev() {
        let whole = bytes.saturating_mul(extent[d]);
        if whole <= SLAB {
            shape[d] = extent[d].max(1);
            bytes = whole;
            continue;
        }
        let most = (SLAB / bytes).clamp(1, extent[d]);
        let chunk = input.get(d).copied().unwrap_or(1).max(1);
        shape[d] = if chunk <= most {
            most - most % chunk
        } else {
            // A divisor of the chunk length, unless it would be much smaller.
            (most.div_ceil(4)..=most)
                .rev()
                .find(|n| chunk.is_multiple_of(*n))
                .unwrap_or(most)
        };
        break;
    }
    shape
}

/// Stands in for the chunk shape of an input that is read by range. Tiles made with it read runs of at least
/// `run` bytes if possible.
fn run_shape(extent: &[u64], element_size: usize, output: &[u64], run: u64) -> Vec<u64> {
    let mut shape = vec![1; extent.len()];
    let mut bytes = element_size as u64;
    for d in (0..extent.len()).rev() {
        let whole = bytes.saturating_mul(extent[d]);
        if whole <= run {
            shape[d] = extent[d].max(1);
            bytes = whole;
            continue;
        }
        let least = run.div_ceil(bytes.max(1));
        shape[d] = least.div_ceil(output[d].max(1)).saturating_mul(output[d]).max(1);
        break;
    }
    shape
}

/// The elements of a box of chunks, clipped to `extent`.
pub fn elements(span: &Region, chunk: &[u64], extent: &[u64]) -> Region {
    let start: Vec<u64> = span
        .start
        .iter()
        .zip(chunk)
        .map(|(s, c)| s.saturating_mul(*c))
        .collect();
    let count = span
        .count
        .iter()
        .zip(chunk)
        .zip(extent)
        .zip(&start)
        .map(|(((n, c), e), s)| n.saturating_mul(*c).min(e.saturating_sub(*s)))
        .collect();
    Region { start, count }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slabs_follow_each_other_and_end_with_input_chunks() {
        assert_eq!(slab_shape(&[10, 20], 4, &[5, 5]), [10, 20]);
        assert_eq!(slab_shape(&[1000, 1000, 1000], 4, &[100, 50, 50]), [1, 50, 1000]);
        assert_eq!(slab_shape(&[1 << 30], 8, &[100_000]), [25_000]);
        assert!(slab_shape(&[], 4, &[]).is_empty());
    }

    #[test]
    fn runs_are_whole_output_chunks() {
        assert_eq!(run_shape(&[248, 361, 720], 4, &[248, 19, 36], RUN), [1, 38, 720]);
        assert_eq!(run_shape(&[248, 361, 720], 4, &[1, 361, 720], RUN), [1, 361, 720]);
    }
}
