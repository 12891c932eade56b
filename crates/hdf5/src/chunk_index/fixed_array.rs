//! Fixed array chunk index (specification section VII.C): for datasets of a fixed maximum size.
//!
//! ```text
//! header FAHD ─► data block FADB: entries              up to 2^page_bits of them
//!                             or: page bitmap, pages   each page with a checksum of its own
//! ```
//!
//! A page whose bit is not set was never written, and its content is undefined.

use crate::error::Result;
use crate::metadata::MetadataReader;
use crate::metadata::Walk;

use super::entry::EntryFormat;
use super::grid::ArrayOrder;
use super::layout::ChunkedLayout;
use super::runs::EntryForm;
use super::table::TableBuilder;

const HEADER: &str = "fixed array header";
const BLOCK: &str = "fixed array data block";
const PAGE: &str = "fixed array data block page";

/// What the header of an array says.
#[derive(Debug)]
pub(super) struct Header {
    /// 0 for chunks without filters, 1 for those with filters.
    client: u8,
    format: EntryFormat,
    /// A block of more than 2^`page_bits` entries has pages of as many.
    page_bits: u8,
    /// Number of entries.
    count: u64,
    /// Address of the data block.
    block: u64,
}

impl Header {
    /// Reads the header at `address`; `None` of an array without a data block.
    pub(super) fn read(reader: &MetadataReader, address: u64, chunk_size: u64) -> Result<Option<Self>> {
        let (o, l) = (
            usize::from(reader.offset_size()),
            usize::from(reader.length_size()),
        );
        let bytes = reader.read_checked(HEADER, address, 12 + l + o)?;
        reader.takes(address, (12 + l + o) as u64);
        let mut bytes = reader.cursor(HEADER, address, &bytes);
        bytes.signature(b"FAHD")?;
        bytes.version(0)?;
        let client = bytes.u8()?;
        let entry_size = bytes.u8()?;
        let page_bits = bytes.u8()?;
        let count = bytes.length()?;
        let Some(block) = bytes.offset()? else {
            return Ok(None);
        };
        let format = EntryFormat::of_client(reader, HEADER, address, client, entry_size, chunk_size)?;
        Ok(Some(Self {
            client,
            format,
            page_bits,
            count,
            block,
        }))
    }

    /// The header of an array with this data block and number of entries, whose own header is lost.
    pub(super) fn lost(
        reader: &MetadataReader,
        layout: &ChunkedLayout,
        chunk_size: u64,
        block: u64,
        count: u64,
    ) -> Result<Self> {
        let client = block_client(reader, BLOCK, block)?;
        let format = EntryFormat::of_layout(reader, layout, client == 1, chunk_size);
        let [page_bits, ..] = layout.creation.parameters;
        Ok(Self {
            client,
            format: format.ok_or_else(|| reader.damaged(BLOCK, block, "its entries have no known size"))?,
            page_bits,
            count,
            block,
        })
    }
}

/// Who uses the array with the block at `address`: 0 for chunks without filters, 1 for those with filters.
pub(super) fn block_client(reader: &MetadataReader, what: &'static str, address: u64) -> Result<u8> {
    let head = reader.read(what, address, 6)?;
    let mut head = reader.cursor(what, address, &head);
    head.skip(4)?;
    head.version(0)?;
    match head.u8()? {
        client @ 0..=1 => Ok(client),
        other => Err(head.damaged(format!("it is of client {other}"))),
    }
}

