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
    read_at(source, range.start, &mut bytes)?;
    Ok(bytes)
}

/// Fills `into` with the bytes of `source` at byte `at`.
///
/// # Errors
/// If they cannot be read.
pub(crate) fn read_at(source: &dyn Object, at: u64, into: &mut [u8]) -> Result<()> {
    let read = source.read_exact_at(at, into);
    read.map_err(|e| Error::io(format!("cannot read {} bytes at byte {at}", into.len()), e))
}
