//! Version 2 B-trees (specification section III.A.2).
//!
//! A header (`BTHD`) points to the root, which is an internal node (`BTIN`) or a leaf (`BTLF`). Both hold records. An
//! internal node has one child pointer more than records, and record i is between children i and i + 1. The width of
//! the counts in child pointers depends on the number of records that a node of each depth can hold.

use std::collections::VecDeque;

use super::v2_node::{NODE_OVERHEAD, NodeForm, PointerWidths, Subtree, TreePart};
use crate::error::Result;
use crate::metadata::MetadataReader;
use crate::metadata::Walk;

const HEADER: &str = "version 2 B-tree header";

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
        let form = self.node_form(reader)?;
        let mut guard = Walk::new(reader);
        let mut nodes = Vec::new();
        let mut is_whole = true;
        let mut pending = Vec::from_iter(self.root());
        while let Some(node) = pending.pop() {
            match form.read(reader, &mut guard, node) {
                Ok(parts) => {
                    nodes.push(node.address);
                    pending.extend(parts.iter().filter_map(TreePart::subtree));
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
        let Some(root) = self.root() else {
            return Ok(true);
        };
        let mut descent = Descent {
            reader,
            form: self.node_form(reader)?,
            guard: Walk::new(reader),
            announced: 0,
            is_whole: true,
        };
        let mut parts = VecDeque::from(descent.form.read(reader, &mut descent.guard, root)?);
        if reader.is_slow() {
            for _ in 1..self.depth {
                parts = descent.level_below(parts)?;
            }
        }
        let mut found = 0u64;
        while let Some(part) = parts.pop_front() {
            match part {
                TreePart::Subtree(node) => {
                    let below = descent.read(node, &parts)?;
                    below.into_iter().rev().for_each(|part| parts.push_front(part));
                }
                TreePart::Record(records, n) => {
                    found += 1;
                    if found > self.total {
                        break;
                    }
                    let (at, record) = records.get(n);
                    visit(at, record)?;
                }
            }
        }
        let is_whole = descent.is_whole;
        if found != self.total && is_whole {
            return Err(reader.damaged(
                HEADER,
                self.address,
                format!("its nodes do not hold {} records", self.total),
            ));
        }
        Ok(is_whole)
    }

    /// The root; `None` of an empty tree.
    fn root(&self) -> Option<Subtree> {
        let address = self.root.filter(|_| self.total > 0)?;
        Some(Subtree {
            address,
            records: self.root_records,
            depth: self.depth,
        })
    }

    fn node_form(&self, reader: &MetadataReader) -> Result<NodeForm> {
        Ok(NodeForm {
            record_type: self.record_type,
            record_size: self.record_size,
            node_size: self.node_size,
            pointers: self.pointer_widths(reader)?,
        })
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
}

/// Reads the nodes of a tree, each once.
struct Descent<'a> {
    reader: &'a MetadataReader,
    form: NodeForm,
    guard: Walk,
    /// Number of the next nodes that were announced.
    announced: usize,
    /// False after a node that cannot be read.
    is_whole: bool,
}

impl Descent<'_> {
    /// The parts of all subtrees, and the records between them. They are announced together, so that none is waited for alone.
    fn level_below(&mut self, mut parts: VecDeque<TreePart>) -> Result<VecDeque<TreePart>> {
        let mut below = VecDeque::new();
        while let Some(part) = parts.pop_front() {
            match part {
                TreePart::Record(..) => below.push_back(part),
                TreePart::Subtree(node) => below.extend(self.read(node, &parts)?),
            }
        }
        Ok(below)
    }

    /// The parts of a node, none if it cannot be read. `behind` are the parts that follow.
    fn read(&mut self, node: Subtree, behind: &VecDeque<TreePart>) -> Result<Vec<TreePart>> {
        if self.announced == 0 {
            let next = behind.iter().filter_map(TreePart::subtree);
            let all = std::iter::once(node).chain(next);
            let places = all.map(|node| (node.address, self.form.node_size));
            self.announced = self.reader.expect(places);
        }
        self.announced -= 1;
        match self.form.read(self.reader, &mut self.guard, node) {
            Ok(parts) => Ok(parts),
            // The records of the other nodes are read.
            Err(error) => {
                self.reader.tolerate(error)?;
                self.is_whole = false;
                Ok(Vec::new())
            }
        }
    }
}

