//! The numbers that tell where in an extensible array an entry is, from its header (specification section VII.D, "Extensible Array
//! Header"), or from the Data Layout message, which has the same.

use super::entry::EntryFormat;
use super::fixed_array::block_client;
use super::layout::ChunkedLayout;
use crate::error::Result;
use crate::metadata::MetadataReader;

const HEADER: &str = "extensible array header";
const BLOCK: &str = "extensible array block";

/// The constants of an array, from its header.
#[derive(Debug)]
pub(super) struct ExtensibleArrayShape {
    /// 0 for chunks without filters, 1 for those with filters.
    pub(super) client: u8,
    pub(super) format: EntryFormat,
    /// Width of an entry's number, in bytes.
    pub(super) index_width: usize,
    /// Number of entries in the index block.
    pub(super) index_block_entries: u64,
    /// Minimum number of entries in a data block, a power of two.
    min_entries: u64,
    /// Number of super blocks whose data blocks are referred to by the index block.
    pub(super) implied_super_blocks: u32,
    /// Number of all super blocks.
    pub(super) super_blocks: u32,
    /// Number of entries in a page, a power of two. A larger data block is divided into pages.
    pub(super) page_entries: u64,
}

impl ExtensibleArrayShape {
    /// Reads the header. Returns also the address of the index block; `None` if there is none yet.
    pub(super) fn read(
        reader: &MetadataReader,
        address: u64,
        chunk_size: u64,
    ) -> Result<Option<(Self, u64)>> {
        let (o, l) = (
            usize::from(reader.offset_size()),
            usize::from(reader.length_size()),
        );
        let size = 16 + 6 * l + o;
        let bytes = reader.read_checked(HEADER, address, size)?;
        reader.takes(address, size as u64);
        let mut bytes = reader.cursor(HEADER, address, &bytes);
        bytes.signature(b"EAHD")?;
        bytes.version(0)?;
        let client = bytes.u8()?;
        let entry_size = bytes.u8()?;
        let max_bits = bytes.u8()?;
        let index_block_entries = bytes.u8()?;
        let min_entries = bytes.u8()?;
        let min_pointers = bytes.u8()?;
        let page_bits = bytes.u8()?;
        bytes.bytes(6 * l)?; // statistics
        let index_block = bytes.offset()?;

        let format = EntryFormat::of_client(reader, HEADER, address, client, entry_size, chunk_size)?;
        let parameters = [
            max_bits,
            index_block_entries,
            min_pointers,
            min_entries,
            page_bits,
        ];
        let shape = Self::new(reader, address, client, format, parameters)?;
        Ok(index_block.map(|index_block| (shape, index_block)))
    }

    /// The constants of an array whose header is lost, from one of its blocks and the Data Layout message.
    pub(super) fn lost(
        reader: &MetadataReader,
        layout: &ChunkedLayout,
        chunk_size: u64,
        block: u64,
    ) -> Result<Self> {
        let client = block_client(reader, BLOCK, block)?;
        let format = EntryFormat::of_layout(reader, layout, client == 1, chunk_size);
        let format = format.ok_or_else(|| reader.damaged(BLOCK, block, "its entries have no known size"))?;
        let [parameters @ .., _] = layout.creation.parameters;
        Self::new(reader, block, client, format, parameters)
    }

    /// `parameters` are in the order of the Data Layout message.
    fn new(
        reader: &MetadataReader,
        address: u64,
        client: u8,
        format: EntryFormat,
        parameters: [u8; 5],
    ) -> Result<Self> {
        let [
            max_bits,
            index_block_entries,
            min_pointers,
            min_entries,
            page_bits,
        ] = parameters;
        let refuse = |why: String| Err(reader.damaged(HEADER, address, why));
        if !min_entries.is_power_of_two() || !min_pointers.is_power_of_two() {
            return refuse(format!(
                "{min_entries} entries and {min_pointers} pointers at least"
            ));
        }
        if max_bits == 0 || max_bits > 64 || page_bits > 63 {
            return refuse(format!("{max_bits} bits of entries, {page_bits} of pages"));
        }
        let implied = 2 * min_pointers.ilog2();
        let super_blocks = (1 + u32::from(max_bits)).checked_sub(min_entries.ilog2());
        let Some(super_blocks) = super_blocks.filter(|n| *n >= implied) else {
            return refuse(format!("super blocks that do not fit into {max_bits} bits"));
        };
        Ok(Self {
            client,
            format,
            index_width: usize::from(max_bits).div_ceil(8),
            index_block_entries: u64::from(index_block_entries),
            min_entries: u64::from(min_entries),
            implied_super_blocks: implied,
            super_blocks,
            page_entries: 1 << page_bits,
        })
    }

    /// Number of data blocks in super block `u`.
    pub(super) fn data_blocks(&self, u: u32) -> u64 {
        1 << (u / 2)
    }

    /// Number of entries in a data block of super block `u`.
    pub(super) fn data_block_entries(&self, u: u32) -> u64 {
        (1u64 << u.div_ceil(2)) * self.min_entries
    }

    /// Number of the first entry of super block `u`; `None` if it overflows.
    pub(super) fn first_entry(&self, u: u32) -> Option<u64> {
        ((1u64.checked_shl(u)?) - 1)
            .checked_mul(self.min_entries)?
            .checked_add(self.index_block_entries)
    }
}
