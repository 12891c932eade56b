//! Extensible array chunk index (specification section VII.D): for datasets with one unlimited dimension.
//!
//! ```text
//! header EAHD ─► index block EAIB ─┬─ entries                      the first few
//!                                  ├─► data blocks EADB: entries   of the first super blocks, which are not stored
//!                                  └─► super blocks EASB ─► data blocks EADB: entries, or pages of entries
//! ```
//!
//! Super block u has 2^(u/2) data blocks, each with 2^((u+1)/2) times the minimum number of entries. So each super
//! block has as many entries as all before it together, plus the minimum number.

use crate::error::{Error, Result};
use crate::metadata::Walk;
use crate::metadata::{Cursor, MetadataReader};

use super::extensible_array_shape::ExtensibleArrayShape;
use super::fixed_array::bit;
use super::grid::ArrayOrder;
use super::layout::ChunkedLayout;
use super::runs::EntryForm;
use super::table::TableBuilder;

/// Maximum size of a block's fields other than entries, in bytes.
const BLOCK_OVERHEAD: u64 = 64;

/// Sizes of a data block that are tried, on average.
const TRIALS: u64 = 4;

const INDEX_BLOCK: &str = "extensible array index block";
const SUPER_BLOCK: &str = "extensible array super block";
const DATA_BLOCK: &str = "extensible array data block";
const PAGE: &str = "extensible array data block page";

/// Reads the chunks of the array with its header at `address`, whose elements have this order. `found` are all blocks of it
/// where it cannot be read as a whole: what nothing leads to any more is read by what the block says of itself.
pub(super) fn read(
    reader: &MetadataReader,
    address: u64,
    (layout, chunk_size): (&ChunkedLayout, u64),
    found: &[u64],
    order: &ArrayOrder,
    table: &mut TableBuilder<'_>,
) -> Result<()> {
    let header = ExtensibleArrayShape::read(reader, address, chunk_size);
    let (shape, index_block) = match (header, found.first()) {
        (Err(error), Some(block)) => {
            reader.tolerate(error)?;
            let is_index_block = reader.read(INDEX_BLOCK, *block, 4)? == b"EAIB";
            let shape = ExtensibleArrayShape::lost(reader, layout, chunk_size, *block)?;
            (shape, is_index_block.then_some(*block))
        }
        (header, _) => match header? {
            Some((shape, index_block)) => (shape, Some(index_block)),
            None => return Ok(()),
        },
    };
    table.entries_are(EntryForm::Array(shape.format));
    let mut array = Array {
        reader,
        header: address,
        shape,
        guard: Walk::new(reader),
        super_blocks: Vec::new(),
        trials_left: TRIALS.saturating_mul(reader.file_size()),
        order,
        table,
    };
    if let Some(index_block) = index_block {
        let read = array.index_block(index_block);
        if found.is_empty() {
            return read;
        }
        array.go_on(read)?;
    }
    for block in found {
        match array.loose_block(*block) {
            Err(error) if error.is_failure() => return Err(error),
            // What is wrong with it was met where a block leads to it, or no block does.
            _ => {}
        }
    }
    Ok(())
}

/// A walk over an array.
struct Array<'a, 'b> {
    reader: &'a MetadataReader,
    header: u64,
    shape: ExtensibleArrayShape,
    guard: Walk,
    /// Numbers of the super blocks that were read.
    super_blocks: Vec<u32>,
    /// Bytes of data blocks whose size may still be tried.
    trials_left: u64,
    order: &'a ArrayOrder,
    table: &'a mut TableBuilder<'b>,
}

/// A data block, as described in its super block.
#[derive(Clone, Copy)]
struct DataBlock<'a> {
    address: u64,
    /// Number of its first entry.
    first: u64,
    entries: u64,
    /// Bitmap of written pages, and the bit of its first page; `None` without pages.
    pages: Option<(&'a [u8], u64)>,
}