/// Reads the chunks of the array with its header at `address`, whose elements have this order.
pub(super) fn read(
    reader: &MetadataReader,
    address: u64,
    header: Header,
    order: &ArrayOrder,
    table: &mut TableBuilder<'_>,
) -> Result<()> {
    let Header {
        client,
        format,
        page_bits,
        count,
        block,
    } = header;
    table.entries_are(EntryForm::Array(format));
    let o = usize::from(reader.offset_size());
    let mut add_all = |what, at, bytes: &[u8], first: u64, n: u64| -> Result<()> {
        let mut bytes = reader.cursor(what, at, bytes);
        for index in first..first.saturating_add(n) {
            let at = at.saturating_add(bytes.position() as u64);
            if let Some(entry) = format.decode(&mut bytes)? {
                table.push_ordered(order, index, entry, at)?;
            }
        }
        Ok(())
    };
    let too_many = || {
        reader.damaged(
            HEADER,
            address,
            format!("{count} entries are more than the file can hold"),
        )
    };
    let entry_size = format.size as u64;
    let mut guard = Walk::new(reader);
    let prefix = 6 + o;
    let page_entries = 1u64.checked_shl(u32::from(page_bits)).unwrap_or(u64::MAX);
    if count <= page_entries {
        let size = count
            .checked_mul(entry_size)
            .and_then(|n| usize::try_from(n).ok()?.checked_add(prefix + 4))
            .ok_or_else(too_many)?;
        guard.enter(BLOCK, block, size as u64)?;
        let bytes = reader.read_checked(BLOCK, block, size)?;
        check_prefix(reader, &bytes, block, client, address)?;
        reader.takes(block, size as u64);
        let entries = bytes.get(prefix..).unwrap_or_default();
        return add_all(BLOCK, block.saturating_add(prefix as u64), entries, 0, count);
    }

    let pages = count.div_ceil(page_entries);
    let bitmap_len = usize::try_from(pages.div_ceil(8)).map_err(|_| too_many())?;
    let size = bitmap_len.checked_add(prefix + 4).ok_or_else(too_many)?;
    guard.enter(BLOCK, block, size as u64)?;
    let bytes = reader.read_checked(BLOCK, block, size)?;
    check_prefix(reader, &bytes, block, client, address)?;
    let bitmap = bytes.get(prefix..prefix + bitmap_len).unwrap_or_default();
    // Pages are contiguous, whether written or not. The last one may be short.
    let page_size = page_entries
        .checked_mul(entry_size)
        .and_then(|n| n.checked_add(4))
        .ok_or_else(too_many)?;
    let all = pages.saturating_mul(page_size);
    reader.expect([(block.saturating_add(size as u64), all)]);
    if let Some(space) = &reader.space {
        let entries = count.saturating_mul(entry_size);
        let sums = pages.saturating_mul(4);
        space.take(block, entries.saturating_add(sums).saturating_add(size as u64));
    }
    for page in (0..pages).filter(|page| bit(bitmap, *page)) {
        let first = page * page_entries;
        let n = page_entries.min(count - first);
        let at = page
            .checked_mul(page_size)
            .and_then(|n| n.checked_add(size as u64)?.checked_add(block))
            .ok_or_else(too_many)?;
        let size = n * entry_size + 4;
        guard.spend(PAGE, at, size)?;
        let read = reader.read_checked(PAGE, at, usize::try_from(size).map_err(|_| too_many())?);
        read.and_then(|bytes| add_all(PAGE, at, &bytes, first, n))
            .or_else(|error| reader.tolerate(error))?;
    }
    Ok(())
}

fn check_prefix(reader: &MetadataReader, bytes: &[u8], block: u64, client: u8, header: u64) -> Result<()> {
    let mut bytes = reader.cursor(BLOCK, block, bytes);
    bytes.signature(b"FADB")?;
    bytes.version(0)?;
    if bytes.u8()? != client || bytes.offset()? != Some(header) {
        return Err(reader.damaged(BLOCK, block, format!("it is not of the array at byte {header}")));
    }
    Ok(())
}

/// Bit `i` of a page bitmap, whose first bit is the highest of its first byte.
pub(super) fn bit(bitmap: &[u8], i: u64) -> bool {
    let byte = usize::try_from(i / 8).ok().and_then(|byte| bitmap.get(byte));
    byte.is_some_and(|byte| byte & (0x80 >> (i % 8)) != 0)
}

#[cfg(test)]
mod tests {
    use super::bit;

    #[test]
    fn bitmaps_begin_with_the_highest_bit() {
        let bitmap = [0b1000_0001, 0b0100_0000];
        let set: Vec<u64> = (0..20).filter(|i| bit(&bitmap, *i)).collect();
        assert_eq!(set, [0, 7, 9]);
    }
}
