//! Dense storage of links and attributes (specification sections VI.B and VI.C): a fractal heap of messages, and two
//! version 2 B-trees that index them by the hash of the name and by creation order.
//!
//! ```text
//! name index header │ order index header │ name nodes │ order nodes │ heap header │ heap blocks │ huge objects
//! ```

use std::borrow::Cow;

use crate::checksum::lookup3;
use crate::name;
use crate::writer::btree_v2::{BtreeV2Shape, HEADER_SIZE, TreeKind};
use crate::writer::bytes::PutBytes;
use crate::writer::heap::fractal::{HeapLayout, HeapParameters};
use crate::writer::pages::Pages;
use crate::{CreationOrder, Result};

/// Maximum number of links or attributes without dense storage.
pub(crate) const MAX_COMPACT: usize = 8;

/// Creation order of an attribute where it is not tracked, as the library writes it.
const UNTRACKED: u32 = 0xffff;

/// The messages in dense storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DenseKind {
    /// Links of a group.
    Links,
    /// Attributes of any object.
    Attributes,
}

/// Addresses of the parts of a dense storage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DenseAddresses {
    /// Header of the fractal heap.
    pub(crate) heap: u64,
    /// Header of the version 2 B-tree by name.
    pub(crate) name_index: u64,
    /// Header of the version 2 B-tree by creation order.
    pub(crate) order_index: u64,
}

/// A dense storage laid out for messages of given sizes.
pub(crate) struct DenseStorage {
    kind: DenseKind,
    tracking: CreationOrder,
    heap: HeapLayout,
    names: BtreeV2Shape,
    order: BtreeV2Shape,
    /// Positions of the nodes of both indexes and of the heap.
    name_nodes: u64,
    order_nodes: u64,
    heap_at: u64,
    pages: Pages,
}

impl DenseStorage {
    /// Lays out messages with these sizes, in bytes. With pages, the storage begins one or lies within one.
    pub(crate) fn new(kind: DenseKind, tracking: CreationOrder, sizes: &[u64], pages: Pages) -> Result<Self> {
        let (parameters, names, order) = match kind {
            DenseKind::Links => (HeapParameters::LINKS, TreeKind::LinkNames, TreeKind::LinkOrder),
            DenseKind::Attributes => (
                HeapParameters::ATTRIBUTES,
                TreeKind::AttributeNames,
                TreeKind::AttributeOrder,
            ),
        };
        let heap = HeapLayout::new(parameters, sizes.iter().copied(), pages)?;
        let names = BtreeV2Shape::new(names, sizes.len() as u64, pages);
        let order = BtreeV2Shape::new(order, sizes.len() as u64, pages);
        let order_size = match tracking {
            CreationOrder::Indexed => order.nodes_size(),
            CreationOrder::Untracked | CreationOrder::Tracked => 0,
        };
        // There is always room for the second index's header.
        let name_nodes = pages.within(2 * HEADER_SIZE.next_multiple_of(8), names.nodes_size());
        let order_nodes = pages.within(name_nodes.end, order_size);
        let heap_at = pages.within(order_nodes.end, heap.size()).start;
        Ok(Self {
            kind,
            tracking,
            heap,
            names,
            order,
            name_nodes: name_nodes.start,
            order_nodes: order_nodes.start,
            heap_at,
            pages,
        })
    }

    /// Size of all parts in bytes, a multiple of 8 without pages.
    pub(crate) fn size(&self) -> u64 {
        let end = self.heap_at + self.heap.size();
        match self.pages.are_there() {
            true => end,
            false => end.next_multiple_of(8),
        }
    }

    /// Addresses of the parts in a storage at `base`.
    pub(crate) fn addresses(&self, base: u64) -> DenseAddresses {
        DenseAddresses {
            name_index: base,
            order_index: base + HEADER_SIZE.next_multiple_of(8),
            heap: base + self.heap_at,
        }
    }

    /// The bytes for address `base`. `messages` are in creation order, with the sizes given to `new`; `names` are their
    /// names. Also returns the address of huge messages and their bytes.
    pub(crate) fn encode(&self, base: u64, names: &[&str], messages: &[Vec<u8>]) -> (Vec<u8>, u64, Vec<u8>) {
        let (name_nodes, order_nodes) = (base + self.name_nodes, base + self.order_nodes);
        let mut by_name: Vec<(u32, Cow<'_, [u8]>, usize)> = names
            .iter()
            .enumerate()
            .map(|(i, name)| {
                let name = name::bytes(name);
                (lookup3(&name), name, i)
            })
            .collect();
        by_name.sort_unstable();
        let mut out = self.names.header(name_nodes);
        out.pad8();
        match self.tracking {
            CreationOrder::Indexed => out.put(&self.order.header(order_nodes)),
            _ => out.put_zeros(HEADER_SIZE as usize),
        }
        out.pad8();
        let mut records = Vec::new();
        for (hash, _, i) in by_name {
            let id = self.heap.id(i);
            match self.kind {
                DenseKind::Links => {
                    records.put_u32(hash);
                    records.put(&id);
                }
                DenseKind::Attributes => {
                    records.put(&id);
                    records.put_u8(0); // message flags
                    records.put_u32(match self.tracking {
                        CreationOrder::Untracked => UNTRACKED,
                        _ => i as u32,
                    });
                    records.put_u32(hash);
                }
            }
        }
        out.resize(self.name_nodes as usize, 0);
        out.put(&self.names.nodes(name_nodes, &records));
        records.clear();
        let indexed = match self.tracking {
            CreationOrder::Indexed => names.len(),
            _ => 0,
        };
        for i in 0..indexed {
            let id = self.heap.id(i);
            match self.kind {
                DenseKind::Links => {
                    records.put_u64(i as u64);
                    records.put(&id);
                }
                DenseKind::Attributes => {
                    records.put(&id);
                    records.put_u8(0); // message flags
                    records.put_u32(i as u32);
                }
            }
        }
        if self.tracking == CreationOrder::Indexed {
            out.resize(self.order_nodes as usize, 0);
            out.put(&self.order.nodes(order_nodes, &records));
        }
        let heap = base + self.heap_at;
        let (blocks, huge_at, huge) = self.heap.encode(heap, messages);
        out.resize(self.heap_at as usize, 0);
        out.put(&blocks);
        (out, heap + huge_at, huge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_where_they_are_said_to_be() {
        for (kind, count, page) in [
            (DenseKind::Links, 9, None),
            (DenseKind::Links, 5_000, None),
            (DenseKind::Attributes, 1_000, None),
            (DenseKind::Attributes, 1_000, Some(1000)),
        ] {
            let names: Vec<String> = (0..count).map(|i| format!("name{i}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let messages: Vec<Vec<u8>> = names.iter().map(|n| n.as_bytes().to_vec()).collect();
            let sizes: Vec<u64> = messages.iter().map(|m| m.len() as u64).collect();
            let dense = DenseStorage::new(kind, CreationOrder::Indexed, &sizes, Pages::of(page)).unwrap();
            let (bytes, _, huge) = dense.encode(48, &names, &messages);
            assert!(huge.is_empty() && dense.size() - (bytes.len() as u64) < 8);
            let at = dense.addresses(48);
            for (address, signature) in [
                (at.heap, b"FRHP"),
                (at.name_index, b"BTHD"),
                (at.order_index, b"BTHD"),
            ] {
                assert_eq!(&bytes[address as usize - 48..address as usize - 44], signature);
            }
        }
    }
}
