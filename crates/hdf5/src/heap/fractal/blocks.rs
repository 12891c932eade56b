//! The blocks of a fractal heap: finds the bytes at an offset of the heap.
//!
//! ```text
//! offset ─► root ─► indirect block (FHIB) ─► … ─► direct block (FHDB) ─┬─► stays in the file, which is read where needed
//!                                                                      └─► filtered: decoded once, and kept
//! ```

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::header::{Child, Filtered, Header};
use crate::checksum;
use crate::error::{Error, Result};
use crate::heap::read_limit::ReadLimit;
use crate::metadata::MetadataReader;
use crate::metadata::Walk;

/// Estimated size, in bytes, of an indirect block other than the root.
const INDIRECT_SIZE: u64 = 2048;

const WHAT: &str = "fractal heap";
const DIRECT: &str = "fractal heap direct block";
const INDIRECT: &str = "fractal heap indirect block";

/// Blocks read so far. Blocks are identified by address and heap offset.
#[derive(Debug)]
pub(super) struct Blocks {
    walk: Walk,
    /// Direct blocks that have been checked.
    direct: HashSet<(u64, u64)>,
    /// Filtered direct blocks, decoded.
    decoded: HashMap<(u64, u64), Arc<[u8]>>,
    /// Bytes that may still be decoded.
    read_limit: ReadLimit,
    /// Children of indirect blocks.
    indirect: HashMap<(u64, u64), Arc<[Option<Child>]>>,
}

/// The direct block that contains an offset.
#[derive(Debug)]
pub(super) struct FoundBlock {
    /// Position of its bytes.
    pub bytes: Bytes,
    /// Its size, in bytes.
    pub size: u64,
    /// The offset within the block.
    pub within: u64,
}

/// Position of a direct block's bytes.
#[derive(Debug)]
pub(super) enum Bytes {
    /// In the file, at this address.
    InFile(u64),
    /// In memory, after decoding.
    Decoded(Arc<[u8]>),
}

impl Blocks {
    pub fn new(reader: &MetadataReader) -> Self {
        Self {
            walk: Walk::new(reader),
            direct: HashSet::new(),
            decoded: HashMap::new(),
            read_limit: ReadLimit::new(reader),
            indirect: HashMap::new(),
        }
    }

    /// Finds the direct block that contains the byte at `offset`.
    pub fn find(&mut self, reader: &MetadataReader, header: &Header, offset: u64) -> Result<FoundBlock> {
        let unallocated = || reader.damaged(WHAT, header.address, format!("no block holds offset {offset}"));
        let mut block = header.root.ok_or_else(unallocated)?;
        let mut rows = header.root_rows;
        let mut start = 0;
        if rows == 0 {
            let size = header.table.start_size();
            if offset >= size {
                return Err(unallocated());
            }
            return Ok(FoundBlock {
                bytes: self.direct(reader, header, block, start, size)?,
                size,
                within: offset,
            });
        }
        loop {
            let place = header.table.locate(offset - start);
            if place.row >= rows {
                return Err(unallocated());
            }
            let children = self.children(reader, header, block.address, start, rows)?;
            let child = usize::try_from(place.entry)
                .ok()
                .and_then(|entry| children.get(entry).copied()?);
            block = child.ok_or_else(unallocated)?;
            start += place.block_start;
            if header.table.is_direct(place.row) {
                return Ok(FoundBlock {
                    bytes: self.direct(reader, header, block, start, place.block_size)?,
                    size: place.block_size,
                    within: offset - start,
                });
            }
            // An indirect block covers at most half the bytes of its parent, so the loop ends.
            rows = header.table.rows_within(place.block_size);
        }
    }

    /// Tells the reader of the space of all blocks.
    pub fn take_all(&mut self, reader: &MetadataReader, header: &Header) -> Result<()> {
        let Some(root) = header.root else { return Ok(()) };
        if header.root_rows == 0 {
            let size = root
                .filtered
                .map_or(header.table.start_size(), |stored| stored.size);
            reader.takes(root.address, size);
            return Ok(());
        }
        let mut pending = vec![(root.address, 0, header.root_rows)];
        // The walk that children are entered in ends cycles.
        while let Some((address, start, rows)) = pending.pop() {
            let children = self.children(reader, header, address, start, rows)?;
            for (entry, child) in (0..).zip(children.iter()) {
                let Some(child) = child else { continue };
                let Some((begin, size)) = header.table.block(entry) else {
                    return Err(reader.damaged(INDIRECT, address, "a block that is out of range"));
                };
                match header.table.direct_size(entry) {
                    Some(size) => {
                        reader.takes(child.address, child.filtered.map_or(size, |stored| stored.size));
                    }
                    None => pending.push((child.address, start + begin, header.table.rows_within(size))),
                }
            }
        }
        Ok(())
    }

