//! Version 2 B-trees (specification section III.A.2), built in one step from all their records.
//!
//! Nodes are filled evenly. All but the root are at least half full, so that other programs can insert and remove
//! records.

use std::ops::Range;

use super::bytes::{PutBytes, UNDEFINED, bytes_for};
use super::pages::Pages;

const NODE_SIZE: usize = 512;
/// Fill of a node, in percent, at which the library splits (100) or merges (40) it.
const SPLIT: u8 = 100;
const MERGE: u8 = 40;
/// Size of a node's signature, version, type and checksum, in bytes.
const NODE_OVERHEAD: usize = 4 + 1 + 1 + 4;

/// Size of a tree's header, in bytes.
pub(super) const HEADER_SIZE: u64 = 38;

/// Types of the trees written here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TreeKind {
    /// Huge objects of a fractal heap, unfiltered, indirectly accessed.
    HugeObjects,
    /// Names of links.
    LinkNames,
    /// Creation order of links.
    LinkOrder,
    /// Names of attributes.
    AttributeNames,
    /// Creation order of attributes.
    AttributeOrder,
}

impl TreeKind {
    fn number(self) -> u8 {
        match self {
            Self::HugeObjects => 1,
            Self::LinkNames => 5,
            Self::LinkOrder => 6,
            Self::AttributeNames => 8,
            Self::AttributeOrder => 9,
        }
    }

    /// Size of a record, in bytes.
    fn record_size(self) -> usize {
        match self {
            Self::HugeObjects => 24,
            Self::LinkNames => 11,
            Self::LinkOrder => 15,
            Self::AttributeNames => 17,
            Self::AttributeOrder => 13,
        }
    }
}

/// Capacity of the nodes at one depth.
struct Level {
    /// Maximum number of records in a node.
    node: u64,
    /// Maximum number of records in a node and all nodes below it.
    subtree: u64,
}

/// The shape of a tree with a given number of records.
pub(super) struct BtreeV2Shape {
    kind: TreeKind,
    records: u64,
    pages: Pages,
    /// From the leaves to the root's depth.
    levels: Vec<Level>,
}

impl BtreeV2Shape {
    /// The shape for `records` records, whose nodes lie in `pages`.
    pub(super) fn new(kind: TreeKind, records: u64, pages: Pages) -> Self {
        let record_size = kind.record_size();
        let leaf = ((NODE_SIZE - NODE_OVERHEAD) / record_size) as u64;
        let mut tree = Self {
            kind,
            records,
            pages,
            levels: vec![Level {
                node: leaf,
                subtree: leaf,
            }],
        };
        while tree.levels.last().is_some_and(|top| top.subtree < records) {
            let pointer = tree.pointer_size(tree.levels.len());
            let node = ((NODE_SIZE - NODE_OVERHEAD - pointer) / (record_size + pointer)) as u64;
            let below = tree.levels.last().map_or(0, |top| top.subtree);
            let subtree = (node + 1).saturating_mul(below).saturating_add(node);
            tree.levels.push(Level { node, subtree });
        }
        tree
    }

    fn depth(&self) -> usize {
        self.levels.len() - 1
    }

    fn level(&self, depth: usize) -> (u64, u64) {
        self.levels.get(depth).map_or((1, 1), |l| (l.node, l.subtree))
    }

    /// Width, in bytes, of the number of records in a node.
    fn node_count_size(&self) -> usize {
        bytes_for(self.level(0).0)
    }

    /// Width, in bytes, of the number of records in a node at `depth` and all below it. It is 0 for a leaf, whose own
    /// count suffices.
    fn subtree_count_size(&self, depth: usize) -> usize {
        if depth == 0 {
            0
        } else {
            bytes_for(self.level(depth).1)
        }
    }

    /// Size, in bytes, of a child pointer in a node at `depth`.
    fn pointer_size(&self, depth: usize) -> usize {
        8 + self.node_count_size() + self.subtree_count_size(depth - 1)
    }

