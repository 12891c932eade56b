//! Version 2 B-trees (specification section III.A.2).
//!
//! A header (`BTHD`) points to the root, which is an internal node (`BTIN`) or a leaf (`BTLF`). Both hold records. An
//! internal node has one child pointer more than records, and record i is between children i and i + 1. The width of
//! the counts in child pointers depends on the number of records that a node of each depth can hold.

use crate::error::Result;
use crate::metadata::MetadataReader;
use crate::metadata::Walk;

const HEADER: &str = "version 2 B-tree header";
const NODE: &str = "version 2 B-tree node";

/// Size of a node's signature, version, type and checksum, in bytes.
const NODE_OVERHEAD: u64 = 10;

/// Size of what comes before the records of a node, in bytes: signature, version and type.
const NODE_PREFIX: u64 = 6;

/// Maximum depth: a deeper tree has more than 2^64 records, even with one in each node.
const MAX_DEPTH: u16 = 63;

/// Most levels above the leaves of a tree whose header is lost: enough for 10^9 records in nodes of 512 bytes.
const DEPTH_OF_LOST: u16 = 6;

/// The header of a tree.
#[derive(Debug)]
pub(crate) struct Header {
    /// Type of the records: see [`record`](super::record).
    pub(crate) record_type: u8,
    /// Size of a record in bytes, at least 1.
    pub(crate) record_size: usize,
    /// Number of records in the tree.
    pub(crate) total: u64,
    address: u64,
    node_size: u64,
    depth: u16,
    root: Option<u64>,
    root_records: u16,
}

impl Header {
    /// Reads and checks the header at `address`.
    pub(crate) fn read(reader: &MetadataReader, address: u64) -> Result<Self> {
        let size = 22 + usize::from(reader.offset_size()) + usize::from(reader.length_size());
        let bytes = reader.read_checked(HEADER, address, size)?;
        let mut bytes = reader.cursor(HEADER, address, &bytes);
        bytes.signature(b"BTHD")?;
        bytes.version(0)?;
        reader.takes(address, size as u64);
        let record_type = bytes.u8()?;
        let node_size = u64::from(bytes.u32()?);
        let record_size = usize::from(bytes.u16()?);
        let depth = bytes.u16()?;
        bytes.bytes(2)?; // at what fill nodes are split and merged: for writers
        let root = bytes.offset()?;
        let root_records = bytes.u16()?;
        let total = bytes.length()?;

        if record_size == 0 {
            return Err(reader.damaged(HEADER, address, "records of no size"));
        }
        if depth > MAX_DEPTH {
            return Err(reader.damaged(HEADER, address, format!("a depth of {depth}")));
        }
        if total
            .checked_mul(record_size as u64)
            .is_none_or(|n| n > reader.file_size())
        {
            return Err(reader.damaged(
                HEADER,
                address,
                format!("{total} records are more than the file can hold"),
            ));
        }
        Ok(Self {
            record_type,
            record_size,
            total,
            address,
            node_size,
            depth,
            root,
            root_records,
        })
    }

    /// The header of a tree, of which only this is known of its nodes.
    pub(crate) fn lost(record_type: u8, record_size: usize, node_size: u64) -> Self {
        Self {
            record_type,
            record_size: record_size.max(1),
            total: 0,
            address: 0,
            node_size,
            depth: DEPTH_OF_LOST,
            root: None,
            root_records: 0,
        }
    }

    /// Size of a node, in bytes.
    pub(crate) fn node_size(&self) -> u64 {
        self.node_size
    }

    /// Sizes of a pointer to a child, in bytes, in the internal nodes of each depth, from depth 1 on.
    pub(crate) fn pointer_sizes(&self, reader: &MetadataReader) -> Vec<usize> {
        let widths = self.pointer_widths(reader).unwrap_or_default();
        widths.iter().map(|widths| widths.size(reader)).collect()
    }

