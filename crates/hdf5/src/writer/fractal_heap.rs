//! Fractal heaps (specification section III.G), laid out in one go from the sizes of all their objects.
//!
//! Managed objects fill direct blocks one after the other, in the order of the heap's own address space, in which rows of
//! blocks double in size; direct blocks too small for an object are passed over and not allocated. Objects above the
//! managed maximum are huge: they lie in the file by themselves and a v2 B-tree finds them. There is no free-space
//! manager: the library makes one when it first frees space.

use std::collections::BTreeMap;

use super::btree_v2::{HEADER_SIZE as TREE_HEADER_SIZE, Tree, TreeKind};
use super::bytes::{PutBytes, UNDEFINED, bytes_for};
use crate::{Error, Result};

/// Blocks in a row of the doubling table.
const WIDTH: u64 = 4;
const MAX_DIRECT: u64 = 64 * 1024;
/// Objects above this are huge.
const MAX_MANAGED: u64 = 4096;
/// Bytes of the heap's header.
const HEADER_SIZE: u64 = 146;

/// What distinguishes the two heaps that the library makes in groups and for attributes.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeapParameters {
    /// Bytes of the first blocks.
    start: u64,
    /// Bits of an offset in the heap.
    offset_bits: u32,
    /// Bytes of a heap ID.
    pub(super) id_size: usize,
}

impl HeapParameters {
    /// The heap of a group's links.
    pub(super) const LINKS: Self = Self {
        start: 512,
        offset_bits: 32,
        id_size: 7,
    };
    /// The heap of an object's attributes.
    pub(super) const ATTRIBUTES: Self = Self {
        start: 1024,
        offset_bits: 40,
        id_size: 8,
    };

    fn offset_size(&self) -> usize {
        (self.offset_bits / 8) as usize
    }

    /// What a direct block holds besides objects: signature, version, heap address, offset, checksum.
    fn direct_overhead(&self) -> u64 {
        4 + 1 + 8 + self.offset_size() as u64 + 4
    }

    fn indirect_size(&self, rows: u32) -> u64 {
        self.direct_overhead() + u64::from(rows) * WIDTH * 8
    }

    /// Bytes of each block in a row.
    fn block_size(&self, row: u32) -> u64 {
        self.start << row.saturating_sub(1)
    }

    /// Where a row begins, from the start of its indirect block.
    fn row_start(&self, row: u32) -> u64 {
        if row == 0 { 0 } else { WIDTH * self.block_size(row) }
    }

    /// Rows of direct blocks that an indirect block can have; further rows are of indirect blocks.
    fn direct_rows(&self) -> u32 {
        (MAX_DIRECT / self.start).ilog2() + 2
    }

    fn max_root_rows(&self) -> u32 {
        self.offset_bits - (self.start * WIDTH).ilog2() + 1
    }

    /// Rows of an indirect block that stands for `size` bytes of the heap.
    fn rows_for(&self, size: u64) -> u32 {
        size.ilog2() - (self.start * WIDTH).ilog2() + 1
    }

    /// The row in which an offset from the start of an indirect block falls.
    fn row_of(&self, offset: u64) -> u32 {
        if offset < WIDTH * self.start {
            0
        } else {
            (offset / (WIDTH * self.start)).ilog2() + 1
        }
    }

    /// The size of the direct block that begins at `offset` of the heap.
    fn direct_block_at(&self, mut offset: u64) -> u64 {
        loop {
            let row = self.row_of(offset);
            let size = self.block_size(row);
            if row < self.direct_rows() {
                return size;
            }
            offset = (offset - self.row_start(row)) % size;
        }
    }