impl Array<'_, '_> {
    fn index_block(&mut self, address: u64) -> Result<()> {
        let o = usize::from(self.reader.offset_size());
        let implied = self.shape.implied_super_blocks;
        let data_blocks: u64 = (0..implied).map(|u| self.shape.data_blocks(u)).sum();
        let stored_super_blocks = self.shape.super_blocks - implied;
        let entries_size = self.shape.index_block_entries * self.shape.format.size as u64;
        let pointers = data_blocks + u64::from(stored_super_blocks);
        let size = (10 + o) as u64 + entries_size + pointers * o as u64;
        let bytes = self.block(INDEX_BLOCK, address, b"EAIB", size)?;
        let mut bytes = self.reader.cursor(INDEX_BLOCK, address, &bytes);
        self.check_prefix(&mut bytes, INDEX_BLOCK, address)?;

        self.entries(address, &mut bytes, 0, self.shape.index_block_entries)?;
        self.expect(
            &bytes,
            (0..self.shape.super_blocks).flat_map(|u| {
                let (count, entries) = match u < implied {
                    true => (self.shape.data_blocks(u), self.shape.data_block_entries(u)),
                    // A super block: an address for each of its data blocks.
                    false => (1, self.shape.data_blocks(u)),
                };
                (0..count).map(move |_| entries)
            }),
        );
        for u in 0..implied {
            let entries = self.shape.data_block_entries(u);
            for i in 0..self.shape.data_blocks(u) {
                let Some(address) = bytes.offset()? else { continue };
                let first = self
                    .data_block_first(u, i)
                    .ok_or_else(|| self.out_of_range(address))?;
                let read = self.data_block(DataBlock {
                    address,
                    first,
                    entries,
                    pages: None,
                });
                self.go_on(read)?;
            }
        }
        for u in implied..self.shape.super_blocks {
            if let Some(address) = bytes.offset()? {
                let read = self.super_block(address, u);
                self.go_on(read)?;
            }
        }
        Ok(())
    }

    /// Reads a super block or a data block that nothing leads to, by the number of its first entry. A data block with pages needs a super
    /// block.
    ///
    /// libhdf5 counts the data blocks of the first super blocks, which are not stored, twice in that number. So it may be that of another
    /// data block, of a stored super block. Where that was not read, such a data block is not read either.
    fn loose_block(&mut self, address: u64) -> Result<()> {
        let o = usize::from(self.reader.offset_size());
        let head = self
            .reader
            .read(DATA_BLOCK, address, 6 + o + self.shape.index_width)?;
        let mut head = self.reader.cursor(DATA_BLOCK, address, &head);
        let signature: [u8; 4] = head.array()?;
        head.skip(2 + o)?;
        let number = head.uint(self.shape.index_width)?;
        let implied = self.shape.implied_super_blocks;
        let start = |u: u32| Some(self.shape.first_entry(u)? - self.shape.index_block_entries);
        if &signature == b"EASB" {
            let u = (implied..self.shape.super_blocks).find(|u| start(*u) == Some(number));
            return u.map_or(Ok(()), |u| self.super_block(address, u));
        }
        if &signature != b"EADB" {
            return Ok(());
        }
        let mut before = 0;
        let mut fitting = Vec::new();
        for u in 0..self.shape.super_blocks {
            let (count, entries) = (self.shape.data_blocks(u), self.shape.data_block_entries(u));
            let counted = if u < implied { before } else { 0 };
            before += count;
            let first = start(u).and_then(|start| start.checked_add(counted * entries));
            let Some(first) = first.filter(|_| entries <= self.shape.page_entries) else {
                break;
            };
            let i = number.checked_sub(first).filter(|rest| rest % entries == 0);
            let Some(i) = i.map(|rest| rest / entries).filter(|i| *i < count) else {
                continue;
            };
            let size = entries * self.shape.format.size as u64;
            self.trials_left = self
                .trials_left
                .checked_sub(size)
                .ok_or_else(|| self.out_of_range(address))?;
            let size = size as usize + 10 + o + self.shape.index_width;
            if !self.super_blocks.contains(&u) && self.reader.read_checked(DATA_BLOCK, address, size).is_ok()
            {
                fitting.push((u, i, entries));
            }
        }
        let [(u, i, entries)] = fitting.as_slice() else {
            return Ok(());
        };
        let first = self
            .data_block_first(*u, *i)
            .ok_or_else(|| self.out_of_range(address))?;
        self.data_block(DataBlock {
            address,
            first,
            entries: *entries,
            pages: None,
        })
    }

