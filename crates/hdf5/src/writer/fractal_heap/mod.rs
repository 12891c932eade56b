//! Fractal heaps (specification section III.G), laid out in one go from the sizes of all their objects.
//!
//! ```text
//! sizes ─► place: offsets in the heap ─► blocks and huge objects get positions in the file ─┬─► id of each object
//!            └─ doubling table                                                               └─► encode: bytes
//! ```
//!
//! Managed objects fill direct blocks one after the other, in the order of the heap's own address space, in which rows of
//! blocks double in size; direct blocks too small for an object are passed over and not allocated. Objects above the
//! managed maximum are huge: they lie in the file by themselves and a v2 B-tree finds them. There is no free-space
//! manager: the library makes one when it first frees space.

mod doubling_table;
mod encode;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::btree_v2::{HEADER_SIZE as TREE_HEADER_SIZE, Tree, TreeKind};
use crate::{Error, Result};

pub(super) use doubling_table::HeapParameters;
use doubling_table::WIDTH;

/// Objects above this are huge.
const MAX_MANAGED: u64 = 4096;
/// Bytes of the heap's header.
const HEADER_SIZE: u64 = 146;

/// Where an object is.
enum Place {
    /// At an offset of the heap, with a length.
    Managed(u64, u64),
    /// By itself: its number from 1 on, where from the start of the huge objects, and its length.
    Huge(u64, u64, u64),
}

/// A heap laid out for objects of given sizes. Positions are relative to the heap's header.
pub(super) struct Heap {
    parameters: HeapParameters,
    places: Vec<Place>,
    /// Offset in the heap ─► size and position in the file, of each allocated direct block.
    direct: BTreeMap<u64, (u64, u64)>,
    /// Offset in the heap and rows ─► position in the file, of each indirect block.
    indirect: BTreeMap<(u64, u32), u64>,
    /// Rows of the root indirect block; 0 where the root is a direct block or there is none.
    root_rows: u32,
    huge_tree: Option<Tree>,
    /// Positions of the huge objects' tree and of the first huge object.
    huge_tree_at: u64,
    huge_at: u64,
    huge_size: u64,
    size: u64,
}

impl Heap {
    /// Lays out objects of `sizes`.
    pub(super) fn new(parameters: HeapParameters, sizes: impl Iterator<Item = u64>) -> Result<Self> {
        let mut heap = Self {
            parameters,
            places: Vec::new(),
            direct: BTreeMap::new(),
            indirect: BTreeMap::new(),
            root_rows: 0,
            huge_tree: None,
            huge_tree_at: 0,
            huge_at: 0,
            huge_size: 0,
            size: HEADER_SIZE,
        };
        heap.place(sizes);
        heap.allocate_blocks()?;
        heap.allocate_huge();
        Ok(heap)
    }

    fn place(&mut self, sizes: impl Iterator<Item = u64>) {
        // The end of the direct blocks so far, and where the last of them is still free.
        let (mut end, mut free) = (0, 0);
        let mut huge = 0;
        for size in sizes {
            if size > MAX_MANAGED {
                huge += 1;
                self.places.push(Place::Huge(huge, self.huge_size, size));
                self.huge_size += size.next_multiple_of(8);
                continue;
            }
            while end - free < size {
                let block = self.parameters.direct_block_at(end);
                let overhead = self.parameters.direct_overhead();
                if block - overhead >= size {
                    self.direct.insert(end, (block, 0));
                    free = end + overhead;
                } else {
                    free = end + block; // passed over
                }
                end += block;
            }
            self.places.push(Place::Managed(free, size));
            free += size;
        }
        if huge > 0 {
            self.huge_tree = Some(Tree::new(TreeKind::HugeObjects, huge));
        }
    }

    /// The end of the last direct block, in the heap's own address space.
    fn managed_end(&self) -> u64 {
        self.direct
            .last_key_value()
            .map_or(0, |(offset, (size, _))| offset + size)
    }

    fn allocate_blocks(&mut self) -> Result<()> {
        let end = self.managed_end();
        if end > self.parameters.start {
            let needed = self.parameters.row_of(end - 1) + 1;
            let most = self.parameters.max_root_rows();
            if needed > most {
                return Err(Error::CannotWrite(
                    "the links or attributes of one object exceed the limit of a fractal heap".into(),
                ));
            }
            // The library doubles the root block.
            self.root_rows = needed.next_power_of_two().min(most);
            self.allocate_indirect(0, self.root_rows);
        }
        for (size, position) in self.direct.values_mut() {
            *position = self.size;
            self.size += *size;
        }
        Ok(())
    }

    fn allocate_indirect(&mut self, start: u64, rows: u32) {
        self.indirect.insert((start, rows), self.size);
        self.size += self.parameters.indirect_size(rows).next_multiple_of(8);
        for (child, size) in self.indirect_children(start, rows) {
            self.allocate_indirect(child, self.parameters.rows_for(size));
        }
    }

    /// Offset and size of each entry of the indirect block of `rows` rows at `start`, direct or not.
    fn entries(&self, start: u64, rows: u32) -> impl Iterator<Item = (u32, u64, u64)> + use<> {
        let parameters = self.parameters;
        (0..rows).flat_map(move |row| {
            let size = parameters.block_size(row);
            (0..WIDTH).map(move |column| (row, start + parameters.row_start(row) + column * size, size))
        })
    }

    /// The children of an indirect block that are indirect blocks, and in which anything is allocated.
    fn indirect_children(&self, start: u64, rows: u32) -> Vec<(u64, u64)> {
        self.entries(start, rows)
            .filter(|(row, offset, size)| {
                *row >= self.parameters.direct_rows()
                    && self.direct.range(*offset..*offset + *size).next().is_some()
            })
            .map(|(_, offset, size)| (offset, size))
            .collect()
    }

    fn allocate_huge(&mut self) {
        if let Some(tree) = &self.huge_tree {
            self.size = self.size.next_multiple_of(8);
            self.huge_tree_at = self.size;
            self.huge_at = (self.size + TREE_HEADER_SIZE + tree.nodes_size()).next_multiple_of(8);
            self.size = self.huge_at + self.huge_size;
        }
    }

    /// Bytes of the heap with its header, blocks and huge objects.
    pub(super) fn size(&self) -> u64 {
        self.size
    }
}
