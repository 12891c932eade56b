//! Fractal heaps (specification section III.G): many small objects, and few that are not.
//!
//! A heap identifier says which of three kinds its object is:
//!
//! - *managed*: an offset into the heap's own space, which [direct blocks](DIRECT) hold and [`DoublingTable`]s find;
//! - *huge*: somewhere in the file, at an address that the identifier holds, or that a version 2 B-tree holds under
//!   the identifier's key;
//! - *tiny*: in the identifier itself.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use crate::btree::record;
use crate::checksum;
use crate::error::{Error, Result};
use crate::reader::bytes::{Cursor, MetadataReader};
use crate::walk::Walk;

use super::budget::Budget;
use super::doubling_table::DoublingTable;

const WHAT: &str = "fractal heap";
const HEADER: &str = "fractal heap header";
const DIRECT: &str = "fractal heap direct block";
const INDIRECT: &str = "fractal heap indirect block";
const HUGE: &str = "fractal heap huge object";

/// An open fractal heap.
#[derive(Debug)]
pub(crate) struct FractalHeap {
    reader: MetadataReader,
    address: u64,
    /// Bytes of a heap identifier.
    id_len: usize,
    filtered: bool,
    checksummed: bool,
    table: DoublingTable,
    root: Option<u64>,
    /// Rows of the root indirect block; 0: the root is a direct block.
    root_rows: u32,
    /// Bytes of an offset into the heap's space.
    offset_width: usize,
    /// Bytes of the length of a managed object.
    length_width: usize,
    /// Largest managed object.
    max_managed: u64,
    huge_tree: Option<u64>,
    blocks: Mutex<Blocks>,
    budget: Budget,
}

/// The blocks read so far.
#[derive(Debug)]
struct Blocks {
    walk: Walk,
    /// Addresses and heap offsets of the direct blocks that were checked.
    direct: HashSet<(u64, u64)>,
    /// Child addresses of indirect blocks, by their own address and heap offset.
    indirect: HashMap<(u64, u64), Arc<[Option<u64>]>>,
    /// Addresses and lengths of huge objects, by key.
    huge: Option<Arc<HashMap<u64, (u64, u64)>>>,
}