    /// Divides the records of a node at `depth` among its children. The records between two ranges are the node's own.
    fn children(&self, depth: usize, records: &Range<u64>) -> Vec<Range<u64>> {
        let total = records.end - records.start;
        let (_, below) = self.level(depth - 1);
        // n children hold n * below records, and n - 1 records are between them.
        let count = (total + 1).div_ceil(below + 1).max(2);
        let held = total - (count - 1);
        let (share, extra) = (held / count, held % count);
        let mut start = records.start;
        (0..count)
            .map(|child| {
                let end = start + share + u64::from(child < extra);
                let range = start..end;
                start = end + 1;
                range
            })
            .collect()
    }

    fn count_nodes(&self, depth: usize, records: Range<u64>) -> u64 {
        match depth {
            0 => 1,
            _ => {
                let children = self.children(depth, &records).into_iter();
                1 + children
                    .map(|child| self.count_nodes(depth - 1, child))
                    .sum::<u64>()
            }
        }
    }

    /// Size of all nodes, in bytes.
    pub(super) fn nodes_size(&self) -> u64 {
        match self.records {
            0 => 0,
            records => self
                .pages
                .run(self.count_nodes(self.depth(), 0..records), NODE_SIZE as u64),
        }
    }

    /// The header of the tree with nodes from address `nodes` on.
    pub(super) fn header(&self, nodes: u64) -> Vec<u8> {
        let in_root = match self.depth() {
            _ if self.records == 0 => 0,
            0 => self.records,
            depth => self.children(depth, &(0..self.records)).len() as u64 - 1,
        };
        let mut out = Vec::with_capacity(HEADER_SIZE as usize);
        out.put(b"BTHD");
        out.put_u8(0); // version
        out.put_u8(self.kind.number());
        out.put_u32(NODE_SIZE as u32);
        out.put_u16(self.kind.record_size() as u16);
        out.put_u16(self.depth() as u16);
        out.put_u8(SPLIT);
        out.put_u8(MERGE);
        out.put_u64(if self.records == 0 { UNDEFINED } else { nodes });
        out.put_u16(in_root as u16);
        out.put_u64(self.records);
        out.put_checksum(0);
        out
    }

    /// All nodes for address `nodes`, the root first. `records` are the records in key order.
    pub(super) fn nodes(&self, nodes: u64, records: &[u8]) -> Vec<u8> {
        debug_assert_eq!(
            records.len() as u64,
            self.records * self.kind.record_size() as u64
        );
        let mut out = Vec::with_capacity(self.nodes_size() as usize);
        if self.records > 0 {
            let mut made = 0;
            self.node(self.depth(), 0..self.records, nodes, records, &mut made, &mut out);
        }
        out
    }

