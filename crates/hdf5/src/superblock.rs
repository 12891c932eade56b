//! The superblock and its extension (specification sections II.A and II.C), versions 0 to 3.

use crate::error::{Error, Result};
use crate::messages::{cache_image, driver_info, message_type, shared_message_table::SharedMessageTable};
use crate::object_header::ObjectHeader;
use crate::reader::bytes::MetadataReader;
use crate::reader::header_blocks::HeaderBlocks;

const WHAT: &str = "superblock";
const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";

/// What the superblock says.
#[derive(Debug, Clone)]
pub(crate) struct Superblock {
    /// Its version.
    pub(crate) version: u8,
    /// Address of the root group's object header.
    pub(crate) root: u64,
    /// Address of the superblock extension's object header.
    extension: Option<u64>,
}

impl Superblock {
    /// Finds and reads the superblock. The reader returned has the file's base address and sizes.
    pub(crate) fn read(reader: &MetadataReader) -> Result<(MetadataReader, Self)> {
        let base = find(reader)?;
        let here = reader.at_base(base, 8, 8)?;
        // Signature and version, then what stands in front of the addresses in version 0.
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

    fn read_v0(reader: &MetadataReader, version: u8) -> Result<(MetadataReader, Self)> {
        const FIXED: usize = 24;
        let fixed = reader.read(WHAT, 0, FIXED)?;
        let mut fixed = reader.cursor(WHAT, 0, &fixed);
        fixed.skip(8 + 1 + 1 + 1 + 1 + 1)?; // signature, versions, reserved
        let (offset_size, length_size) = (fixed.u8()?, fixed.u8()?);
        let reader = reader.at_base(reader.base(), offset_size, length_size)?;

        let start = if version == 1 { FIXED + 4 } else { FIXED };
        // Four addresses, and the root group's symbol table entry.
        let size = start + 5 * usize::from(offset_size) + usize::from(length_size) + 24;
        let bytes = reader.read(WHAT, 0, size)?;
        let mut cursor = reader.cursor(WHAT, 0, &bytes);
        cursor.skip(start)?;
        let base = cursor.offset()?;
        cursor.offset()?; // free space: never stored there
        let end = cursor.offset()?;
        let driver = cursor.offset()?;
        cursor.length()?; // where the root group's name is
        let root = cursor.defined_offset()?;
        if let Some(address) = driver {
            // Version, reserved, size; then the name of the driver.
            let block = reader.read("driver information block", address, 16)?;
            let mut block = reader.cursor("driver information block", address, &block);
            block.skip(8)?;
            driver_info::check(block.array()?)?;
        }
        check_end(&reader, base, end)?;
        let superblock = Self {
            version,
            root,
            extension: None,
        };
        Ok((reader, superblock))
    }

    fn read_v2(reader: &MetadataReader, version: u8) -> Result<(MetadataReader, Self)> {
        const FIXED: usize = 12;
        let fixed = reader.read(WHAT, 0, FIXED)?;
        let mut fixed = reader.cursor(WHAT, 0, &fixed);
        fixed.skip(9)?;
        let (offset_size, length_size) = (fixed.u8()?, fixed.u8()?);
        let reader = reader.at_base(reader.base(), offset_size, length_size)?;

        let bytes = reader.read_checked(WHAT, 0, FIXED + 4 * usize::from(offset_size) + 4)?;
        let mut cursor = reader.cursor(WHAT, 0, &bytes);
        cursor.skip(FIXED)?;
        let base = cursor.offset()?;
        let extension = cursor.offset()?;
        let end = cursor.offset()?;
        let root = cursor.defined_offset()?;
        check_end(&reader, base, end)?;
        let superblock = Self {
            version,
            root,
            extension,
        };
        Ok((reader, superblock))
    }

    /// Reads the extension: puts a metadata cache image in place, and returns the table of shared messages.
    pub(crate) fn read_extension(&self, reader: &MetadataReader) -> Result<SharedMessageTable> {
        let Some(address) = self.extension else {
            return Ok(SharedMessageTable::default());
        };
        let header = ObjectHeader::read(reader, &HeaderBlocks::default(), address)?;
        let message = |kind| {
            let message = header.first(kind)?;
            Some(reader.cursor("superblock extension", message.address, &message.data))
        };
        if let Some(mut info) = message(message_type::DRIVER_INFO) {
            info.version(0)?;
            driver_info::check(info.array()?)?;
        }
        // First the image: it may hold the table.
        if let Some(mut image) = message(message_type::CACHE_IMAGE) {
            reader.set_image(cache_image::read(reader, &mut image)?);
        }
        match message(message_type::SHARED_MESSAGE_TABLE) {
            Some(mut table) => SharedMessageTable::read(reader, &mut table),
            None => Ok(SharedMessageTable::default()),
        }
    }
}

/// Where the signature is: at byte 0, or at 512 or a power of 2 above it, behind a user block. This, and not the base
/// address that the superblock has, is where addresses count from: user blocks are added to and taken off files.
fn find(reader: &MetadataReader) -> Result<u64> {
    let size = reader.file_size();
    let mut at = 0u64;
    while at
        .checked_add(SIGNATURE.len() as u64)
        .is_some_and(|end| end <= size)
    {
        if reader.read(WHAT, at, SIGNATURE.len())? == SIGNATURE {
            return Ok(at);
        }
        at = if at == 0 { 512 } else { at.saturating_mul(2) };
    }
    Err(Error::NotHdf5)
}

/// Fails where the source ends in front of the end that the superblock gives.
fn check_end(reader: &MetadataReader, base: Option<u64>, end: Option<u64>) -> Result<()> {
    // The end counts from the start of the file as it was when the base address was written.
    let need = end.unwrap_or(0).saturating_sub(base.unwrap_or(0));
    if need > reader.file_size() {
        return Err(Error::Truncated {
            what: "the HDF5 file",
            offset: reader.base(),
            need,
        });
    }
    Ok(())
}
