//! Managers of free space (specification section III.H): of the file, and of fractal heaps.

use crate::error::Result;
use crate::messages::superblock_extension::file_space::FileSpace;
use crate::metadata::{Cursor, MetadataReader};

const HEADER: &str = "free-space manager header";

/// Most managers that the File Space Info message has: for six sorts of data, in small and in large sections.
const MANAGERS: usize = 12;

/// Tells the reader of the space of the manager with its header at `address`. Returns the number of free bytes that it manages.
pub(super) fn take(reader: &MetadataReader, address: u64) -> Result<u64> {
    let (o, l) = (
        usize::from(reader.offset_size()),
        usize::from(reader.length_size()),
    );
    let size = 18 + 7 * l + o;
    let bytes = reader.read_checked(HEADER, address, size)?;
    let mut header = reader.cursor(HEADER, address, &bytes);
    header.signature(b"FSHD")?;
    header.version(0)?;
    header.skip(1)?; // who uses it
    let free = header.length()?;
    header.skip(3 * l)?; // numbers of sections
    header.skip(8)?; // classes of sections, percents, size of the address space
    header.skip(l)?; // size of the largest section
    let sections = header.offset()?;
    header.skip(l)?; // used size of the list of sections
    let allocated = header.length()?;
    reader.takes(address, size as u64);
    if let Some(sections) = sections {
        reader.takes(sections, allocated);
    }
    Ok(free)
}

/// Addresses of the managers of the file's free space, from the File Space Info message. `None` for lists as HDF5 1.10.0 wrote them.
pub(super) fn managers(message: &mut Cursor<'_>) -> Result<Option<Vec<u64>>> {
    let Some(space) = FileSpace::decode(message)? else {
        return Ok(None);
    };
    if !space.is_persistent {
        return Ok(Some(Vec::new()));
    }
    message.skip(2)?; // a threshold at the end of a page
    message.offset()?; // the end before the managers had space
    let mut managers = Vec::new();
    for _ in 0..MANAGERS {
        managers.extend(message.offset()?);
    }
    Ok(Some(managers))
}
