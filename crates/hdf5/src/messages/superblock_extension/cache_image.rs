//! The Metadata Cache Image message, and the image (specification sections IV.A.2.x and "Metadata Cache Image").
//!
//! When a library closes a file, it may write its whole metadata cache as one block. The bytes at the entries' own
//! addresses are then out of date.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::metadata::{Cursor, MetadataReader};

const WHAT: &str = "metadata cache image";

/// Reads the image that the message in the superblock extension refers to, as entries by address.
pub(crate) fn read(reader: &MetadataReader, message: &mut Cursor<'_>) -> Result<BTreeMap<u64, Vec<u8>>> {
    message.version(0)?;
    let address = message.offset()?;
    let length = message.length()?;
    let (Some(address), 1..) = (address, length) else {
        return Ok(BTreeMap::new());
    };
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let bytes = reader.read_checked(WHAT, address, length)?;
    let mut image = reader.cursor(WHAT, address, &bytes);
    image.signature(b"MDCI")?;
    image.version(0)?;
    image.u8()?; // flags: about resizing the cache
    image.length()?;
    let count = image.u32()?;
    let mut entries = BTreeMap::new();
    for _ in 0..count {
        image.skip(4)?; // type, flags, ring, age
        image.skip(4)?; // counts of children that it must be flushed after
        let parents = usize::from(image.u16()?);
        image.skip(4)?; // rank
        let entry_address = image.defined_offset()?;
        let size = usize::try_from(image.length()?).unwrap_or(usize::MAX);
        image.skip(parents * usize::from(reader.offset_size()))?;
        let entry = image.bytes(size)?;
        entries.insert(entry_address, entry.to_vec());
    }
    Ok(entries)
}
