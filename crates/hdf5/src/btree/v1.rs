//! Version 1 B-trees (specification section III.A.1).
//!
//! Internal and leaf nodes have the same form: `key 0, child 0, key 1, child 1, … key N`. The children at level 0 are
//! the indexed structures: symbol table nodes of a group, or chunks of a dataset.

use std::sync::Arc;

use crate::error::Result;
use crate::metadata::MetadataReader;
use crate::metadata::Walk;

const WHAT: &str = "version 1 B-tree node";

/// Node type 0: symbol table nodes of a group.
const GROUP: u8 = 0;
/// Node type 1: chunks of raw data.
const CHUNK: u8 = 1;

/// Size, in bytes, of a node for chunks of four dimensions, with libhdf5's default parameters.
const NODE: u64 = 3600;

/// Maximum rank of a dataspace.
const MAX_RANK: usize = 32;

/// The key before a chunk's address.
#[derive(Debug)]
pub(crate) struct ChunkKey<'a> {
    /// Stored size of the chunk, in bytes.
    pub(crate) size: u32,
    /// Bit i set: filter i of the pipeline was not applied.
    pub(crate) filter_mask: u32,
    /// First element of the chunk in the dataset, one coordinate for each dimension, slowest first.
    pub(crate) offsets: &'a [u64],
    /// Address of the key.
    pub(crate) at: u64,
}

/// A child of a node at level 0.
struct Leaf<'a> {
    /// Address of the node.
    node: u64,
    /// Address of the child's left key.
    at: u64,
    /// The left key.
    key: &'a [u8],
    /// Address of the child.
    child: u64,
}

/// Addresses of a group's symbol table nodes, in the order of their names.
pub(crate) fn group_nodes(reader: &MetadataReader, address: u64) -> Result<Vec<u64>> {
    let key_size = usize::from(reader.length_size());
    let mut nodes = Vec::new();
    walk(reader, address, GROUP, key_size, |leaf| {
        nodes.push(leaf.child);
        Ok(())
    })?;
    Ok(nodes)
}