    /// The room for objects in all direct blocks of the first `rows` rows, allocated or not.
    fn capacity(&self, rows: u32) -> u64 {
        let mut total = 0;
        let mut of_rows = Vec::new();
        for row in 0..rows {
            let block: u64 = if row < self.direct_rows() {
                self.block_size(row) - self.direct_overhead()
            } else {
                let rows = self.rows_for(self.block_size(row)) as usize;
                of_rows.iter().take(rows).sum()
            };
            of_rows.push(block * WIDTH);
            total += block * WIDTH;
        }
        total
    }
}

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

    /// The heap ID of the `index`-th object.
    pub(super) fn id(&self, index: usize) -> Vec<u8> {
        let mut id = Vec::with_capacity(self.parameters.id_size);
        match self.places.get(index) {
            Some(Place::Managed(offset, size)) => {
                id.put_u8(0);
                id.put_uint(*offset, self.parameters.offset_size());
                id.put_uint(*size, bytes_for(MAX_MANAGED));
            }
            Some(Place::Huge(number, ..)) => {
                id.put_u8(1 << 4);
                id.put_uint(*number, self.parameters.id_size - 1);
            }
            None => {}
        }
        id.resize(self.parameters.id_size, 0);
        id
    }

    /// The heap's bytes for address `base` on, holding `objects`, whose sizes are those that it was laid out for.
    pub(super) fn encode(&self, base: u64, objects: &[Vec<u8>]) -> Vec<u8> {
        let mut out = vec![0; self.size as usize];
        let mut put = |position: u64, bytes: &[u8]| {
            let start = position as usize;
            if let Some(place) = out.get_mut(start..start + bytes.len()) {
                place.copy_from_slice(bytes);
            }
        };
        put(0, &self.header(base));
        for ((start, rows), position) in &self.indirect {
            put(*position, &self.indirect_block(base, *start, *rows));
        }
        let mut records = Vec::new();
        let mut block = Vec::new();
        let mut blocks = self.direct.iter().peekable();
        let mut open: Option<(u64, u64, u64)> = None;
        for (place, object) in self.places.iter().zip(objects) {
            match place {
                Place::Managed(offset, _) => {
                    while open.is_none_or(|(start, size, _)| *offset >= start + size) {
                        if let Some((_, size, position)) = open {
                            put(position, &close_direct(&mut block, size, self.parameters));
                        }
                        let Some((start, (size, position))) = blocks.next() else {
                            break;
                        };
                        open = Some((*start, *size, *position));
                        block = self.direct_head(base, *start);
                    }
                    block.put(object);
                }
                Place::Huge(number, position, size) => {
                    put(self.huge_at + position, object);
                    records.put_u64(base + self.huge_at + position);
                    records.put_u64(*size);
                    records.put_u64(*number);
                }
            }
        }
        if let Some((_, size, position)) = open {
            put(position, &close_direct(&mut block, size, self.parameters));
        }
        if let Some(tree) = &self.huge_tree {
            let nodes = self.huge_tree_at + TREE_HEADER_SIZE;
            put(self.huge_tree_at, &tree.header(base + nodes));
            put(nodes, &tree.nodes(base + nodes, &records));
        }
        out
    }

    fn header(&self, base: u64) -> Vec<u8> {
        let p = &self.parameters;
        let (mut managed, mut used, mut huge, mut huge_size) = (0, 0, 0, 0);
        for place in &self.places {
            match place {
                Place::Managed(_, size) => {
                    managed += 1;
                    used += size;
                }
                Place::Huge(_, _, size) => {
                    huge += 1;
                    huge_size += size;
                }
            }
        }
        let (space, capacity, root) = match (self.root_rows, self.direct.first_key_value()) {
            (0, None) => (0, 0, UNDEFINED),
            (0, Some((_, (size, position)))) => (*size, size - p.direct_overhead(), base + position),
            (rows, _) => {
                let root = self.indirect.get(&(0, rows)).map_or(UNDEFINED, |at| base + at);
                (p.row_start(rows), p.capacity(rows), root)
            }
        };
        let iterator = if self.root_rows == 0 {
            0
        } else {
            self.managed_end()
        };
        let mut out = Vec::with_capacity(HEADER_SIZE as usize);
        out.put(b"FRHP");
        out.put_u8(0); // version
        out.put_u16(p.id_size as u16);
        out.put_u16(0); // no filters
        out.put_u8(0b10); // direct blocks have checksums
        out.put_u32(MAX_MANAGED as u32);
        out.put_u64(huge); // the last number given to a huge object
        out.put_u64(if huge == 0 {
            UNDEFINED
        } else {
            base + self.huge_tree_at
        });
        out.put_u64(capacity - used); // free space, in unallocated blocks of the root's rows too
        out.put_u64(UNDEFINED); // free-space manager
        out.put_u64(space);
        out.put_u64(self.direct.values().map(|(size, _)| size).sum());
        out.put_u64(iterator);
        out.put_u64(managed);
        out.put_u64(huge_size);
        out.put_u64(huge);
        out.put_u64(0); // size of tiny objects
        out.put_u64(0); // number of tiny objects
        out.put_u16(WIDTH as u16);
        out.put_u64(p.start);
        out.put_u64(MAX_DIRECT);
        out.put_u16(p.offset_bits as u16);
        out.put_u16(1); // rows that a root indirect block starts with
        out.put_u64(root);
        out.put_u16(self.root_rows as u16);
        out.put_checksum(0);
        out
    }

    fn indirect_block(&self, base: u64, start: u64, rows: u32) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.parameters.indirect_size(rows) as usize);
        out.put(b"FHIB");
        out.put_u8(0); // version
        out.put_u64(base);
        out.put_uint(start, self.parameters.offset_size());
        for (row, offset, size) in self.entries(start, rows) {
            let child = if row < self.parameters.direct_rows() {
                self.direct.get(&offset).map(|(_, position)| position)
            } else {
                self.indirect.get(&(offset, self.parameters.rows_for(size)))
            };
            out.put_u64(child.map_or(UNDEFINED, |position| base + position));
        }
        out.put_checksum(0);
        out
    }

    /// The beginning of a direct block, its checksum still zero.
    fn direct_head(&self, base: u64, start: u64) -> Vec<u8> {
        let mut out = Vec::with_capacity(MAX_DIRECT as usize);
        out.put(b"FHDB");
        out.put_u8(0); // version
        out.put_u64(base);
        out.put_uint(start, self.parameters.offset_size());
        out.put_u32(0);
        out
    }
}