    /// Appends a node and all nodes below it, of which `made` are there. Returns its address and its own number of records.
    fn node(
        &self,
        depth: usize,
        range: Range<u64>,
        base: u64,
        records: &[u8],
        made: &mut u64,
        out: &mut Vec<u8>,
    ) -> (u64, u64) {
        let size = self.kind.record_size();
        let bytes = |range: Range<u64>| {
            let (start, end) = (range.start as usize * size, range.end as usize * size);
            records.get(start..end).unwrap_or_default()
        };
        let start = self.pages.nth(*made, NODE_SIZE as u64) as usize;
        *made += 1;
        out.resize(start + NODE_SIZE, 0);
        let mut node = Vec::with_capacity(NODE_SIZE);
        node.put(if depth == 0 { b"BTLF" } else { b"BTIN" });
        node.put_u8(0); // version
        node.put_u8(self.kind.number());
        let own = if depth == 0 {
            let own = range.end - range.start;
            node.put(bytes(range));
            own
        } else {
            let children = self.children(depth, &range);
            let mut pointers = Vec::new();
            for (i, child) in children.iter().enumerate() {
                if i > 0 {
                    node.put(bytes(child.start - 1..child.start));
                }
                let (address, count) = self.node(depth - 1, child.clone(), base, records, made, out);
                pointers.put_u64(address);
                pointers.put_uint(count, self.node_count_size());
                pointers.put_uint(child.end - child.start, self.subtree_count_size(depth - 1));
            }
            node.put(&pointers);
            children.len() as u64 - 1
        };
        node.put_checksum(0);
        if let Some(place) = out.get_mut(start..start + node.len()) {
            place.copy_from_slice(&node);
        }
        (base + start as u64, own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checksum::lookup3;

    /// Walks a tree's bytes as a reader does and gives its records in order.
    fn walk(tree: &BtreeV2Shape, bytes: &[u8], at: usize, depth: usize, own: u64, out: &mut Vec<u64>) {
        let uint = |at: usize, n: usize| {
            bytes[at..at + n]
                .iter()
                .rev()
                .fold(0, |v, b| v << 8 | u64::from(*b))
        };
        let size = tree.kind.record_size();
        let record = |i: usize| uint(at + 6 + i * size, 8);
        assert_eq!(&bytes[at..at + 4], if depth == 0 { b"BTLF" } else { b"BTIN" });
        let mut end = at + 6 + own as usize * size;
        if depth == 0 {
            out.extend((0..own as usize).map(record));
        } else {
            for child in 0..=own as usize {
                if child > 0 {
                    out.push(record(child - 1));
                }
                let (address, count) = (uint(end, 8), uint(end + 8, tree.node_count_size()));
                let widths = tree.subtree_count_size(depth - 1);
                let total = uint(end + 8 + tree.node_count_size(), widths);
                end += tree.pointer_size(depth);
                let before = out.len();
                walk(tree, bytes, address as usize - 4096, depth - 1, count, out);
                if depth > 1 {
                    assert_eq!((out.len() - before) as u64, total);
                }
                assert!(
                    count * 100 >= u64::from(MERGE) * tree.level(depth - 1).0,
                    "{count} at {depth}"
                );
            }
        }
        assert!(end + 4 <= at + NODE_SIZE);
        assert_eq!(lookup3(&bytes[at..end]), uint(end, 4) as u32);
    }

    #[test]
    fn every_size_holds_its_records_in_order() {
        for count in (1..200).chain([841, 842, 843, 5_000, 100_000, 1_000_003]) {
            let tree = BtreeV2Shape::new(TreeKind::LinkOrder, count, Pages::default());
            let records: Vec<u8> = (0..count)
                .flat_map(|i| [&i.to_le_bytes()[..], &[0; 7]].concat())
                .collect();
            let bytes = tree.nodes(4096, &records);
            assert_eq!(bytes.len() as u64, tree.nodes_size());
            let header = tree.header(4096);
            let in_root = u16::from_le_bytes([header[24], header[25]]).into();
            let mut out = Vec::new();
            walk(&tree, &bytes, 0, tree.depth(), in_root, &mut out);
            assert!(out.into_iter().eq(0..count), "{count}");
        }
    }

    #[test]
    fn an_empty_tree_has_no_root() {
        let tree = BtreeV2Shape::new(TreeKind::HugeObjects, 0, Pages::default());
        assert_eq!(tree.nodes_size(), 0);
        assert_eq!(tree.header(64)[16..24], [0xff; 8]);
        assert_eq!(tree.header(64).len() as u64, HEADER_SIZE);
    }

    /// What h5debug tells of trees of libhdf5: 33 records in a leaf of link orders, 29 in one of attribute names.
    #[test]
    fn leaves_hold_what_those_of_libhdf5_hold() {
        assert_eq!(
            BtreeV2Shape::new(TreeKind::LinkOrder, 1, Pages::default())
                .level(0)
                .0,
            33
        );
        assert_eq!(
            BtreeV2Shape::new(TreeKind::AttributeNames, 1, Pages::default())
                .level(0)
                .0,
            29
        );
    }
}
