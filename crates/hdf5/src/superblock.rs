//! The superblock and its extension (specification sections II.A and II.C), versions 0 to 3.

use crate::error::{Error, Result};
use crate::messages::group::symbol_table::SymbolTable;
use crate::messages::superblock_extension::file_space::FileSpace;
use crate::messages::superblock_extension::{cache_image, driver_info};
use crate::metadata::{MetadataReader, NodeSizes};
use crate::object_header::HeaderBlocks;
use crate::object_header::ObjectHeader;
use crate::object_header::SharedMessageTable;
use crate::object_header::message_type;

const WHAT: &str = "superblock";
/// Cache type of a symbol table entry that repeats the symbol table of its group.
const CACHED_TABLE: u32 = 1;
const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";

/// The parsed superblock.
#[derive(Debug, Clone)]
pub(crate) struct Superblock {
    /// Its version.
    pub(crate) version: u8,
    /// The file consistency flags.
    pub(crate) consistency: Consistency,
    /// Bytes of the file, from its superblock to the end of what libhdf5 has allocated.
    pub(crate) length: u64,
    /// Address of the root group's object header.
    pub(crate) root: u64,
    /// The symbol table of the root group, if the superblock repeats it.
    pub(crate) root_table: Option<SymbolTable>,
    /// Address of the superblock extension's object header.
    pub(crate) extension: Option<u64>,
    /// Address of the driver information block.
    pub(crate) driver: Option<u64>,
    /// Bytes of the superblock itself.
    pub(crate) size: u64,
    /// Sizes of the nodes of groups and version 1 B-trees, unless the extension has them.
    pub(crate) nodes: NodeSizes,
}

/// The file consistency flags, which libhdf5 sets while a file is open for writing.
///
/// Bit 0 stands for writing, bit 2 for SWMR. Libraries before 1.6 set bits 0 and 1 in every file, so that bit 0 says nothing there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Consistency(u8);

impl Consistency {
    /// The file is open for writing, or was when its writer ended.
    pub fn is_open_for_writing(self) -> bool {
        self.0 & 0x02 == 0 && self.0 & 0x05 != 0
    }

    /// The file is open for writing by one program while others read it (SWMR), or was when its writer ended.
    pub fn is_open_for_swmr(self) -> bool {
        self.0 & 0x02 == 0 && self.0 & 0x04 != 0
    }
}

/// What the superblock extension says.
#[derive(Default)]
pub(crate) struct Extension {
    /// Where shared messages are.
    pub(crate) shared: SharedMessageTable,
    /// How the space of the file is managed; `None` if nothing is said.
    pub(crate) space: Option<FileSpace>,
}

impl Superblock {
    /// Finds and parses the superblock. The returned reader knows the file's base address and sizes.
    pub(crate) fn read(reader: &MetadataReader) -> Result<(MetadataReader, Self)> {
        let base = find(reader)?;
        let here = reader.at_base(base, 8, 8)?;
        // Signature, version, and the fields before the addresses in version 0.
        let head = here.read(WHAT, 0, 9)?;
        match head.last() {
            Some(version @ 0..=1) => Self::read_v0(&here, *version),
            Some(version @ 2..=3) => Self::read_v2(&here, *version),
            version => Err(Error::Unsupported(format!(
                "version {} of the superblock",
                version.copied().unwrap_or_default()
            ))),
        }
    }

    /// What stands in for a superblock that cannot be read: the file has the usual sizes of addresses and lengths, and its root group
    /// is not known. `reader` knows where the file begins.
    pub(crate) fn lost(reader: &MetadataReader) -> Self {
        Self {
            version: 2,
            consistency: Consistency::default(),
            length: reader.file_size(),
            root: u64::MAX,
            root_table: None,
            extension: None,
            driver: None,
            size: 0,
            nodes: NodeSizes::default(),
        }
    }

    /// The position of the signature, if it is there.
    pub(crate) fn position(reader: &MetadataReader) -> Option<u64> {
        find(reader).ok()
    }

