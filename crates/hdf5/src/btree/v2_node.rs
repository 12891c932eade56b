//! Nodes of version 2 B-trees (specification section III.A.2).

use std::rc::Rc;

use crate::error::Result;
use crate::metadata::MetadataReader;
use crate::metadata::Walk;

const NODE: &str = "version 2 B-tree node";

/// Size of a node's signature, version, type and checksum, in bytes.
pub(super) const NODE_OVERHEAD: u64 = 10;

/// Size of what comes before the records of a node, in bytes: signature, version and type.
const NODE_PREFIX: u64 = 6;

/// What all nodes of a tree have in common.
#[derive(Debug)]
pub(super) struct NodeForm {
    /// Type of the records.
    pub(super) record_type: u8,
    /// Size of a record, in bytes.
    pub(super) record_size: usize,
    /// Size of a node, in bytes.
    pub(super) node_size: u64,
    /// Widths of child pointers in the internal nodes of each depth, from depth 1 on.
    pub(super) pointers: Vec<PointerWidths>,
}

#[derive(Debug)]
pub(super) struct PointerWidths {
    /// Width, in bytes, of the number of records in the child.
    pub(super) records: usize,
    /// Width, in bytes, of the number of records in the child and all nodes below it.
    pub(super) subtree: usize,
}

impl PointerWidths {
    /// Size of a pointer, in bytes.
    pub(super) fn size(&self, reader: &MetadataReader) -> usize {
        usize::from(reader.offset_size()) + self.records + self.subtree
    }
}

/// A node, and all below it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subtree {
    pub(super) address: u64,
    /// Number of records of the node.
    pub(super) records: u16,
    /// Levels below the node.
    pub(super) depth: u16,
}

/// A part of a tree.
#[derive(Debug)]
pub(super) enum TreePart {
    /// A node that was not read yet, and all below it.
    Subtree(Subtree),
    /// The record of this number, of a node that was read.
    Record(Rc<Records>, u16),
}

impl TreePart {
    /// The subtree; `None` of a record.
    pub(super) fn subtree(&self) -> Option<Subtree> {
        match self {
            Self::Subtree(node) => Some(*node),
            Self::Record(..) => None,
        }
    }
}

/// The records of a node.
#[derive(Debug)]
pub(super) struct Records {
    /// Address of the first one.
    address: u64,
    record_size: usize,
    bytes: Vec<u8>,
}

impl Records {
    /// A record, and its address.
    pub(super) fn get(&self, n: u16) -> (u64, &[u8]) {
        let start = usize::from(n) * self.record_size;
        let record = self.bytes.get(start..start + self.record_size);
        (
            self.address.saturating_add(start as u64),
            record.unwrap_or_default(),
        )
    }
}

impl NodeForm {
    /// Reads a node. Returns its subtrees and records, in key order.
    pub(super) fn read(
        &self,
        reader: &MetadataReader,
        guard: &mut Walk,
        node: Subtree,
    ) -> Result<Vec<TreePart>> {
        let Subtree {
            address,
            records: count,
            depth,
        } = node;
        let below = depth.checked_sub(1);
        let widths = below.and_then(|below| self.pointers.get(usize::from(below)));
        let pointer_size = widths.map_or(0, |widths| widths.size(reader));
        let children = widths.map_or(0, |_| usize::from(count) + 1);
        let size = NODE_OVERHEAD as usize + usize::from(count) * self.record_size + children * pointer_size;
        if size as u64 > self.node_size {
            return Err(reader.damaged(NODE, address, format!("{count} records do not fit in it")));
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
        let records = Rc::new(Records {
            address: address.saturating_add(NODE_PREFIX),
            record_size: self.record_size,
            bytes: cursor.bytes(usize::from(count) * self.record_size)?.to_vec(),
        });
        let mut parts = Vec::with_capacity(usize::from(count) + children);
        for n in 0..=count {
            if let (Some(widths), Some(depth)) = (widths, below) {
                let child = cursor.offset()?;
                let records = cursor.uint(widths.records)?;
                cursor.bytes(widths.subtree)?;
                let (Some(address), Ok(records)) = (child, u16::try_from(records)) else {
                    return Err(reader.damaged(NODE, address, "a pointer to a child is out of range"));
                };
                parts.push(TreePart::Subtree(Subtree {
                    address,
                    records,
                    depth,
                }));
            }
            if n < count {
                parts.push(TreePart::Record(Rc::clone(&records), n));
            }
        }
        Ok(parts)
    }
}
