//! The version 1 B-tree of a dataset's chunks (specification section III.A.1, node type 1), built in one step from all
//! its chunks.
//!
//! ```text
//! root │ … │ level 1 │ leaves
//! ```
//!
//! Every node but the last of its level is full, as after appending with libhdf5.

use super::bytes::{PutBytes, UNDEFINED};
use super::pages::Pages;

/// Children of a full node: twice the default rank 32, which applies without other values in the superblock.
const CHILDREN: u64 = 64;

/// A stored chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chunk {
    /// Its number in C order over the grid.
    pub(super) index: u64,
    /// Its address.
    pub(super) address: u64,
    /// Stored size, in bytes.
    pub(super) size: u32,
    /// Bit i set: filter i was skipped.
    pub(super) filter_mask: u32,
}

/// The grid of chunks that covers a dataset's extent.
#[derive(Debug, Clone)]
pub(super) struct ChunkGrid {
    /// The shape of a chunk, in elements.
    shape: Vec<u64>,
    /// Number of chunks along each dimension.
    counts: Vec<u64>,
    element_size: u32,
}

impl ChunkGrid {
    /// The grid of an extent of `dims`. `shape` has the same rank and no zeros.
    pub(super) fn new(dims: &[u64], shape: &[u64], element_size: u32) -> Self {
        Self {
            shape: shape.to_vec(),
            counts: dims.iter().zip(shape).map(|(d, s)| d.div_ceil(*s)).collect(),
            element_size,
        }
    }

    /// Number of chunks in the grid.
    pub(super) fn len(&self) -> u64 {
        self.counts.iter().fold(1, |n, c| n.saturating_mul(*c))
    }

    /// Size of a node in bytes: 24 of header, then alternating keys and children.
    pub(super) fn node_size(&self) -> u64 {
        24 + CHILDREN * 8 + (CHILDREN + 1) * self.key_size()
    }

    /// Size of a key in bytes: chunk size, filter mask, and an offset for each dimension and the element.
    fn key_size(&self) -> u64 {
        8 + 8 * (self.shape.len() as u64 + 1)
    }

    fn put_key(&self, chunk: &Chunk, out: &mut Vec<u8>) {
        out.put_u32(chunk.size);
        out.put_u32(chunk.filter_mask);
        let start = out.len();
        let mut rest = chunk.index;
        let mut offsets: Vec<u64> = Vec::with_capacity(self.shape.len());
        for (shape, count) in self.shape.iter().zip(&self.counts).rev() {
            offsets.push(rest % count * shape);
            rest /= count;
        }
        for offset in offsets.iter().rev() {
            out.put_u64(*offset);
        }
        out.put_u64(0);
        debug_assert_eq!((out.len() - start) as u64 + 8, self.key_size());
    }

    /// Appends the key after the last chunk: one chunk further along every dimension, as in the library.
    fn put_end_key(&self, last: &Chunk, out: &mut Vec<u8>) {
        out.put_u64(0);
        let mut key = Vec::new();
        self.put_key(last, &mut key);
        for (offset, shape) in key.get(8..).unwrap_or_default().chunks_exact(8).zip(&self.shape) {
            let offset = offset.try_into().map_or(0, u64::from_le_bytes);
            out.put_u64(offset.saturating_add(*shape));
        }
        out.put_u64(self.element_size.into());
    }
}

/// Number of nodes on each level of a tree of `chunks` chunks, from the leaves up.
fn level_sizes(chunks: u64) -> Vec<u64> {
    let mut levels = Vec::new();
    let mut count = chunks;
    while count > 0 && levels.last() != Some(&1) {
        count = count.div_ceil(CHILDREN);
        levels.push(count);
    }
    levels
}

/// Number of nodes in a tree of `chunks` chunks.
pub(super) fn node_count(chunks: u64) -> u64 {
    level_sizes(chunks).iter().sum()
}