    fn super_block(&mut self, address: u64, u: u32) -> Result<()> {
        let o = self.reader.offset_size();
        let data_blocks = self.shape.data_blocks(u);
        let entries = self.shape.data_block_entries(u);
        // Bits are numbered through all data blocks, although whole bytes are reserved for each.
        let pages = if entries > self.shape.page_entries {
            entries / self.shape.page_entries
        } else {
            0
        };
        let bitmap = pages.div_ceil(8).checked_mul(data_blocks);
        let prefix = 10 + u64::from(o) + self.shape.index_width as u64;
        let size = bitmap.and_then(|bitmap| {
            data_blocks
                .checked_mul(u64::from(o))?
                .checked_add(bitmap)?
                .checked_add(prefix)
        });
        let (Some(size), Some(bitmap)) = (size, bitmap.and_then(|n| usize::try_from(n).ok())) else {
            return Err(self.out_of_range(address));
        };
        let bytes = self.block(SUPER_BLOCK, address, b"EASB", size)?;
        let mut bytes = self.reader.cursor(SUPER_BLOCK, address, &bytes);
        self.check_prefix(&mut bytes, SUPER_BLOCK, address)?;
        bytes.skip(self.shape.index_width)?;
        let bitmap = bytes.bytes(bitmap)?;
        self.super_blocks.push(u);
        self.expect(&bytes, (0..data_blocks).map(|_| entries));
        for i in 0..data_blocks {
            let Some(address) = bytes.offset()? else { continue };
            let first = self
                .data_block_first(u, i)
                .ok_or_else(|| self.out_of_range(address))?;
            // The bitmap has a bit for each page, so this cannot overflow.
            let pages = (pages > 0).then_some((bitmap, i * pages));
            let read = self.data_block(DataBlock {
                address,
                first,
                entries,
                pages,
            });
            self.go_on(read)?;
        }
        Ok(())
    }

    /// Number of the first entry in data block `i` of super block `u`.
    fn data_block_first(&self, u: u32, i: u64) -> Option<u64> {
        self.shape
            .first_entry(u)?
            .checked_add(i.checked_mul(self.shape.data_block_entries(u))?)
    }