/// Width, in bytes, of a count of at most `limit`.
fn width_of(limit: u64) -> usize {
    limit.checked_ilog2().unwrap_or(0) as usize / 8 + 1
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::checksum::lookup3;
    use crate::metadata::Limits;
    use crate::source::{ByteSource, ReadRequest};

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
        let file = file(depth, total, root_records, nodes, 100);
        MetadataReader::new(Arc::new(file), 0, 8, 8).unwrap()
    }

    /// A file of such a tree, with the nodes `apart` bytes from each other.
    fn file(depth: u16, total: u64, root_records: u16, nodes: &[Vec<u8>], apart: usize) -> Vec<u8> {
        let mut header = b"BTHD\0\x05".to_vec();
        header.extend(100u32.to_le_bytes());
        header.extend(2u16.to_le_bytes());
        header.extend(depth.to_le_bytes());
        header.extend([100, 40]);
        header.extend((apart as u64).to_le_bytes());
        header.extend(root_records.to_le_bytes());
        header.extend(total.to_le_bytes());
        let mut file = checked(header);
        file.resize(apart, 0);
        for node in nodes {
            file.extend(checked(node.clone()));
            file.resize(file.len().next_multiple_of(apart), 0);
        }
        file
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

    /// A slow source, which counts reads that are waited for alone, rounds of reads at once, and the reads of all rounds.
    struct Slow {
        data: Vec<u8>,
        alone: AtomicUsize,
        rounds: AtomicUsize,
        together: AtomicUsize,
    }

    impl ByteSource for Slow {
        fn size(&self) -> io::Result<Option<u64>> {
            self.data.size()
        }
        fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
            self.alone.fetch_add(1, Ordering::Relaxed);
            self.data.read_exact_at(offset, buf)
        }
        fn read_many_at(&self, reads: &mut [ReadRequest<'_>]) -> io::Result<()> {
            self.rounds.fetch_add(1, Ordering::Relaxed);
            self.together.fetch_add(reads.len(), Ordering::Relaxed);
            self.data.read_many_at(reads)
        }
        fn readahead(&self) -> usize {
            128 << 10
        }
    }

    #[test]
    fn nodes_of_a_level_come_at_once_and_each_once() {
        // A root, 4 nodes, 16 leaves of a record, each farther from the next than a readahead.
        const APART: u64 = 300 << 10;
        let place = |node: u64| (1 + node) * APART;
        let children = |first: u64, records: &[u16]| {
            let places: Vec<_> = (first..first + 4).map(|node| (place(node), 1)).collect();
            let mut node = internal(records, &[]);
            for (address, _) in &places {
                node.extend(address.to_le_bytes());
                node.push(if first == 1 { 3 } else { 1 });
                node.extend(vec![0; 2 * usize::from(first == 1)]);
            }
            node
        };
        let mut nodes = vec![children(1, &[8, 16, 24])];
        nodes.extend((0..4).map(|n: u16| children(5 + 4 * u64::from(n), &[2, 4, 6].map(|r| r + 8 * n))));
        nodes.extend((0..16).map(|n: u16| leaf(&[1 + 2 * n])));
        let source = Arc::new(Slow {
            data: file(2, 31, 3, &nodes, APART as usize),
            alone: AtomicUsize::new(0),
            rounds: AtomicUsize::new(0),
            together: AtomicUsize::new(0),
        });
        let limits = Limits {
            cache_bytes: Some(128 << 10),
            ..Limits::default()
        };
        let reader = MetadataReader::open(source.clone(), None, limits).unwrap();
        assert_eq!(all(&reader).unwrap(), Vec::from_iter(1..32));
        let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        assert_eq!(count(&source.alone), 2, "the header, and the root");
        assert_eq!(count(&source.together), 20);
        // The cache has room for 4 blocks at a time.
        assert_eq!(count(&source.rounds), 5);
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
