//! The doubling table of a fractal heap (specification section III.G): finds the block at an offset of the heap.
//!
//! Blocks form rows of equal width. Blocks of rows 0 and 1 have the starting size. In each further row, blocks are
//! twice as large as in the row before. Rows up to the maximum direct block size consist of direct blocks. In later
//! rows, every block is an indirect block: a doubling table of its own that covers as many bytes.

/// Shape of a heap's doubling tables. All sizes are powers of two, stored as exponents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DoublingTable {
    width_bits: u32,
    start_bits: u32,
    max_direct_bits: u32,
    max_heap_bits: u32,
}

/// Position of an offset in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockPosition {
    /// The row.
    pub(crate) row: u32,
    /// Index among all blocks of the table, in row order.
    pub(crate) entry: u64,
    /// Beginning of the block, relative to the table's beginning.
    pub(crate) block_start: u64,
    /// Bytes of the heap that the block covers.
    pub(crate) block_size: u64,
}

impl DoublingTable {
    /// A table with rows of `width` blocks, first blocks of `start` bytes, direct blocks of at most `max_direct` bytes,
    /// and a heap below 2 ^ `max_heap_bits` bytes. `None` if these are inconsistent.
    pub(crate) fn new(width: u64, start: u64, max_direct: u64, max_heap_bits: u16) -> Option<Self> {
        let max_heap_bits = u32::from(max_heap_bits);
        if !(width.is_power_of_two() && start.is_power_of_two() && max_direct.is_power_of_two())
            || max_heap_bits == 0
            || max_heap_bits > 64
        {
            return None;
        }
        let table = Self {
            width_bits: width.ilog2(),
            start_bits: start.ilog2(),
            max_direct_bits: max_direct.ilog2(),
            max_heap_bits,
        };
        (table.start_bits <= table.max_direct_bits && table.first_row_bits() <= max_heap_bits.min(63))
            .then_some(table)
    }

    /// Size of the first row in bytes, as an exponent.
    fn first_row_bits(&self) -> u32 {
        self.width_bits + self.start_bits
    }

    /// Number of rows of the largest table, which covers the whole heap.
    pub(crate) fn max_rows(&self) -> u32 {
        self.max_heap_bits - self.first_row_bits() + 1
    }

    /// Number of rows of direct blocks.
    fn direct_rows(&self) -> u32 {
        self.max_direct_bits - self.start_bits + 2
    }

    /// True if the blocks of this row are direct blocks.
    pub(crate) fn is_direct(&self, row: u32) -> bool {
        row < self.direct_rows()
    }

    /// Size of the first blocks, in bytes.
    pub(crate) fn start_size(&self) -> u64 {
        1 << self.start_bits
    }

    /// Numbers of direct and indirect blocks in a table of `rows` rows.
    pub(crate) fn entries(&self, rows: u32) -> (u64, u64) {
        let rows = rows.min(self.max_rows());
        let direct = rows.min(self.direct_rows());
        let blocks = |rows: u32| u64::from(rows).saturating_mul(1 << self.width_bits);
        (blocks(direct), blocks(rows - direct))
    }

    /// Size, in bytes, of the block at index `entry`; `None` if it is not a direct block.
    pub(crate) fn direct_size(&self, entry: u64) -> Option<u64> {
        let row = u32::try_from(entry >> self.width_bits).ok()?;
        self.is_direct(row)
            .then(|| 1 << (self.start_bits + row.saturating_sub(1)))
    }

    /// Beginning of the block at index `entry`, relative to the table's beginning, and bytes of the heap that it covers; `None` if they
    /// cannot be counted.
    pub(crate) fn block(&self, entry: u64) -> Option<(u64, u64)> {
        let row = u32::try_from(entry >> self.width_bits).ok()?;
        let size = 1u64.checked_shl(self.start_bits + row.saturating_sub(1))?;
        let row_start = match row {
            0 => 0,
            _ => 1u64.checked_shl(self.first_row_bits() + row - 1)?,
        };
        let column = entry - (u64::from(row) << self.width_bits);
        Some((row_start.checked_add(column.checked_mul(size)?)?, size))
    }

    /// Number of rows in the table of an indirect block that covers `block_size` bytes.
    pub(crate) fn rows_within(&self, block_size: u64) -> u32 {
        (block_size.checked_ilog2().unwrap_or(0) + 1).saturating_sub(self.first_row_bits())
    }

    /// Position of the byte at `offset` from the table's beginning.
    pub(crate) fn locate(&self, offset: u64) -> BlockPosition {
        // Row r > 0 begins at 2 ^ (first_row_bits + r - 1) and is as long as all rows before it.
        let row = match offset.checked_ilog2() {
            Some(bit) if bit >= self.first_row_bits() => bit - self.first_row_bits() + 1,
            _ => 0,
        };
        let (row_start, block_bits) = match row {
            0 => (0, self.start_bits),
            _ => (
                1u64 << (self.first_row_bits() + row - 1),
                self.start_bits + row - 1,
            ),
        };
        let column = (offset - row_start) >> block_bits;
        BlockPosition {
            row,
            entry: (u64::from(row) << self.width_bits) + column,
            block_start: row_start + (column << block_bits),
            block_size: 1 << block_bits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_blocks_row_by_row() {
        let table = DoublingTable::new(4, 512, 65_536, 32).unwrap();
        let place = |row, entry, block_start, block_size| BlockPosition {
            row,
            entry,
            block_start,
            block_size,
        };
        assert_eq!(table.locate(0), place(0, 0, 0, 512));
        assert_eq!(table.locate(511), place(0, 0, 0, 512));
        assert_eq!(table.locate(2047), place(0, 3, 1536, 512));
        assert_eq!(table.locate(2048), place(1, 4, 2048, 512));
        assert_eq!(table.locate(4096), place(2, 8, 4096, 1024));
        assert_eq!(table.locate(8191), place(2, 11, 7168, 1024));
        assert_eq!(table.locate(8192), place(3, 12, 8192, 2048));
        assert!(table.is_direct(8));
        assert!(!table.is_direct(9));
        assert_eq!(table.rows_within(131_072), 7);
        assert_eq!(table.max_rows(), 22);
        assert_eq!(table.entries(2), (8, 0));
        assert_eq!(table.entries(22), (36, 52));
    }

    #[test]
    fn every_offset_has_a_place() {
        for bits in 12..=64 {
            let table = DoublingTable::new(4, 512, 1024, bits).unwrap();
            let last = u64::MAX >> (64 - bits);
            let place = table.locate(last);
            assert_eq!(place.row + 1, table.max_rows().max(1));
            assert!(place.block_start + (place.block_size - 1) == last);
            assert_eq!(
                table.block(place.entry),
                Some((place.block_start, place.block_size))
            );
        }
    }

    #[test]
    fn refuses_what_does_not_fit() {
        assert_eq!(DoublingTable::new(3, 512, 1024, 32), None);
        assert_eq!(DoublingTable::new(4, 512, 256, 32), None);
        assert_eq!(DoublingTable::new(4, 512, 1024, 10), None);
        assert_eq!(DoublingTable::new(4, 512, 1024, 65), None);
        assert_eq!(DoublingTable::new(0, 512, 1024, 32), None);
        assert_eq!(DoublingTable::new(1 << 63, 1 << 63, 1 << 63, 64), None);
    }
}