    fn read_v0(reader: &MetadataReader, version: u8) -> Result<(MetadataReader, Self)> {
        const FIXED: usize = 24;
        let fixed = reader.read(WHAT, 0, FIXED)?;
        let mut fixed = reader.cursor(WHAT, 0, &fixed);
        fixed.skip(8 + 1 + 1 + 1 + 1 + 1)?; // signature, versions, reserved
        let (offset_size, length_size) = (fixed.u8()?, fixed.u8()?);
        fixed.skip(1)?; // reserved
        let mut nodes = NodeSizes {
            symbols: fixed.u16()?,
            group: fixed.u16()?,
            ..NodeSizes::default()
        };
        let consistency = Consistency(fixed.u8()?);
        let reader = reader.at_base(reader.base(), offset_size, length_size)?;

        let start = if version == 1 { FIXED + 4 } else { FIXED };
        // Four addresses, and the root group's symbol table entry.
        let size = start + 5 * usize::from(offset_size) + usize::from(length_size) + 24;
        let bytes = reader.read(WHAT, 0, size)?;
        let mut cursor = reader.cursor(WHAT, 0, &bytes);
        cursor.skip(FIXED)?;
        if version == 1 {
            nodes.chunks = cursor.u16()?;
            cursor.skip(2)?; // reserved
        }
        let base = cursor.offset()?;
        cursor.offset()?; // free space: never stored there
        let end = cursor.offset()?;
        let driver = cursor.offset()?;
        cursor.length()?; // where the root group's name is
        let root = cursor.defined_offset()?;
        let repeats_table = cursor.u32()? == CACHED_TABLE;
        cursor.skip(4)?;
        let root_table = SymbolTable::decode(&mut cursor).ok().filter(|_| repeats_table);
        let mut is_family = false;
        if let Some(address) = driver {
            // Version, reserved, size; then the name of the driver.
            let block = reader.read("driver information block", address, 16)?;
            let mut block = reader.cursor("driver information block", address, &block);
            block.skip(8)?;
            is_family = driver_info::is_family(block.array()?)?;
        }
        // The end of file is relative to the start of the file at the time the base address was written.
        let length = end.unwrap_or(0).saturating_sub(base.unwrap_or(0));
        let reader = match with_end(reader, length) {
            Err(Error::Truncated { .. }) if is_family => {
                return Err(Error::Unsupported(
                    "a member of a family of files without the others (the family is named like name%05d.h5)"
                        .into(),
                ));
            }
            reader => reader?,
        };
        let superblock = Self {
            version,
            consistency,
            length,
            root,
            root_table,
            extension: None,
            driver,
            size: size as u64,
            nodes,
        };
        Ok((reader, superblock))
    }

    fn read_v2(reader: &MetadataReader, version: u8) -> Result<(MetadataReader, Self)> {
        const FIXED: usize = 12;
        let fixed = reader.read(WHAT, 0, FIXED)?;
        let mut fixed = reader.cursor(WHAT, 0, &fixed);
        fixed.skip(9)?;
        let (offset_size, length_size) = (fixed.u8()?, fixed.u8()?);
        let consistency = Consistency(fixed.u8()?);
        let reader = reader.at_base(reader.base(), offset_size, length_size)?;

        let size = FIXED + 4 * usize::from(offset_size) + 4;
        let bytes = reader.read_checked(WHAT, 0, size)?;
        let mut cursor = reader.cursor(WHAT, 0, &bytes);
        cursor.skip(FIXED)?;
        let base = cursor.offset()?;
        let extension = cursor.offset()?;
        let end = cursor.offset()?;
        let root = cursor.defined_offset()?;
        // The end of file is relative to the start of the file at the time the base address was written.
        let length = end.unwrap_or(0).saturating_sub(base.unwrap_or(0));
        let reader = with_end(reader, length)?;
        let superblock = Self {
            version,
            consistency,
            length,
            root,
            root_table: None,
            extension,
            driver: None,
            size: size as u64,
            nodes: NodeSizes::default(),
        };
        Ok((reader, superblock))
    }

    /// The sizes of the nodes of groups and version 1 B-trees, from the superblock or its extension.
    pub(crate) fn node_sizes(&self, reader: &MetadataReader) -> Result<NodeSizes> {
        let Some(address) = self.extension else {
            return Ok(self.nodes);
        };
        let header = ObjectHeader::read(reader, &HeaderBlocks::default(), address)?;
        let Some(message) = header.first(message_type::BTREE_K) else {
            return Ok(self.nodes);
        };
        let mut message = reader.cursor("B-tree K values message", message.address, &message.data);
        message.version(0)?;
        Ok(NodeSizes {
            chunks: message.u16()?,
            group: message.u16()?,
            symbols: message.u16()?,
        })
    }