    /// The children of an indirect block, in row order.
    fn children(
        &mut self,
        reader: &MetadataReader,
        header: &Header,
        address: u64,
        start: u64,
        rows: u32,
    ) -> Result<Arc<[Option<Child>]>> {
        if let Some(children) = self.indirect.get(&(address, start)) {
            return Ok(children.clone());
        }
        let is_filtered = header.filters.is_some();
        let pointer = u64::from(reader.offset_size());
        let (direct, indirect) = header.table.entries(rows);
        let direct_pointer = match is_filtered {
            true => pointer + u64::from(reader.length_size()) + 4,
            false => pointer,
        };
        let size = direct
            .checked_mul(direct_pointer)
            .zip(indirect.checked_mul(pointer))
            .and_then(|(direct, indirect)| direct.checked_add(indirect))
            .and_then(|n| {
                usize::try_from(n)
                    .ok()?
                    .checked_add(header.prefix_len(reader) + 4)
            })
            .ok_or_else(|| reader.damaged(INDIRECT, address, format!("{rows} rows")))?;
        self.walk.enter(INDIRECT, address, size as u64)?;
        reader.takes(address, size as u64);
        let bytes = reader.read_checked(INDIRECT, address, size)?;
        let mut bytes = reader.cursor(INDIRECT, address, &bytes);
        bytes.signature(b"FHIB")?;
        header.check_prefix(reader, &mut bytes, INDIRECT, address, start)?;
        let mut children = Vec::new();
        for entry in 0..direct + indirect {
            let child = bytes.offset()?;
            let filtered = match is_filtered && entry < direct {
                true => Some(Filtered::read(&mut bytes)?),
                false => None,
            };
            children.push(child.map(|address| Child { address, filtered }));
        }
        // A caller that reads one object usually reads all of them.
        let places = (0..).zip(&children).filter_map(|(entry, child)| {
            let child = (*child)?;
            let len = match child.filtered {
                Some(filtered) => filtered.size,
                None => header.table.direct_size(entry).unwrap_or(INDIRECT_SIZE),
            };
            Some((child.address, len))
        });
        reader.expect(places);
        let children: Arc<[_]> = children.into();
        self.indirect.insert((address, start), children.clone());
        Ok(children)
    }

    /// The direct block of `size` bytes. On first use, it is checked to belong to this heap, with its checksum if it
    /// has one.
    fn direct(
        &mut self,
        reader: &MetadataReader,
        header: &Header,
        block: Child,
        start: u64,
        size: u64,
    ) -> Result<Bytes> {
        let address = block.address;
        if self.direct.contains(&(address, start)) {
            return Ok(Bytes::InFile(address));
        }
        if let Some(decoded) = self.decoded.get(&(address, start)) {
            return Ok(Bytes::Decoded(decoded.clone()));
        }
        let prefix = header.prefix_len(reader) + if header.checksummed { 4 } else { 0 };
        let whole = usize::try_from(size).ok().filter(|size| *size >= prefix);
        let Some(whole) = whole else {
            return Err(reader.damaged(DIRECT, address, format!("a block of {size} bytes")));
        };
        let (Some(filters), Some(filtered)) = (&header.filters, block.filtered) else {
            self.walk.enter(DIRECT, address, size)?;
            let mut bytes = reader.read(DIRECT, address, if header.checksummed { whole } else { prefix })?;
            check_direct(reader, header, &mut bytes, address, start)?;
            self.direct.insert((address, start));
            return Ok(Bytes::InFile(address));
        };
        self.walk.enter(DIRECT, address, filtered.size)?;
        self.read_limit.take(DIRECT, address, size)?;
        let mut bytes =
            reader.read_filtered(DIRECT, address, filtered.size, filters, filtered.mask, whole)?;
        check_direct(reader, header, &mut bytes, address, start)?;
        let decoded: Arc<[u8]> = bytes.into();
        self.decoded.insert((address, start), decoded.clone());
        Ok(Bytes::Decoded(decoded))
    }
}

/// Checks a direct block's prefix, and its checksum if it has one. In that case, `bytes` must be the whole block, and
/// the checksum in it is set to zero.
fn check_direct(
    reader: &MetadataReader,
    header: &Header,
    bytes: &mut [u8],
    address: u64,
    start: u64,
) -> Result<()> {
    let mut cursor = reader.cursor(DIRECT, address, bytes);
    cursor.signature(b"FHDB")?;
    header.check_prefix(reader, &mut cursor, DIRECT, address, start)?;
    if !header.checksummed {
        return Ok(());
    }
    let stored = cursor.u32()?;
    // The checksum is before the bytes it covers, and counts as zero itself.
    let place = header.prefix_len(reader);
    if let Some(field) = bytes.get_mut(place..place + 4) {
        field.fill(0);
    }
    if !checksum::matches(bytes, stored) {
        return Err(Error::Checksum {
            what: DIRECT,
            offset: reader.absolute(address),
        });
    }
    Ok(())
}