    fn data_block(&mut self, block: DataBlock<'_>) -> Result<()> {
        let DataBlock {
            address,
            first,
            entries,
            pages,
        } = block;
        let prefix = 10 + u64::from(self.reader.offset_size()) + self.shape.index_width as u64;
        let entry_size = self.shape.format.size as u64;
        let Some((bitmap, first_page)) = pages else {
            if entries > self.shape.page_entries {
                // Without a super block, there is no bitmap for the pages.
                return Err(self
                    .reader
                    .damaged(DATA_BLOCK, address, "it has pages, but no super block"));
            }
            let size = entries
                .checked_mul(entry_size)
                .and_then(|n| n.checked_add(prefix));
            let size = size.ok_or_else(|| self.out_of_range(address))?;
            let bytes = self.block(DATA_BLOCK, address, b"EADB", size)?;
            let mut bytes = self.reader.cursor(DATA_BLOCK, address, &bytes);
            self.check_prefix(&mut bytes, DATA_BLOCK, address)?;
            // The block offset identifies the entries. Libraries write it in two different ways, but do not read it.
            bytes.skip(self.shape.index_width)?;
            return self.entries(address, &mut bytes, first, entries);
        };

        let bytes = self.block(DATA_BLOCK, address, b"EADB", prefix)?;
        let mut bytes = self.reader.cursor(DATA_BLOCK, address, &bytes);
        self.check_prefix(&mut bytes, DATA_BLOCK, address)?;
        let n = self.shape.page_entries;
        let page_size = n.checked_mul(entry_size).and_then(|n| n.checked_add(4));
        // Space is there for all pages, written or not.
        let all = page_size.and_then(|size| size.checked_mul(entries / n));
        self.reader
            .takes(address.saturating_add(prefix), all.unwrap_or(u64::MAX));
        for page in (0..entries / n).filter(|page| bit(bitmap, first_page + page)) {
            let at = page_size
                .and_then(|size| size.checked_mul(page)?.checked_add(prefix)?.checked_add(address))
                .ok_or_else(|| self.out_of_range(address))?;
            let size = page_size.and_then(|size| usize::try_from(size).ok());
            let size = size.ok_or_else(|| self.out_of_range(address))?;
            self.guard.spend(PAGE, at, size as u64)?;
            let read = self.reader.read_checked(PAGE, at, size);
            let read = read.and_then(|bytes| {
                self.entries(at, &mut self.reader.cursor(PAGE, at, &bytes), first + page * n, n)
            });
            self.go_on(read)?;
        }
        Ok(())
    }

    /// The result of a block. A damaged file is read without the blocks that cannot be read.
    fn go_on(&self, read: Result<()>) -> Result<()> {
        read.or_else(|error| self.reader.tolerate(error))
    }

    /// Announces reads of the next blocks in `addresses`, which have this many entries.
    fn expect(&self, addresses: &Cursor<'_>, entries: impl Iterator<Item = u64>) {
        if !self.reader.is_slow() {
            return;
        }
        let mut addresses = addresses.clone();
        let places = entries.map_while(|entries| {
            let len = entries.saturating_mul(self.shape.format.size as u64);
            Some((addresses.offset().ok()?, len.saturating_add(BLOCK_OVERHEAD)))
        });
        self.reader
            .expect(places.filter_map(|(address, len)| Some((address?, len))));
    }

    /// Adds `n` entries from number `first` on. `bytes` are of the block at `address`.
    fn entries(&mut self, address: u64, bytes: &mut Cursor<'_>, first: u64, n: u64) -> Result<()> {
        for index in first..first.saturating_add(n) {
            let at = address.saturating_add(bytes.position() as u64);
            if let Some(entry) = self.shape.format.decode(bytes)? {
                self.table.push_ordered(self.order, index, entry, at)?;
            }
        }
        Ok(())
    }

    /// Reads a block that must not have been visited before, and verifies its checksum.
    fn block(&mut self, what: &'static str, address: u64, signature: &[u8; 4], size: u64) -> Result<Vec<u8>> {
        self.guard.enter(what, address, size)?;
        self.reader.takes(address, size);
        let size = usize::try_from(size).map_err(|_| self.out_of_range(address))?;
        let bytes = self.reader.read_checked(what, address, size)?;
        self.reader.cursor(what, address, &bytes).signature(signature)?;
        Ok(bytes)
    }

    /// Checks the fields of a block up to the address of the header.
    fn check_prefix(&self, bytes: &mut Cursor<'_>, what: &'static str, address: u64) -> Result<()> {
        bytes.bytes(4)?;
        bytes.version(0)?;
        if bytes.u8()? != self.shape.client || bytes.offset()? != Some(self.header) {
            return Err(self.reader.damaged(
                what,
                address,
                format!("it is not of the array at byte {}", self.header),
            ));
        }
        Ok(())
    }

    fn out_of_range(&self, address: u64) -> Error {
        self.reader.damaged(
            DATA_BLOCK,
            address,
            format!("it is out of range of the array at byte {}", self.header),
        )
    }
}