    /// Addresses of the nodes that can be read, and whether they are all nodes.
    pub(crate) fn nodes(&self, reader: &MetadataReader) -> Result<(Vec<u64>, bool)> {
        let pointers = self.pointer_widths(reader)?;
        let mut guard = Walk::new(reader);
        let mut nodes = Vec::new();
        let mut is_whole = true;
        let root = self.root.filter(|_| self.total > 0);
        let mut pending: Vec<(u64, u16, u16)> = root
            .map(|root| (root, self.root_records, self.depth))
            .into_iter()
            .collect();
        while let Some((address, records, depth)) = pending.pop() {
            match self.node(reader, &mut guard, &pointers, address, records, depth) {
                Ok(node) => {
                    nodes.push(address);
                    let below = depth.saturating_sub(1);
                    pending.extend(
                        node.children
                            .iter()
                            .map(|child| (child.address, child.records, below)),
                    );
                }
                Err(error) if error.is_failure() => return Err(error),
                Err(_) => is_whole = false,
            }
        }
        Ok((nodes, is_whole))
    }

    /// Calls `visit` with the bytes of each record, in key order. Returns false if there are more, in nodes that cannot be read.
    pub(crate) fn visit(
        &self,
        reader: &MetadataReader,
        mut visit: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<bool> {
        self.visit_at(reader, |_, record| visit(record))
    }

    /// Like [`visit`](Self::visit), with the address of each record.
    pub(crate) fn visit_at(
        &self,
        reader: &MetadataReader,
        mut visit: impl FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<bool> {
        let Some(root) = self.root.filter(|_| self.total > 0) else {
            return Ok(true);
        };
        let pointers = self.pointer_widths(reader)?;
        let mut leaves = Vec::new();
        if reader.is_slow() {
            leaves = self.leaves_ahead(reader, &pointers, root)?;
        }
        // The leaf that is read next, and the first one that was not announced.
        let (mut leaf, mut expected) = (0usize, 0usize);
        let mut guard = Walk::new(reader);
        let mut path = vec![self.node(reader, &mut guard, &pointers, root, self.root_records, self.depth)?];
        let mut found = 0u64;
        let mut is_whole = true;
        // At each step, the deepest node of the path gives its next child, or its next record if that child is done.
        while let Some(node) = path.last_mut() {
            if let Some(child) = node.next_child() {
                let depth = node.depth.saturating_sub(1);
                if depth == 0 {
                    if leaf == expected {
                        let rest = leaves.iter().skip(leaf).map(|leaf| (*leaf, self.node_size));
                        expected = expected.saturating_add(reader.expect(rest));
                    }
                    leaf += 1;
                }
                match self.node(reader, &mut guard, &pointers, child.address, child.records, depth) {
                    Ok(child) => path.push(child),
                    // The records of the other nodes are read.
                    Err(error) => {
                        reader.tolerate(error)?;
                        is_whole = false;
                    }
                }
            } else if let Some((at, record)) = node.next_record(self.record_size) {
                found += 1;
                if found > self.total {
                    break;
                }
                visit(at, record)?;
            } else {
                path.pop();
            }
        }
        if found != self.total && is_whole {
            return Err(reader.damaged(
                HEADER,
                self.address,
                format!("its nodes do not hold {} records", self.total),
            ));
        }
        Ok(is_whole)
    }

    /// Reads the nodes above the leaves into the cache, level by level. Returns the addresses of all leaves, in key order.
    fn leaves_ahead(
        &self,
        reader: &MetadataReader,
        pointers: &[PointerWidths],
        root: u64,
    ) -> Result<Vec<u64>> {
        let mut guard = Walk::new(reader);
        let mut nodes = vec![Child {
            address: root,
            records: self.root_records,
        }];
        for depth in (1..=self.depth).rev() {
            let mut below = Vec::new();
            let mut expected = 0usize;
            for (n, &Child { address, records }) in nodes.iter().enumerate() {
                if n == expected {
                    let rest = nodes.iter().skip(n).map(|node| (node.address, self.node_size));
                    expected = expected.saturating_add(reader.expect(rest));
                }
                below.extend(
                    self.node(reader, &mut guard, pointers, address, records, depth)?
                        .children,
                );
            }
            nodes = below;
        }
        Ok(nodes.into_iter().map(|leaf| leaf.address).collect())
    }

    /// Widths of child pointers in the internal nodes of each depth, from depth 1 on.
    fn pointer_widths(&self, reader: &MetadataReader) -> Result<Vec<PointerWidths>> {
        let record_size = self.record_size as u64;
        let leaf_records = self.node_size.saturating_sub(NODE_OVERHEAD) / record_size;
        if leaf_records == 0 {
            return Err(reader.damaged(HEADER, self.address, "a node is too small for a record"));
        }
        let records = width_of(leaf_records);
        let mut subtree = 0; // a leaf's subtree is the leaf, whose count stands already
        let mut subtree_records = leaf_records;
        let mut widths = Vec::new();
        for _ in 0..self.depth {
            let pointer = u64::from(reader.offset_size()) + records as u64 + subtree as u64;
            widths.push(PointerWidths { records, subtree });
            let own = self
                .node_size
                .saturating_sub(NODE_OVERHEAD)
                .saturating_sub(pointer)
                / (record_size + pointer);
            if own == 0 {
                return Err(reader.damaged(
                    HEADER,
                    self.address,
                    "an internal node is too small for a record",
                ));
            }
            subtree_records = (own + 1).saturating_mul(subtree_records).saturating_add(own);
            subtree = width_of(subtree_records);
        }
        Ok(widths)
    }

    fn node(
        &self,
        reader: &MetadataReader,
        guard: &mut Walk,
        pointers: &[PointerWidths],
        address: u64,
        records: u16,
        depth: u16,
    ) -> Result<Node> {
        let widths = usize::from(depth).checked_sub(1).and_then(|d| pointers.get(d));
        let pointer_size = widths.map_or(0, |widths| widths.size(reader));
        let children = if widths.is_some() {
            usize::from(records) + 1
        } else {
            0
        };
        let size = NODE_OVERHEAD as usize + usize::from(records) * self.record_size + children * pointer_size;
        if size as u64 > self.node_size {
            return Err(reader.damaged(NODE, address, format!("{records} records do not fit in it")));
        }
        guard.enter(NODE, address, size as u64)?;
        let bytes = reader.read_checked(NODE, address, size)?;
        reader.takes(address, self.node_size);
        let mut cursor = reader.cursor(NODE, address, &bytes);
        cursor.signature(if widths.is_some() { b"BTIN" } else { b"BTLF" })?;
        cursor.version(0)?;
        let record_type = cursor.u8()?;
        if record_type != self.record_type {
            return Err(reader.damaged(
                NODE,
                address,
                format!(
                    "records of type {record_type} in a tree of type {}",
                    self.record_type
                ),
            ));
        }
        let records = cursor.bytes(usize::from(records) * self.record_size)?.to_vec();
        let mut list = Vec::with_capacity(children);
        if let Some(widths) = widths {
            for _ in 0..children {
                let child = cursor.offset()?;
                let count = cursor.uint(widths.records)?;
                cursor.bytes(widths.subtree)?;
                let (Some(address), Ok(records)) = (child, u16::try_from(count)) else {
                    return Err(reader.damaged(NODE, address, "a pointer to a child is out of range"));
                };
                list.push(Child { address, records });
            }
        }
        Ok(Node {
            address,
            depth,
            records,
            children: list,
            next_child: 0,
            next_record: 0,
        })
    }
}

#[derive(Debug)]
struct PointerWidths {
    /// Width, in bytes, of the number of records in the child.
    records: usize,
    /// Width, in bytes, of the number of records in the child and all nodes below it.
    subtree: usize,
}

impl PointerWidths {
    /// Size of a pointer, in bytes.
    fn size(&self, reader: &MetadataReader) -> usize {
        usize::from(reader.offset_size()) + self.records + self.subtree
    }
}

#[derive(Debug, Clone, Copy)]
struct Child {
    address: u64,
    records: u16,
}

/// A node on the path from the root to the current position.
#[derive(Debug)]
struct Node {
    address: u64,
    depth: u16,
    records: Vec<u8>,
    children: Vec<Child>,
    next_child: usize,
    next_record: usize,
}

impl Node {
    /// The child before the next record, returned once.
    fn next_child(&mut self) -> Option<Child> {
        if self.next_child > self.next_record {
            return None;
        }
        let child = self.children.get(self.next_child).copied()?;
        self.next_child += 1;
        Some(child)
    }

    /// The next record, and its address.
    fn next_record(&mut self, size: usize) -> Option<(u64, &[u8])> {
        let start = self.next_record.checked_mul(size)?;
        let record = self.records.get(start..start.checked_add(size)?)?;
        self.next_record += 1;
        Some((self.address.saturating_add(NODE_PREFIX + start as u64), record))
    }
}

/// Width, in bytes, of a count of at most `limit`.
fn width_of(limit: u64) -> usize {
    limit.checked_ilog2().unwrap_or(0) as usize / 8 + 1
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::checksum::lookup3;

    #[test]
    fn counts_take_as_many_bytes_as_their_limit() {
        assert_eq!(width_of(1), 1);
        assert_eq!(width_of(255), 1);
        assert_eq!(width_of(256), 2);
        assert_eq!(width_of(65_536), 3);
        assert_eq!(width_of(u64::MAX), 8);
    }

    fn checked(mut bytes: Vec<u8>) -> Vec<u8> {
        let sum = lookup3(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// A tree of records of 2 bytes in nodes of 100 bytes; the nodes follow the header, 100 bytes apart.
    fn tree(depth: u16, total: u64, root_records: u16, nodes: &[Vec<u8>]) -> MetadataReader {
        let mut header = b"BTHD\0\x05".to_vec();
        header.extend(100u32.to_le_bytes());
        header.extend(2u16.to_le_bytes());
        header.extend(depth.to_le_bytes());
        header.extend([100, 40]);
        header.extend(100u64.to_le_bytes());
        header.extend(root_records.to_le_bytes());
        header.extend(total.to_le_bytes());
        let mut file = checked(header);
        file.resize(100, 0);
        for node in nodes {
            file.extend(checked(node.clone()));
            file.resize(file.len().next_multiple_of(100), 0);
        }
        MetadataReader::new(Arc::new(file), 0, 8, 8).unwrap()
    }

    fn leaf(records: &[u16]) -> Vec<u8> {
        let mut node = b"BTLF\0\x05".to_vec();
        node.extend(records.iter().flat_map(|r| r.to_le_bytes()));
        node
    }

    fn internal(records: &[u16], children: &[(u64, u8)]) -> Vec<u8> {
        let mut node = b"BTIN\0\x05".to_vec();
        node.extend(records.iter().flat_map(|r| r.to_le_bytes()));
        for (address, count) in children {
            node.extend(address.to_le_bytes());
            node.push(*count);
        }
        node
    }

    fn all(reader: &MetadataReader) -> Result<Vec<u16>> {
        let mut found = Vec::new();
        Header::read(reader, 0)?.visit(reader, |record| {
            found.push(u16::from_le_bytes([record[0], record[1]]));
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn records_come_in_key_order() {
        let nodes = [
            internal(&[3, 5], &[(200, 2), (300, 1), (400, 0)]),
            leaf(&[1, 2]),
            leaf(&[4]),
            leaf(&[]),
        ];
        assert_eq!(all(&tree(1, 5, 2, &nodes)).unwrap(), [1, 2, 3, 4, 5]);
        assert_eq!(all(&tree(0, 0, 0, &[])).unwrap(), [0; 0]);
    }

    #[test]
    fn refuses_cycles_and_wrong_counts() {
        let nodes = [internal(&[3], &[(200, 2), (200, 2)]), leaf(&[1, 2])];
        assert!(all(&tree(1, 5, 1, &nodes)).is_err());
        // A child that is its own parent is an internal node where a leaf must be.
        assert!(all(&tree(1, 5, 1, &[internal(&[3], &[(100, 1), (100, 1)])])).is_err());
        for total in [1, 3] {
            assert!(all(&tree(0, total, 2, &[leaf(&[1, 2])])).is_err(), "{total}");
        }
        // More records than a node has room for, and more than the file.
        assert!(all(&tree(0, 60, 60, &[leaf(&[0; 60])])).is_err());
        assert!(all(&tree(0, u64::MAX, 2, &[leaf(&[1, 2])])).is_err());
        assert!(all(&tree(64, 2, 2, &[leaf(&[1, 2])])).is_err());
    }
}
