//! Parts of a copy, for several processes that write one dataset together.
//!
//! ```text
//! prepare ─► Prepared ─► into_part(0, 3) ─► run ─► writer of a part: its chunks, published by nobody
//!                   └──► into_part(1, 3) ─► …
//! ```
//!
//! Each process prepares the same copy and takes its part. No two parts have a chunk or shard in common.
//! Together they hold every chunk that is written.

use std::ops::Range;

use super::numbering::{decoded_bytes, number_pieces};
use super::prepared::Prepared;
use crate::chunk::ChunkGrid;
use crate::copy::geometry::ChunksToWrite;
use crate::copy::task::{Route, Variable};
use crate::error::{Error, Result};
use crate::format::Promised;
use crate::model::{Storage, VariableLayout};

/// Contiguous bytes are cut at multiples of this number, so that no number of any size is split.
const UNIT: u64 = 8;

impl Prepared {
    /// The `n`th of `of` parts of about equal size. Its plans promise only the data of this part, its progress
    /// counts only that data, and its sequence numbers start at 0. Shards are never split.
    ///
    /// # Errors
    /// [`Error::Usage`] if there is no such part.
    pub fn into_part(mut self, n: u64, of: u64) -> Result<Self> {
        if n >= of {
            return Err(Error::Usage(format!("part {n} of {of}, counted from 0")));
        }
        for var in &mut self.variables {
            let plan = &mut self.plans[var.out.0];
            plan.promised = take(var, &plan.layout, plan.promised, n, of);
            var.progress = match plan.promised {
                Promised::Nothing => 0,
                Promised::Chunks(chunks) => decoded_bytes(&plan.layout, chunks),
                Promised::Bytes(bytes) => bytes,
            };
        }
        number_pieces(&mut self.variables, &self.plans);
        Ok(self)
    }
}

/// Reduces a variable to its `n`th part. `whole` is the amount of data in all parts. Returns the amount in this
/// one.
fn take(var: &mut Variable, to: &VariableLayout, whole: Promised, n: u64, of: u64) -> Promised {
    match &mut var.route {
        Route::Ranges(bytes) => {
            let cut = |k: u64| match k {
                k if k == of => bytes.end,
                k => (share(bytes.end, k, of)) / UNIT * UNIT,
            };
            *bytes = cut(n)..cut(n + 1);
            Promised::Bytes(bytes.end - bytes.start)
        }
        Route::Records(band) => {
            // Records of several variables are read together, so the first part takes them all.
            if n > 0 {
                *band = None;
                var.to_write = var.to_write.part(0..0);
                return Promised::Nothing;
            }
            whole
        }
        Route::Raw(same) | Route::Refilter(same) => {
            let order = same.order();
            let end = |position| match same.shard {
                Some(_) => order.shard_end(position),
                None => position + 1,
            };
            var.to_write = var.to_write.part(cuts(&var.to_write, n, of, end));
            Promised::Chunks(var.to_write.len())
        }
        Route::Blocks(tiling) | Route::Values(tiling) => {
            let order = tiling.order(1);
            let end = |position| match tiling.shard {
                Some(_) => order.shard_end(position),
                None => position + 1,
            };
            var.to_write = var.to_write.part(cuts(&var.to_write, n, of, end));
            if matches!(to.storage, Storage::Chunked { .. }) {
                return Promised::Chunks(var.to_write.len());
            }
            Promised::Bytes(slab_bytes(&var.to_write, &tiling.grid, to, |position| {
                tiling.grid.index(&order.block_at(position).span.start)
            }))
        }
    }
}

/// `k` of `of` equal parts of `all`, rounded down.
fn share(all: u64, k: u64, of: u64) -> u64 {
    (u128::from(all) * u128::from(k) / u128::from(of.max(1))) as u64
}

/// The positions of the `n`th part. `end` gives the end of the unit (a chunk or a shard) that holds a position; a
/// part ends only there.
fn cuts(positions: &ChunksToWrite, n: u64, of: u64, end: impl Fn(u64) -> u64) -> Range<u64> {
    let cut = |k: u64| match share(positions.len(), k, of).checked_sub(1) {
        None => 0,
        Some(last) => positions
            .position(last)
            .map_or(positions.len(), |position| positions.before(end(position))),
    };
    cut(n)..cut(n + 1)
}

fn slab_bytes(
    positions: &ChunksToWrite,
    grid: &ChunkGrid,
    to: &VariableLayout,
    number: impl Fn(u64) -> u64,
) -> u64 {
    (0..positions.len())
        .filter_map(|n| positions.position(n))
        .filter_map(|position| grid.region(number(position)).element_count())
        .fold(0, |sum: u64, n| {
            sum.saturating_add(n.saturating_mul(to.element_size as u64))
        })
}
