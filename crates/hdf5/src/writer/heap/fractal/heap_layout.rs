//! [`HeapLayout`]: the positions of objects in a fractal heap.

use std::collections::BTreeMap;

use super::doubling_table::HeapParameters;
use super::doubling_table::WIDTH;
use crate::writer::btree_v2::{BtreeV2Shape, HEADER_SIZE as TREE_HEADER_SIZE, TreeKind};
use crate::writer::pages::Pages;
use crate::{Error, Result};

/// Maximum size of a managed object, in bytes.
pub(super) const MAX_MANAGED: u64 = 4096;

/// Size of the heap's header, in bytes.
pub(super) const HEADER_SIZE: u64 = 146;

/// Position of an object.
pub(super) enum HeapPosition {
    /// Offset in the heap, and length.
    Managed(u64, u64),
    /// Number, from 1 on, offset from the first huge object, and length.
    Huge(u64, u64, u64),
}

/// A heap laid out for objects of given sizes. Positions are relative to its header.
pub(crate) struct HeapLayout {
    pub(super) parameters: HeapParameters,
    pub(super) pages: Pages,
    pub(super) places: Vec<HeapPosition>,
    /// Direct blocks: offset in the heap ─► size, and position in the file.
    pub(super) direct: BTreeMap<u64, (u64, u64)>,
    /// Indirect blocks: offset in the heap and number of rows ─► position in the file.
    pub(super) indirect: BTreeMap<(u64, u32), u64>,
    /// Number of rows of the root indirect block; 0 if the root is a direct block or absent.
    pub(super) root_rows: u32,
    pub(super) huge_tree: Option<BtreeV2Shape>,
    /// Positions of the huge objects' B-tree, of its nodes, and of the first huge object.
    pub(super) huge_tree_at: u64,
    pub(super) huge_nodes_at: u64,
    pub(super) huge_at: u64,
    /// End of the huge objects, relative to the first.
    pub(super) huge_size: u64,
    /// End of the metadata.
    pub(super) size: u64,
}

impl HeapLayout {
    /// Lays out objects of these sizes, in bytes. With pages, the heap begins one or lies within one.
    pub(crate) fn new(
        parameters: HeapParameters,
        sizes: impl Iterator<Item = u64>,
        pages: Pages,
    ) -> Result<Self> {
        let mut heap = Self {
            parameters,
            pages,
            places: Vec::new(),
            direct: BTreeMap::new(),
            indirect: BTreeMap::new(),
            root_rows: 0,
            huge_tree: None,
            huge_tree_at: 0,
            huge_nodes_at: 0,
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
        // The end of the direct blocks so far, and the beginning of the free space in the last one.
        let (mut end, mut free) = (0, 0);
        let mut huge = 0;
        for size in sizes {
            if size > MAX_MANAGED {
                huge += 1;
                let place = self.pages.within(self.huge_size, size);
                self.places.push(HeapPosition::Huge(huge, place.start, size));
                self.huge_size = place.end.next_multiple_of(8);
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
            self.places.push(HeapPosition::Managed(free, size));
            free += size;
        }
        if huge > 0 {
            self.huge_tree = Some(BtreeV2Shape::new(TreeKind::HugeObjects, huge, self.pages));
        }
    }

    /// End of the last direct block, in the heap's own address space.
    pub(super) fn managed_end(&self) -> u64 {
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
            let place = self.pages.within(self.size, *size);
            *position = place.start;
            self.size = place.end;
        }
        Ok(())
    }

    fn allocate_indirect(&mut self, start: u64, rows: u32) {
        let size = self.parameters.indirect_size(rows).next_multiple_of(8);
        let place = self.pages.within(self.size, size);
        self.indirect.insert((start, rows), place.start);
        self.size = place.end;
        for (child, size) in self.indirect_children(start, rows) {
            self.allocate_indirect(child, self.parameters.rows_for(size));
        }
    }

    /// Row, offset and size of each entry of the indirect block of `rows` rows at `start`.
    pub(super) fn entries(&self, start: u64, rows: u32) -> impl Iterator<Item = (u32, u64, u64)> + use<> {
        let parameters = self.parameters;
        (0..rows).flat_map(move |row| {
            let size = parameters.block_size(row);
            (0..WIDTH).map(move |column| (row, start + parameters.row_start(row) + column * size, size))
        })
    }

    /// Offset and size of an indirect block's children that are indirect blocks with allocated blocks.
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
            let header = self.pages.within(self.size.next_multiple_of(8), TREE_HEADER_SIZE);
            self.huge_tree_at = header.start;
            let nodes = self.pages.within(header.end, tree.nodes_size());
            self.huge_nodes_at = nodes.start;
            self.size = nodes.end;
            // Huge objects are raw data.
            self.huge_at = self.pages.raw_start(nodes.end);
        }
    }

    /// Size of the heap with its header, blocks and huge objects, in bytes. With pages and huge objects, it ends with a page.
    pub(crate) fn size(&self) -> u64 {
        match self.huge_size {
            0 => self.size,
            huge => self.pages.end_of_page(self.huge_at + huge),
        }
    }
}

#[cfg(test)]
mod tests;