    /// Reads the extension. Installs a metadata cache image.
    pub(crate) fn read_extension(&self, reader: &MetadataReader) -> Result<Extension> {
        let Some(address) = self.extension else {
            return Ok(Extension::default());
        };
        let header = ObjectHeader::read(reader, &HeaderBlocks::default(), address)?;
        let message = |kind| {
            let message = header.first(kind)?;
            Some(reader.cursor("superblock extension", message.address, &message.data))
        };
        if let Some(mut info) = message(message_type::DRIVER_INFO) {
            info.version(0)?;
            // The file is as long as it must be, so members of a family are joined.
            driver_info::is_family(info.array()?)?;
        }
        // Install the image first: it may contain the table.
        if let Some(mut image) = message(message_type::CACHE_IMAGE) {
            reader.set_image(cache_image::read(reader, &mut image)?);
        }
        let shared = match message(message_type::SHARED_MESSAGE_TABLE) {
            Some(mut table) => SharedMessageTable::read(reader, &mut table)?,
            None => SharedMessageTable::default(),
        };
        let space = match message(message_type::FILE_SPACE_INFO) {
            Some(mut space) => FileSpace::decode(&mut space)?,
            None => None,
        };
        Ok(Extension { shared, space })
    }
}

/// Finds the signature: at byte 0, or after a user block, at 512 or a power of two above it. Addresses are relative to
/// this position, not to the base address in the superblock, since user blocks can be added and removed later.
fn find(reader: &MetadataReader) -> Result<u64> {
    let size = reader.file_size();
    let mut at = 0u64;
    while at
        .checked_add(SIGNATURE.len() as u64)
        .is_some_and(|end| end <= size)
    {
        match reader.read(WHAT, at, SIGNATURE.len()) {
            Ok(found) if found == SIGNATURE => return Ok(at),
            Ok(_) => {}
            // The end of a source of unknown size.
            Err(Error::Truncated { .. }) => break,
            Err(e) => return Err(e),
        }
        at = if at == 0 { 512 } else { at.saturating_mul(2) };
    }
    Err(Error::NotHdf5)
}

/// Fails if the source ends before the superblock's end of file. For a source of unknown size, that end becomes the
/// reader's.
fn with_end(reader: MetadataReader, need: u64) -> Result<MetadataReader> {
    if reader.is_truncated() && reader.file_size() != u64::MAX {
        return Ok(reader);
    }
    if need > reader.file_size() {
        return Err(Error::Truncated {
            what: "the HDF5 file",
            offset: reader.base(),
            need,
        });
    }
    reader.ending_at("the HDF5 file", need)
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use super::*;
    use crate::source::ByteSource;

    /// A source that does not tell its size.
    struct Endless(Vec<u8>);

    impl ByteSource for Endless {
        fn size(&self) -> io::Result<Option<u64>> {
            Ok(None)
        }

        fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
            self.0.read_exact_at(offset, buf)
        }
    }

    /// A version 2 superblock behind `base` other bytes, in a file that it says has `end` bytes and that has 100.
    fn read(base: usize, end: u64) -> Result<(MetadataReader, Superblock)> {
        let mut block = SIGNATURE.to_vec();
        block.extend([2, 8, 8, 0]);
        for field in [0, u64::MAX, end, 48] {
            block.extend(field.to_le_bytes());
        }
        block.extend(crate::checksum::lookup3(&block).to_le_bytes());
        block.resize(100, 0);
        let mut bytes = vec![0; base];
        bytes.extend(block);
        Superblock::read(&MetadataReader::new(Arc::new(Endless(bytes)), 0, 8, 8)?)
    }

    #[test]
    fn a_source_without_a_size_ends_where_the_superblock_says() {
        for base in [0, 512, 1024] {
            let (reader, superblock) = read(base, 90).unwrap();
            assert_eq!((reader.file_size(), superblock.root), (90, 48));
            assert!(reader.read("x", 80, 10).is_ok());
            assert!(matches!(reader.read("x", 80, 11), Err(Error::Truncated { .. })));
        }
    }

    #[test]
    fn an_end_that_is_not_there_is_not_believed() {
        for end in [101, 1 << 40, u64::MAX - 1] {
            assert!(matches!(read(512, end), Err(Error::Truncated { .. })), "{end}");
        }
    }

    #[test]
    fn a_source_without_a_size_may_be_no_file() {
        for len in [0, 7, 600, 5000] {
            let reader = MetadataReader::new(Arc::new(Endless(vec![0; len])), 0, 8, 8).unwrap();
            assert!(matches!(Superblock::read(&reader), Err(Error::NotHdf5)), "{len}");
        }
    }
}
