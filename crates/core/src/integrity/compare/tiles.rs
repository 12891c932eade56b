//! The tiles of two variables: boxes that are compared one by one.

use super::stored_boxes::Stored;
use crate::chunk::{ChunkGrid, byte_count};
use crate::format::WrittenChunks;
use crate::integrity::side::Side;
use crate::model::Storage;

/// About how many bytes of a variable without chunks are compared at once.
const SLAB: u64 = 1 << 20;

/// The same where a store is slow: the chunks of a tile are one round of requests.
const SLOW_TILE: u64 = 16 << 20;

/// Most bytes of a tile that joins chunks of both sides.
const MOST_TILE: u64 = 1 << 29;

/// Most tiles that are kept as a list.
const MOST_LISTED: usize = 1 << 22;

/// The shape of boxes that share no chunk, if both sides allow one that is small enough; else the larger chunks.
/// A variable without chunks on both sides is divided into rows. `size` is the bytes of an element.
pub(crate) fn tile(a: Side<'_>, b: Side<'_>, shape: &[u64], size: usize, budget: u64) -> Vec<u64> {
    let chunk = |(reader, var): Side<'_>| match &reader.layout(var).storage {
        Storage::Chunked { shape } => Some(shape.clone()),
        _ => None,
    };
    let bytes = |shape: &[u64]| byte_count(shape, size).map_or(u64::MAX, |n| n as u64);
    let clip = |chunk: Vec<u64>| -> Vec<u64> {
        chunk
            .iter()
            .zip(shape)
            .map(|(n, all)| *n.min(all).max(&1))
            .collect()
    };
    let one = match (chunk(a), chunk(b)) {
        (None, None) => vec![1; shape.len()],
        (Some(x), None) | (None, Some(x)) => clip(x),
        (Some(x), Some(y)) => {
            let join = |((x, y), all): ((&u64, &u64), &u64)| match () {
                () if x % y == 0 => *x,
                () if y % x == 0 => *y,
                () => *all,
            };
            let joined = clip(x.iter().zip(&y).zip(shape).map(join).collect());
            match bytes(&joined).saturating_mul(3) <= budget.min(3 * MOST_TILE) {
                true => joined,
                false => clip(if bytes(&x) >= bytes(&y) { x } else { y }),
            }
        }
    };
    let is_slow = [a, b].iter().any(|(reader, _)| reader.requests().ahead);
    let least = match is_slow {
        true => SLOW_TILE.min(budget / 16).max(SLAB / 2),
        false => SLAB / 2,
    };
    // Small chunks are compared several at once, as whole rows of chunks.
    let mut grown = one;
    for at in (0..grown.len()).rev() {
        while bytes(&grown) < least && grown[at] < shape[at] {
            grown[at] = grown[at].saturating_mul(2).min(shape[at]);
        }
    }
    grown
}

/// The tiles of a grid that meet any of these parts. All, if they are too many for a list.
pub(crate) fn tiles_of(grid: &ChunkGrid, parts: &[&Stored]) -> WrittenChunks {
    let mut tiles: Vec<u64> = Vec::new();
    for stored in parts {
        let Some(boxes) = stored.boxes() else {
            return WrittenChunks::All(grid.len());
        };
        for part in boxes {
            for tile in grid.chunks_in(&part) {
                if tiles.last() == Some(&tile) {
                    continue;
                }
                if tiles.len() == MOST_LISTED {
                    tiles.sort_unstable();
                    tiles.dedup();
                    if tiles.len() > MOST_LISTED / 2 {
                        return WrittenChunks::All(grid.len());
                    }
                }
                tiles.push(tile);
            }
        }
    }
    tiles.sort_unstable();
    tiles.dedup();
    WrittenChunks::Listed(tiles)
}
