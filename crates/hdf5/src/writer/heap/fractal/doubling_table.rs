//! The doubling table of a heap: the direct and indirect blocks, and the block of each offset.
//!
//! ```text
//! row 0   s  s  s  s        offsets 0 to 4s of the heap
//! row 1   s  s  s  s        offsets 4s to 8s
//! row 2   2s 2s 2s 2s       offsets 8s to 16s
//! …                         up to the largest direct block; further rows are of indirect blocks, which are such tables again
//! ```

/// Number of blocks in a row.
pub(crate) const WIDTH: u64 = 4;
/// Size of the largest direct block, in bytes.
pub(crate) const MAX_DIRECT: u64 = 64 * 1024;

/// Parameters in which the library's heaps for links and for attributes differ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeapParameters {
    /// Size of the first blocks, in bytes.
    pub(crate) start: u64,
    /// Width of an offset in the heap, in bits.
    pub(crate) offset_bits: u32,
    /// Size of a heap identifier, in bytes.
    pub(crate) id_size: usize,
}

impl HeapParameters {
    /// Parameters of a group's heap of links.
    pub(crate) const LINKS: Self = Self {
        start: 512,
        offset_bits: 32,
        id_size: 7,
    };
    /// Parameters of an object's heap of attributes.
    pub(crate) const ATTRIBUTES: Self = Self {
        start: 1024,
        offset_bits: 40,
        id_size: 8,
    };

    pub(crate) fn offset_size(&self) -> usize {
        (self.offset_bits / 8) as usize
    }

    /// Size of a direct block's fields beside objects: signature, version, heap address, offset, checksum.
    pub(crate) fn direct_overhead(&self) -> u64 {
        4 + 1 + 8 + self.offset_size() as u64 + 4
    }

    pub(crate) fn indirect_size(&self, rows: u32) -> u64 {
        self.direct_overhead() + u64::from(rows) * WIDTH * 8
    }

    /// Size of the blocks in a row, in bytes.
    pub(crate) fn block_size(&self, row: u32) -> u64 {
        self.start << row.saturating_sub(1)
    }

    /// Beginning of a row, relative to its indirect block.
    pub(crate) fn row_start(&self, row: u32) -> u64 {
        if row == 0 { 0 } else { WIDTH * self.block_size(row) }
    }

    /// Maximum number of rows of direct blocks in an indirect block. Further rows are of indirect blocks.
    pub(crate) fn direct_rows(&self) -> u32 {
        (MAX_DIRECT / self.start).ilog2() + 2
    }

    pub(crate) fn max_root_rows(&self) -> u32 {
        self.offset_bits - (self.start * WIDTH).ilog2() + 1
    }

    /// Number of rows in an indirect block that covers `size` bytes of the heap.
    pub(crate) fn rows_for(&self, size: u64) -> u32 {
        size.ilog2() - (self.start * WIDTH).ilog2() + 1
    }

    /// The row that contains an offset, relative to its indirect block.
    pub(crate) fn row_of(&self, offset: u64) -> u32 {
        if offset < WIDTH * self.start {
            0
        } else {
            (offset / (WIDTH * self.start)).ilog2() + 1
        }
    }

    /// Size of the direct block that begins at `offset` of the heap.
    pub(crate) fn direct_block_at(&self, mut offset: u64) -> u64 {
        loop {
            let row = self.row_of(offset);
            let size = self.block_size(row);
            if row < self.direct_rows() {
                return size;
            }
            offset = (offset - self.row_start(row)) % size;
        }
    }

    /// Room for objects in all direct blocks of the first `rows` rows, allocated or not.
    pub(crate) fn capacity(&self, rows: u32) -> u64 {
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
}