/// Fills a direct block up to its size and sets the checksum, which covers the block with zeros in its own place.
fn close_direct(block: &mut Vec<u8>, size: u64, parameters: HeapParameters) -> Vec<u8> {
    block.resize(size as usize, 0);
    let end = parameters.direct_overhead() as usize;
    let sum = crate::checksum::lookup3(block).to_le_bytes();
    if let Some(place) = block.get_mut(end - 4..end) {
        place.copy_from_slice(&sum);
    }
    std::mem::take(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table that h5debug prints for heaps of libhdf5.
    #[test]
    fn tables_have_the_rows_of_libhdf5() {
        let (links, attributes) = (HeapParameters::LINKS, HeapParameters::ATTRIBUTES);
        assert_eq!((links.direct_rows(), links.max_root_rows()), (9, 22));
        assert_eq!((attributes.direct_rows(), attributes.max_root_rows()), (8, 29));
        assert_eq!(
            (0..4).map(|r| links.block_size(r)).collect::<Vec<_>>(),
            [512, 512, 1024, 2048]
        );
        assert_eq!(
            (0..4).map(|r| links.row_start(r)).collect::<Vec<_>>(),
            [0, 2048, 4096, 8192]
        );
        assert_eq!(links.rows_for(131_072), 7);
    }

    #[test]
    fn offsets_fall_in_the_row_that_holds_them() {
        let p = HeapParameters::LINKS;
        for row in 0..22 {
            assert_eq!(p.row_of(p.row_start(row)), row);
            assert_eq!(p.row_of(p.row_start(row + 1) - 1), row);
        }
        // Row 9 holds indirect blocks, which begin with the smallest blocks again.
        assert_eq!(p.direct_block_at(p.row_start(9)), 512);
        assert_eq!(p.direct_block_at(p.row_start(9) + 131_072), 512);
        assert_eq!(p.direct_block_at(p.row_start(9) - 65_536), 65_536);
    }

    /// A heap's objects, found by their IDs through its blocks as a reader finds them.
    fn find(heap: &Heap, bytes: &[u8], base: u64, id: &[u8]) -> Vec<u8> {
        let uint = |at: usize, n: usize| {
            bytes[at..at + n]
                .iter()
                .rev()
                .fold(0, |v, b| v << 8 | u64::from(*b))
        };
        let p = heap.parameters;
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b));
        if id[0] == 0x10 {
            let tree = (uint(22, 8) - base) as usize;
            let root = (uint(tree + 16, 8) - base) as usize;
            let record = root + 6 + (number(&id[1..]) as usize - 1) * 24;
            let (at, size) = ((uint(record, 8) - base) as usize, uint(record + 8, 8) as usize);
            return bytes[at..at + size].to_vec();
        }
        let mut offset = number(&id[1..1 + p.offset_size()]);
        let size = number(&id[1 + p.offset_size()..3 + p.offset_size()]) as usize;
        let mut block = (uint(132, 8) - base) as usize;
        let mut start = 0;
        while &bytes[block..block + 4] == b"FHIB" {
            assert_eq!(uint(block + 13, p.offset_size()), start);
            let row = p.row_of(offset);
            let column = (offset - p.row_start(row)) / p.block_size(row);
            let entry = block + 13 + p.offset_size() + (u64::from(row) * 4 + column) as usize * 8;
            let passed = p.row_start(row) + column * p.block_size(row);
            block = (uint(entry, 8) - base) as usize;
            offset -= passed;
            start += passed;
        }
        assert_eq!(&bytes[block..block + 4], b"FHDB");
        assert_eq!(uint(block + 13, p.offset_size()), start);
        bytes[block + offset as usize..block + offset as usize + size].to_vec()
    }

    #[test]
    fn every_object_is_found_by_its_id() {
        for (parameters, count, size) in [
            (HeapParameters::LINKS, 1, 20),
            (HeapParameters::LINKS, 100, 30),
            (HeapParameters::LINKS, 60_000, 40),
            (HeapParameters::ATTRIBUTES, 3, 4096),
            (HeapParameters::ATTRIBUTES, 3_000, 600),
            (HeapParameters::ATTRIBUTES, 20, 5_000),
        ] {
            let objects: Vec<Vec<u8>> = (0..count).map(|i| vec![i as u8; size + i % 7]).collect();
            let heap = Heap::new(parameters, objects.iter().map(|o| o.len() as u64)).unwrap();
            let bytes = heap.encode(8192, &objects);
            assert_eq!(bytes.len() as u64, heap.size());
            for (i, object) in objects.iter().enumerate() {
                let id = heap.id(i);
                assert_eq!(id.len(), parameters.id_size);
                assert_eq!(
                    find(&heap, &bytes, 8192, &id),
                    *object,
                    "{i} of {count} of {size}"
                );
            }
        }
    }

    #[test]
    fn only_huge_objects_need_no_blocks() {
        let heap = Heap::new(HeapParameters::ATTRIBUTES, [100_000].into_iter()).unwrap();
        let header = heap.header(0);
        assert_eq!(header.len() as u64, HEADER_SIZE);
        assert_eq!(header[132..140], [0xff; 8]);
    }
}
