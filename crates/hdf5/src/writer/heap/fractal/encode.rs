//! Encodes a heap that has been laid out: header, indirect and direct blocks, huge objects.

use super::HeapParameters;
use super::doubling_table::{MAX_DIRECT, WIDTH};
use super::heap_layout::{HEADER_SIZE, HeapLayout, HeapPosition, MAX_MANAGED};
use crate::writer::bytes::{PutBytes, UNDEFINED, bytes_for};

impl HeapLayout {
    /// The heap identifier of object number `index`.
    pub(crate) fn id(&self, index: usize) -> Vec<u8> {
        let mut id = Vec::with_capacity(self.parameters.id_size);
        match self.places.get(index) {
            Some(HeapPosition::Managed(offset, size)) => {
                id.put_u8(0);
                id.put_uint(*offset, self.parameters.offset_size());
                id.put_uint(*size, bytes_for(MAX_MANAGED));
            }
            Some(HeapPosition::Huge(number, ..)) => {
                id.put_u8(1 << 4);
                id.put_uint(*number, self.parameters.id_size - 1);
            }
            None => {}
        }
        id.resize(self.parameters.id_size, 0);
        id
    }

    /// The heap's bytes for address `base`, with `objects`, which must have the sizes it was laid out for. Also returns the
    /// position of the huge objects and their bytes.
    pub(crate) fn encode(&self, base: u64, objects: &[Vec<u8>]) -> (Vec<u8>, u64, Vec<u8>) {
        let mut out = vec![0; self.size as usize];
        let mut huge = Vec::new();
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
                HeapPosition::Managed(offset, _) => {
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
                HeapPosition::Huge(number, position, size) => {
                    huge.resize(*position as usize, 0);
                    huge.extend_from_slice(object);
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
            let nodes = self.huge_nodes_at;
            put(self.huge_tree_at, &tree.header(base + nodes));
            put(nodes, &tree.nodes(base + nodes, &records));
        }
        (out, self.huge_at, huge)
    }

    pub(crate) fn header(&self, base: u64) -> Vec<u8> {
        let p = &self.parameters;
        let (mut managed, mut used, mut huge, mut huge_size) = (0, 0, 0, 0);
        for place in &self.places {
            match place {
                HeapPosition::Managed(_, size) => {
                    managed += 1;
                    used += size;
                }
                HeapPosition::Huge(_, _, size) => {
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

    /// The fields at the beginning of a direct block, with a checksum of zero.
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

/// Pads a direct block to its size and sets the checksum, which covers the block with a checksum field of zero.
fn close_direct(block: &mut Vec<u8>, size: u64, parameters: HeapParameters) -> Vec<u8> {
    block.resize(size as usize, 0);
    let end = parameters.direct_overhead() as usize;
    let sum = crate::checksum::lookup3(block).to_le_bytes();
    if let Some(place) = block.get_mut(end - 4..end) {
        place.copy_from_slice(&sum);
    }
    std::mem::take(block)
}