/// Calls `visit` with the key and address of each chunk of a dataset of `rank` dimensions, in key order.
pub(crate) fn chunks(
    reader: &MetadataReader,
    address: u64,
    rank: usize,
    mut visit: impl FnMut(ChunkKey<'_>, u64) -> Result<()>,
) -> Result<()> {
    let key_size = chunk_key_size(reader, address, rank)?;
    let mut offsets = [0; MAX_RANK + 1];
    walk(reader, address, CHUNK, key_size, |leaf| {
        let mut key = reader.cursor(WHAT, leaf.node, leaf.key);
        let size = key.u32()?;
        let filter_mask = key.u32()?;
        for offset in offsets.iter_mut().take(rank) {
            *offset = key.u64()?;
        }
        let offsets = offsets.get(..rank).unwrap_or_default();
        visit(
            ChunkKey {
                size,
                filter_mask,
                offsets,
                at: leaf.at,
            },
            leaf.child,
        )
    })
}

/// The nodes at level 0 of a tree of chunks, and whether all nodes above them can be read.
pub(crate) fn chunk_leaves(reader: &MetadataReader, root: u64, rank: usize) -> Result<(Vec<u64>, bool)> {
    let faults = Arc::default();
    let reader = reader.tolerating(Arc::clone(&faults));
    let mut leaves = Vec::new();
    let key_size = chunk_key_size(&reader, root, rank)?;
    walk(&reader, root, CHUNK, key_size, |leaf| {
        if leaves.last() != Some(&leaf.node) {
            leaves.push(leaf.node);
        }
        Ok(())
    })?;
    let is_whole = faults.lock().is_ok_and(|faults| faults.is_empty());
    Ok((leaves, is_whole))
}

/// The left and the right sibling of a node of chunks at level 0.
pub(crate) fn leaf_siblings(reader: &MetadataReader, address: u64) -> Result<(Option<u64>, Option<u64>)> {
    let head = reader.read(WHAT, address, 8 + 2 * usize::from(reader.offset_size()))?;
    let mut head = reader.cursor(WHAT, address, &head);
    head.signature(b"TREE")?;
    if (head.u8()?, head.u8()?) != (CHUNK, 0) {
        return Err(head.damaged("no leaf of chunks"));
    }
    head.skip(2)?;
    Ok((head.offset()?, head.offset()?))
}

/// A node of chunks at level 0.
pub(crate) struct ChunkLeaf {
    /// The stored size of each chunk, in bytes, and its first element: also the byte of it, as a last coordinate.
    pub(crate) chunks: Vec<(u32, Vec<u64>)>,
}

/// Reads a node of chunks at level 0, of a dataset of `rank` dimensions.
pub(crate) fn chunk_leaf(reader: &MetadataReader, address: u64, rank: usize) -> Result<ChunkLeaf> {
    let key_size = chunk_key_size(reader, address, rank)?;
    let mut guard = Walk::new(reader);
    let node = Node::read(reader, &mut guard, address, (CHUNK, Some(0)), key_size)?;
    let mut entries = reader.cursor(WHAT, address, &node.entries);
    let mut chunks = Vec::new();
    for _ in 0..node.count {
        let size = entries.u32()?;
        entries.skip(4)?;
        let offsets: Result<Vec<u64>> = (0..=rank).map(|_| entries.u64()).collect();
        entries.defined_offset()?;
        chunks.push((size, offsets?));
    }
    Ok(ChunkLeaf { chunks })
}

/// Size of a key, in bytes: a size, a mask, and an offset for each dimension. The bytes of the element count as a last dimension.
fn chunk_key_size(reader: &MetadataReader, address: u64, rank: usize) -> Result<usize> {
    match rank > MAX_RANK {
        true => Err(reader.damaged(WHAT, address, format!("{rank} dimensions"))),
        false => Ok(8 + 8 * (rank + 1)),
    }
}

/// Calls `visit` with each child of the nodes at level 0.
///
/// The tree is read level by level, so that all addresses of a level are known before it is read. Within a level, nodes
/// are in key order.
fn walk(
    reader: &MetadataReader,
    root: u64,
    node_type: u8,
    key_size: usize,
    mut visit: impl FnMut(Leaf<'_>) -> Result<()>,
) -> Result<()> {
    let mut guard = Walk::new(reader);
    let mut nodes = vec![root];
    // The level of the nodes, as their parents imply.
    let mut expected_level = None;
    while !nodes.is_empty() {
        let mut below = Vec::new();
        let mut level_below = None;
        // Nodes before this one were announced.
        let mut expected = 0usize;
        for (n, &address) in nodes.iter().enumerate() {
            if n == expected {
                let rest = nodes.iter().skip(n).map(|node| (*node, NODE));
                expected = expected.saturating_add(reader.expect(rest));
            }
            let kind = (node_type, expected_level);
            let node = match Node::read(reader, &mut guard, address, kind, key_size) {
                Ok(node) => node,
                Err(error) => {
                    reader.tolerate(error)?;
                    continue;
                }
            };
            let mut entries = reader.cursor(WHAT, address, &node.entries);
            level_below = node.level.checked_sub(1);
            for _ in 0..node.count {
                let at = node.first_key.saturating_add(entries.position() as u64);
                let key = entries.bytes(key_size)?;
                let child = match entries.defined_offset() {
                    Ok(child) => child,
                    Err(error) => {
                        reader.tolerate(error)?;
                        continue;
                    }
                };
                match level_below {
                    None => visit(Leaf {
                        node: address,
                        at,
                        key,
                        child,
                    })?,
                    Some(_) => below.push(child),
                }
            }
        }
        nodes = below;
        expected_level = level_below;
    }
    Ok(())
}

/// A node, as stored.
struct Node {
    level: u8,
    count: usize,
    /// Address of the first key.
    first_key: u64,
    /// Keys and addresses of its children.
    entries: Vec<u8>,
}

impl Node {
    fn read(
        reader: &MetadataReader,
        guard: &mut Walk,
        address: u64,
        (node_type, expected_level): (u8, Option<u8>),
        key_size: usize,
    ) -> Result<Self> {
        let offset_size = usize::from(reader.offset_size());
        let head_size = 8 + 2 * offset_size;
        let head = reader.read(WHAT, address, head_size)?;
        let mut head = reader.cursor(WHAT, address, &head);
        head.signature(b"TREE")?;
        let found_type = head.u8()?;
        if found_type != node_type {
            return Err(reader.damaged(
                WHAT,
                address,
                format!("node type {found_type} where {node_type} belongs"),
            ));
        }
        let level = head.u8()?;
        if expected_level.is_some_and(|expected| expected != level) {
            return Err(reader.damaged(
                WHAT,
                address,
                format!("it is at level {level}, which is not below its parent"),
            ));
        }
        let count = usize::from(head.u16()?);
        let size = count * (key_size + offset_size) + key_size;
        guard.enter(WHAT, address, (head_size + size) as u64)?;
        if let Some(space) = &reader.space {
            let half = if node_type == CHUNK {
                space.nodes.chunks
            } else {
                space.nodes.group
            };
            let children = 2 * usize::from(half);
            space.take(
                address,
                (head_size + children * (key_size + offset_size) + key_size) as u64,
            );
        }
        let Some(entries) = address.checked_add(head_size as u64) else {
            return Err(reader.damaged(WHAT, address, "it reaches past the end of the address space"));
        };
        Ok(Self {
            level,
            count,
            first_key: entries,
            entries: reader.read(WHAT, entries, size)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::error::Error;

    /// A file of nodes with the given level and children, each node in 200 bytes.
    fn group_tree(nodes: &[(u8, &[u64])]) -> MetadataReader {
        let mut file = Vec::new();
        for (level, children) in nodes {
            let mut node = b"TREE\0".to_vec();
            node.push(*level);
            node.extend((children.len() as u16).to_le_bytes());
            node.extend([0xff; 16]);
            for child in *children {
                node.extend([0; 8]);
                node.extend(child.to_le_bytes());
            }
            node.resize(200, 0);
            file.extend(node);
        }
        MetadataReader::new(Arc::new(file), 0, 8, 8).unwrap()
    }

    fn refusal(reader: &MetadataReader) -> String {
        match group_nodes(reader, 0) {
            Err(Error::Damaged { why, .. }) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn leaves_come_in_key_order() {
        let reader = group_tree(&[
            (2, &[200, 400]),
            (1, &[600, 800]),
            (1, &[1000]),
            (0, &[1, 2]),
            (0, &[3]),
            (0, &[4]),
        ]);
        assert_eq!(group_nodes(&reader, 0).unwrap(), [1, 2, 3, 4]);
    }

    #[test]
    fn levels_must_descend_one_by_one() {
        assert!(refusal(&group_tree(&[(1, &[0])])).contains("level 1"));
        assert!(refusal(&group_tree(&[(2, &[200]), (0, &[1])])).contains("level 0"));
    }

    /// Nodes that share children would make a walk exponential in the depth.
    #[test]
    fn nodes_have_one_parent() {
        assert!(refusal(&group_tree(&[(1, &[200, 200]), (0, &[1])])).contains("more than once"));
    }

    #[test]
    fn refuses_a_tree_of_another_type() {
        let reader = group_tree(&[(0, &[1])]);
        assert!(chunks(&reader, 0, 1, |_, _| Ok(())).is_err());
        assert!(chunks(&reader, 0, 33, |_, _| Ok(())).is_err());
    }
}
