//! The header of a fractal heap (`FRHP`).

use crate::dataset::Filter;
use crate::error::Result;
use crate::heap::fractal::doubling_table::DoublingTable;
use crate::messages::dataset::filter_pipeline;
use crate::metadata::{Cursor, MetadataReader};

const HEADER: &str = "fractal heap header";

/// Bits of the header's flags.
const CHECKSUMMED: u8 = 2;

/// The parsed header, without free space and statistics, which only writers need.
#[derive(Debug)]
pub(super) struct Header {
    pub address: u64,
    /// Size of a heap identifier, in bytes.
    pub id_len: usize,
    /// True if direct blocks have checksums.
    pub checksummed: bool,
    /// Filters of direct blocks and huge objects, in the order of encoding; `None` if the heap has none.
    pub filters: Option<Vec<Filter>>,
    pub table: DoublingTable,
    pub root: Option<Child>,
    /// Number of rows of the root indirect block; 0 if the root is a direct block.
    pub root_rows: u32,
    /// Width of an offset in the heap, in bytes.
    pub offset_width: usize,
    /// Width of a managed object's length, in bytes.
    pub length_width: usize,
    /// Maximum size of a managed object, in bytes.
    pub max_managed: u64,
    /// Address of the version 2 B-tree of huge objects.
    pub huge_tree: Option<u64>,
    /// Address of the manager of the free space in its blocks.
    pub free_space: Option<u64>,
}

/// Address and storage of a block, as stored in its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Child {
    pub address: u64,
    /// Set for direct blocks of a heap with filters.
    pub filtered: Option<Filtered>,
}

/// Storage of a filtered block or object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Filtered {
    /// Stored size, in bytes.
    pub size: u64,
    /// Bit i set: filter i was skipped.
    pub mask: u32,
}

impl Filtered {
    pub fn read(bytes: &mut Cursor<'_>) -> Result<Self> {
        Ok(Self {
            size: bytes.length()?,
            mask: bytes.u32()?,
        })
    }
}

impl Header {
    pub fn read(reader: &MetadataReader, address: u64) -> Result<Self> {
        let (o, l) = (
            usize::from(reader.offset_size()),
            usize::from(reader.length_size()),
        );
        let fixed = 22 + 3 * o + 12 * l;
        let head = reader.read(HEADER, address, 9)?;
        let mut head = reader.cursor(HEADER, address, &head);
        head.signature(b"FRHP")?;
        head.version(0)?;
        let id_len = usize::from(head.u16()?);
        let filters_len = usize::from(head.u16()?);
        let is_filtered = filters_len > 0;
        let size = fixed + if is_filtered { l + 4 + filters_len } else { 0 } + 4;

        let bytes = reader.read_checked(HEADER, address, size)?;
        let mut bytes = reader.cursor(HEADER, address, &bytes);
        bytes.bytes(9)?;
        let flags = bytes.u8()?;
        let max_managed = u64::from(bytes.u32()?);
        bytes.length()?; // next key of a huge object: for writers
        let huge_tree = bytes.offset()?;
        bytes.length()?; // free space: for writers
        let free_space = bytes.offset()?;
        reader.takes(address, size as u64);
        bytes.bytes(8 * l)?; // statistics
        let width = u64::from(bytes.u16()?);
        let start_size = bytes.length()?;
        let max_direct = bytes.length()?;
        let max_heap_bits = bytes.u16()?;
        bytes.u16()?; // rows that a new root begins with: for writers
        let root = bytes.offset()?;
        let root_rows = u32::from(bytes.u16()?);
        let (mut filters, mut filtered_root) = (None, None);
        if is_filtered {
            filtered_root = Some(Filtered::read(&mut bytes)?);
            filters = Some(filter_pipeline::decode(&mut bytes.part(filters_len)?)?);
        }

        let Some(table) = DoublingTable::new(width, start_size, max_direct, max_heap_bits) else {
            return Err(reader.damaged(
                HEADER,
                address,
                format!(
                    "rows of {width} blocks of {start_size} to {max_direct} bytes in a space of 2^{max_heap_bits}"
                ),
            ));
        };
        if root_rows > table.max_rows() {
            return Err(reader.damaged(HEADER, address, format!("a root block of {root_rows} rows")));
        }
        if id_len == 0 {
            return Err(reader.damaged(HEADER, address, "identifiers of no size"));
        }
        Ok(Self {
            address,
            id_len,
            checksummed: flags & CHECKSUMMED != 0,
            filters,
            table,
            root: root.map(|address| Child {
                address,
                filtered: filtered_root.filter(|_| root_rows == 0),
            }),
            root_rows,
            offset_width: usize::from(max_heap_bits).div_ceil(8),
            length_width: usize::min(
                (max_direct.ilog2() as usize).div_ceil(8),
                max_managed.checked_ilog2().unwrap_or(0) as usize / 8 + 1,
            ),
            max_managed,
            huge_tree,
            free_space,
        })
    }

    /// Size of a block's signature, version, header address and block offset, in bytes.
    pub fn prefix_len(&self, reader: &MetadataReader) -> usize {
        5 + usize::from(reader.offset_size()) + self.offset_width
    }

    /// Checks the fields after the signature of a block at `address`, which begins at offset `start` of the heap.
    pub fn check_prefix(
        &self,
        reader: &MetadataReader,
        bytes: &mut Cursor<'_>,
        what: &'static str,
        address: u64,
        start: u64,
    ) -> Result<()> {
        bytes.version(0)?;
        if bytes.offset()? != Some(self.address) {
            return Err(reader.damaged(
                what,
                address,
                format!("it is not of the heap at byte {}", self.address),
            ));
        }
        let found = bytes.uint(self.offset_width)?;
        if found != start {
            return Err(reader.damaged(what, address, format!("its offset is {found} instead of {start}")));
        }
        Ok(())
    }
}