impl FractalHeap {
    /// Reads the heap's header at `address`.
    ///
    /// A heap hands out a bounded number of bytes, enough to read all of its objects several times: open it anew for
    /// each reading of the group or object that it belongs to.
    pub(crate) fn open(reader: &MetadataReader, address: u64) -> Result<Self> {
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
        let filtered = filters_len > 0;
        let size = fixed + if filtered { l + 4 + filters_len } else { 0 } + 4;

        let bytes = reader.read_checked(HEADER, address, size)?;
        let mut bytes = reader.cursor(HEADER, address, &bytes);
        bytes.bytes(9)?;
        let flags = bytes.u8()?;
        let max_managed = u64::from(bytes.u32()?);
        bytes.length()?; // next key of a huge object: for writers
        let huge_tree = bytes.offset()?;
        bytes.length()?; // free space, and who manages it: for writers
        bytes.offset()?;
        bytes.bytes(8 * l)?; // statistics
        let width = u64::from(bytes.u16()?);
        let start_size = bytes.length()?;
        let max_direct = bytes.length()?;
        let max_heap_bits = bytes.u16()?;
        bytes.u16()?; // rows that a new root begins with: for writers
        let root = bytes.offset()?;
        let root_rows = u32::from(bytes.u16()?);

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
            reader: reader.clone(),
            address,
            id_len,
            filtered,
            checksummed: flags & 2 != 0,
            table,
            root,
            root_rows,
            offset_width: usize::from(max_heap_bits).div_ceil(8),
            length_width: usize::min(
                (max_direct.ilog2() as usize).div_ceil(8),
                max_managed.checked_ilog2().unwrap_or(0) as usize / 8 + 1,
            ),
            max_managed,
            huge_tree,
            blocks: Mutex::new(Blocks {
                walk: Walk::new(reader),
                direct: HashSet::new(),
                indirect: HashMap::new(),
                huge: None,
            }),
            budget: Budget::new(reader),
        })
    }

    /// The bytes of the object with the identifier `heap_id`.
    ///
    /// Fails with [`Error::Unsupported`] for managed and huge objects of a heap with filters.
    pub(crate) fn object(&self, heap_id: &[u8]) -> Result<Vec<u8>> {
        let Some(id) = heap_id.get(..self.id_len) else {
            return Err(self.damaged(format!("an identifier of {} bytes", heap_id.len())));
        };
        let Some((first, rest)) = id.split_first() else {
            return Err(self.damaged("an identifier of no bytes"));
        };
        let (version, kind) = (first >> 6, first >> 4 & 3);
        if version != 0 {
            return Err(self.damaged(format!("an identifier of version {version}")));
        }
        match kind {
            2 => self.tiny(*first, rest),
            _ if self.filtered => Err(Error::Unsupported("a fractal heap with filters".into())),
            0 => self.managed(rest),
            1 => self.huge(rest),
            _ => Err(self.damaged("an identifier of an unknown kind")),
        }
    }

    fn tiny(&self, first: u8, rest: &[u8]) -> Result<Vec<u8>> {
        // Identifiers with room for more than 16 bytes, and the byte that takes, have the length in 12 bits.
        let extended = self.id_len > 18;
        let high = usize::from(first & 0xf);
        let object = if extended {
            rest.split_first()
                .and_then(|(low, data)| data.get(..(high << 8 | usize::from(*low)) + 1))
        } else {
            rest.get(..high + 1)
        };
        match object {
            Some(object) => Ok(object.to_vec()),
            None => Err(self.damaged("a tiny object that is larger than its identifier")),
        }
    }

    fn managed(&self, id: &[u8]) -> Result<Vec<u8>> {
        let mut id = self.reader.cursor("fractal heap identifier", self.address, id);
        let offset = id.uint(self.offset_width)?;
        let length = id.uint(self.length_width)?;
        if length > self.max_managed {
            return Err(self.damaged(format!("a managed object of {length} bytes")));
        }
        let (block, block_size, within) = self.direct_block(offset)?;
        let (Some(start), Ok(len)) = (block.checked_add(within), usize::try_from(length)) else {
            return Err(self.damaged("a managed object is out of range"));
        };
        if within.checked_add(length).is_none_or(|end| end > block_size) {
            return Err(self.damaged(format!("the object at offset {offset} is larger than its block")));
        }
        self.budget.take(WHAT, self.address, length)?;
        self.reader.read("fractal heap object", start, len)
    }

    fn huge(&self, id: &[u8]) -> Result<Vec<u8>> {
        let (o, l) = (
            usize::from(self.reader.offset_size()),
            usize::from(self.reader.length_size()),
        );
        let mut cursor = self.reader.cursor("fractal heap identifier", self.address, id);
        let (address, length) = if o + l <= id.len() {
            (cursor.defined_offset()?, cursor.length()?)
        } else {
            let key = cursor.uint(id.len().min(8))?;
            *self
                .huge_objects()?
                .get(&key)
                .ok_or_else(|| self.damaged(format!("no huge object has the key {key}")))?
        };
        let Ok(len) = usize::try_from(length) else {
            return Err(self.damaged(format!("a huge object of {length} bytes")));
        };
        self.budget.take(WHAT, self.address, length)?;
        self.reader.read(HUGE, address, len)
    }

    /// Where the huge objects are, by key.
    fn huge_objects(&self) -> Result<Arc<HashMap<u64, (u64, u64)>>> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(huge) = &blocks.huge {
            return Ok(huge.clone());
        }
        let mut objects = HashMap::new();
        if let Some(tree) = self.huge_tree {
            for object in record::huge_objects(&self.reader, tree)? {
                objects.insert(object.key, (object.address, object.length));
            }
        }
        let objects = Arc::new(objects);
        blocks.huge = Some(objects.clone());
        Ok(objects)
    }

    /// The address and size of the direct block that holds the byte at `offset`, and where in it that byte is.
    fn direct_block(&self, offset: u64) -> Result<(u64, u64, u64)> {
        let unallocated = || self.damaged(format!("no block holds offset {offset}"));
        let mut address = self.root.ok_or_else(unallocated)?;
        let mut rows = self.root_rows;
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let mut block_start = 0;
        if rows == 0 {
            let size = self.table.start_size();
            if offset >= size {
                return Err(unallocated());
            }
            self.check_direct(&mut blocks, address, block_start, size)?;
            return Ok((address, size, offset));
        }
        loop {
            let within = offset - block_start;
            let place = self.table.locate(within);
            if place.row >= rows {
                return Err(unallocated());
            }
            let children = self.indirect(&mut blocks, address, block_start, rows)?;
            let child = usize::try_from(place.entry)
                .ok()
                .and_then(|entry| children.get(entry).copied()?);
            address = child.ok_or_else(unallocated)?;
            block_start += place.block_start;
            if self.table.is_direct(place.row) {
                self.check_direct(&mut blocks, address, block_start, place.block_size)?;
                return Ok((address, place.block_size, offset - block_start));
            }
            // What an indirect block covers is at most half of what its parent does, so this ends.
            rows = self.table.rows_within(place.block_size);
        }
    }

    /// The addresses of an indirect block's children, in row order.
    fn indirect(
        &self,
        blocks: &mut Blocks,
        address: u64,
        start: u64,
        rows: u32,
    ) -> Result<Arc<[Option<u64>]>> {
        if let Some(children) = blocks.indirect.get(&(address, start)) {
            return Ok(children.clone());
        }
        let o = usize::from(self.reader.offset_size());
        let size = self
            .table
            .entries(rows)
            .and_then(|n| {
                usize::try_from(n)
                    .ok()?
                    .checked_mul(o)?
                    .checked_add(self.prefix_len() + 4)
            })
            .ok_or_else(|| self.reader.damaged(INDIRECT, address, format!("{rows} rows")))?;
        blocks.walk.enter(INDIRECT, address, size as u64)?;
        let bytes = self.reader.read_checked(INDIRECT, address, size)?;
        let mut bytes = self.reader.cursor(INDIRECT, address, &bytes);
        bytes.signature(b"FHIB")?;
        self.check_prefix(&mut bytes, INDIRECT, address, start)?;
        let count = self.table.entries(rows).unwrap_or(0);
        let children = (0..count).map(|_| bytes.offset()).collect::<Result<Arc<[_]>>>()?;
        blocks.indirect.insert((address, start), children.clone());
        Ok(children)
    }

    /// Checks a direct block once: that it belongs to this heap, and its checksum where it has one.
    fn check_direct(&self, blocks: &mut Blocks, address: u64, start: u64, size: u64) -> Result<()> {
        if blocks.direct.contains(&(address, start)) {
            return Ok(());
        }
        blocks.walk.enter(DIRECT, address, size)?;
        let prefix = self.prefix_len() + if self.checksummed { 4 } else { 0 };
        let whole = usize::try_from(size).ok().filter(|size| *size >= prefix);
        let Some(whole) = whole else {
            return Err(self
                .reader
                .damaged(DIRECT, address, format!("a block of {size} bytes")));
        };
        let mut bytes = self
            .reader
            .read(DIRECT, address, if self.checksummed { whole } else { prefix })?;
        let mut cursor = self.reader.cursor(DIRECT, address, &bytes);
        cursor.signature(b"FHDB")?;
        self.check_prefix(&mut cursor, DIRECT, address, start)?;
        if self.checksummed {
            let stored = cursor.u32()?;
            // The checksum stands in front of what it covers, and counts as zero itself.
            if let Some(field) = bytes.get_mut(prefix - 4..prefix) {
                field.fill(0);
            }
            if !checksum::matches(&bytes, stored) {
                return Err(Error::Checksum {
                    what: DIRECT,
                    offset: self.reader.absolute(address),
                });
            }
        }
        blocks.direct.insert((address, start));
        Ok(())
    }

    /// Bytes of signature, version, header address and block offset.
    fn prefix_len(&self) -> usize {
        5 + usize::from(self.reader.offset_size()) + self.offset_width
    }

    /// Checks what follows a block's signature.
    fn check_prefix(
        &self,
        bytes: &mut Cursor<'_>,
        what: &'static str,
        address: u64,
        start: u64,
    ) -> Result<()> {
        bytes.version(0)?;
        if bytes.offset()? != Some(self.address) {
            return Err(self.reader.damaged(
                what,
                address,
                format!("it is not of the heap at byte {}", self.address),
            ));
        }
        let found = bytes.uint(self.offset_width)?;
        if found != start {
            return Err(self.reader.damaged(
                what,
                address,
                format!("its offset is {found} instead of {start}"),
            ));
        }
        Ok(())
    }

    fn damaged(&self, why: impl Into<String>) -> Error {
        self.reader.damaged(WHAT, self.address, why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checksum::lookup3;

    /// A heap with identifiers of `id_len` bytes and a direct block as its root, which holds "hello" at offset 30.
    fn heap(id_len: u16, filters: &[u8]) -> Result<FractalHeap> {
        let mut file = b"FRHP\0".to_vec();
        file.extend(id_len.to_le_bytes());
        file.extend((filters.len() as u16).to_le_bytes());
        file.push(2);
        file.extend(4096u32.to_le_bytes());
        file.extend([0; 8]);
        file.extend([0xff; 8]); // no huge objects
        file.extend([0; 8]);
        file.extend([0xff; 8]);
        file.extend([0; 64]);
        file.extend(4u16.to_le_bytes());
        file.extend(512u64.to_le_bytes());
        file.extend(65_536u64.to_le_bytes());
        file.extend(32u16.to_le_bytes());
        file.extend(1u16.to_le_bytes());
        file.extend(1024u64.to_le_bytes());
        file.extend(0u16.to_le_bytes());
        if !filters.is_empty() {
            file.extend(512u64.to_le_bytes());
            file.extend([0; 4]);
            file.extend(filters);
        }
        file.extend(lookup3(&file).to_le_bytes());
        file.resize(1024, 0);

        let mut block = b"FHDB\0".to_vec();
        block.extend([0; 8 + 4 + 4]);
        block.resize(30, 0);
        block.extend(b"hello");
        block.resize(512, 0);
        let sum = lookup3(&block);
        block[17..21].copy_from_slice(&sum.to_le_bytes());
        file.extend(block);
        FractalHeap::open(&MetadataReader::new(Arc::new(file), 0, 8, 8).unwrap(), 0)
    }

    #[test]
    fn managed_objects() {
        let heap = heap(7, &[]).unwrap();
        assert_eq!(heap.object(&[0, 30, 0, 0, 0, 5, 0]).unwrap(), b"hello");
        assert_eq!(heap.object(&[0, 30, 0, 0, 0, 4, 0]).unwrap(), b"hell");
        // Past the block's end, in no block, longer than any managed object, of an unknown kind or version.
        for id in [
            [0, 255, 1, 0, 0, 2, 0],
            [0, 0, 2, 0, 0, 1, 0],
            [0, 0, 0, 0, 0, 1, 16],
            [0x30, 30, 0, 0, 0, 5, 0],
            [0x40, 30, 0, 0, 0, 5, 0],
        ] {
            assert!(heap.object(&id).is_err(), "{id:?}");
        }
        assert!(heap.object(&[0, 30, 0]).is_err());
    }

    #[test]
    fn tiny_objects_are_in_their_identifiers() {
        assert_eq!(heap(7, &[]).unwrap().object(b"\x22abcdef").unwrap(), b"abc");
        assert!(heap(7, &[]).unwrap().object(b"\x26abcdef").is_err());
        let mut id = vec![0x20, 29];
        id.extend([b'x'; 30]);
        assert_eq!(heap(32, &[]).unwrap().object(&id).unwrap(), [b'x'; 30]);
        id[0] = 0x21;
        assert!(heap(32, &[]).unwrap().object(&id).is_err());
    }

    #[test]
    fn huge_objects_by_address() {
        let mut id = vec![0x10];
        id.extend(1054u64.to_le_bytes());
        id.extend(5u64.to_le_bytes());
        assert_eq!(heap(17, &[]).unwrap().object(&id).unwrap(), b"hello");
        // By key, but there are none.
        assert!(heap(16, &[]).unwrap().object(&id).is_err());
    }

    #[test]
    fn filters_are_not_supported() {
        let heap = heap(7, &[1; 12]).unwrap();
        assert!(matches!(
            heap.object(&[0, 30, 0, 0, 0, 5, 0]),
            Err(Error::Unsupported(_))
        ));
        assert_eq!(heap.object(b"\x22abcdef").unwrap(), b"abc");
    }

    #[test]
    fn the_same_object_ever_again_comes_to_an_end() {
        let heap = heap(7, &[]).unwrap();
        heap.budget.take(WHAT, 0, 64 << 20).unwrap();
        assert!((0..10_000).any(|_| heap.object(&[0, 30, 0, 0, 0, 5, 0]).is_err()));
    }
}