/// Writes the tree of `chunks`, at least one and in order, to the nodes from address `base` on, the root first. `emit`
/// gets the nodes and the padding between them, in ascending order.
pub(super) fn write_tree<E>(
    grid: &ChunkGrid,
    chunks: &[Chunk],
    base: u64,
    pages: Pages,
    mut emit: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let levels = level_sizes(chunks.len() as u64);
    let node_size = grid.node_size();
    // Address of a node by its number from the root on.
    let address = |n: u64| base + pages.nth(n, node_size);
    let (mut level_start, mut end) = (0, base);
    for (level, nodes) in levels.iter().enumerate().rev() {
        let below_start = level_start + nodes;
        // Number of chunks below a child of this level.
        let span = CHILDREN.pow(level as u32);
        for node in 0..*nodes {
            let at = address(level_start + node);
            emit(&vec![0; (at - end) as usize])?;
            end = at + node_size;
            let mut out = Vec::with_capacity(node_size as usize);
            let first = node * CHILDREN;
            let below = (chunks.len() as u64).div_ceil(span);
            let children = (below - first).min(CHILDREN);
            out.put(b"TREE");
            out.put_u8(1); // raw data chunks
            out.put_u8(level as u8);
            out.put_u16(children as u16);
            let sibling = |at: Option<u64>| at.map_or(UNDEFINED, |n| address(level_start + n));
            out.put_u64(sibling(node.checked_sub(1)));
            out.put_u64(sibling((node + 1 < *nodes).then_some(node + 1)));
            let chunk_at = |child: u64| chunks.get((child * span) as usize);
            for child in first..first + children {
                if let Some(chunk) = chunk_at(child) {
                    grid.put_key(chunk, &mut out);
                    out.put_u64(if level == 0 {
                        chunk.address
                    } else {
                        address(below_start + child)
                    });
                }
            }
            match (chunk_at(first + children), chunks.last()) {
                (Some(next), _) => grid.put_key(next, &mut out),
                (None, Some(last)) => grid.put_end_key(last, &mut out),
                (None, None) => {}
            }
            out.resize(node_size as usize, 0);
            emit(&out)?;
        }
        level_start = below_start;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uint(bytes: &[u8], at: usize, n: usize) -> u64 {
        bytes[at..at + n]
            .iter()
            .rev()
            .fold(0, |v, b| v << 8 | u64::from(*b))
    }

    /// Walks down from a node, checks its keys against its children's, and gives the chunks' addresses and offsets.
    fn walk(
        bytes: &[u8],
        node: u64,
        key_size: usize,
        out: &mut Vec<(u64, Vec<u64>)>,
    ) -> (Vec<u64>, Vec<u64>) {
        let at = (node - 512) as usize;
        assert_eq!(&bytes[at..at + 5], b"TREE\x01");
        let (level, children) = (bytes[at + 5], uint(bytes, at + 6, 2) as usize);
        let key = |i: usize| -> Vec<u64> {
            let at = at + 24 + i * (key_size + 8);
            (8..key_size).step_by(8).map(|o| uint(bytes, at + o, 8)).collect()
        };
        for i in 0..children {
            let child = uint(bytes, at + 24 + i * (key_size + 8) + key_size, 8);
            assert!(key(i) < key(i + 1));
            if level == 0 {
                out.push((child, key(i)));
            } else {
                assert_eq!(walk(bytes, child, key_size, out), (key(i), key(i + 1)));
            }
        }
        (key(0), key(children))
    }

    #[test]
    fn every_chunk_is_found_under_its_key() {
        for count in [1, 63, 64, 65, 4_096, 4_097, 5_000] {
            let grid = ChunkGrid::new(&[count * 2, 9], &[2, 5], 4);
            assert_eq!(grid.len(), count * 2);
            let chunks: Vec<Chunk> = (0..count)
                .map(|i| Chunk {
                    index: i * 2 + i % 2,
                    address: 1_000_000 + i,
                    size: 40,
                    filter_mask: 0,
                })
                .collect();
            let mut bytes = Vec::new();
            let emitted: Result<(), ()> = write_tree(&grid, &chunks, 512, Pages::default(), |node| {
                bytes.extend_from_slice(node);
                Ok(())
            });
            emitted.unwrap();
            assert_eq!(bytes.len() as u64, node_count(count) * grid.node_size());
            let mut found = Vec::new();
            walk(&bytes, 512, grid.key_size() as usize, &mut found);
            let wanted: Vec<(u64, Vec<u64>)> = (0..count)
                .map(|i| (1_000_000 + i, vec![i * 2, i % 2 * 5, 0]))
                .collect();
            assert_eq!(found, wanted);
        }
    }

    #[test]
    fn no_chunks_need_no_nodes() {
        assert_eq!(node_count(0), 0);
        assert_eq!(node_count(64), 1);
        assert_eq!(node_count(65), 3);
    }
}
