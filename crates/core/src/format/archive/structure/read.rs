//! Reads bytes of an archive.

use std::ops::Range;

use crate::chunk::resize;
use crate::error::{Error, Result};
use crate::store::Object;

/// The bytes in a range of `source`.
///
/// # Errors
/// If they cannot be read, or there is no memory for them.
pub(crate) fn read(source: &dyn Object, range: Range<u64>) -> Result<Vec<u8>> {
    let length = range.end.saturating_sub(range.start);
    let mut bytes = Vec::new();
    resize(&mut bytes, usize::try_from(length).unwrap_or(usize::MAX))?;
    let read = source.read_exact_at(range.start, &mut bytes);
    read.map_err(|e| Error::io(format!("cannot read {length} bytes at byte {}", range.start), e))?;
    Ok(bytes)
}
