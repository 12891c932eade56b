//! Reads ranges of a variable, or records, one after another.

use std::ops::Range;

use crate::chunk::{resize, too_large};
use crate::error::Result;
use crate::store::ByteRange;

/// The bytes of each range. `read` fills a buffer from a byte on.
///
/// # Errors
/// Those of the first range that cannot be read.
pub(crate) fn read_ranges(
    ranges: &[ByteRange],
    read: impl Fn(u64, &mut [u8]) -> Result<()>,
) -> Result<Vec<Vec<u8>>> {
    let read = |range: &ByteRange| {
        let mut bytes = Vec::new();
        resize(&mut bytes, range.length)?;
        read(range.offset, &mut bytes)?;
        Ok(bytes)
    };
    ranges.iter().map(read).collect()
}

/// The bytes of `part` of each of `count` consecutive records, which `read` reads into a buffer.
///
/// # Errors
/// Those of reading.
pub(crate) fn read_some_records(
    count: u64,
    part: &Range<u64>,
    read: impl FnOnce(&mut [u8]) -> Result<()>,
) -> Result<Vec<u8>> {
    let length = part.end.saturating_sub(part.start).checked_mul(count);
    let length = length.and_then(|length| usize::try_from(length).ok());
    let mut bytes = Vec::new();
    resize(&mut bytes, length.ok_or_else(|| too_large(usize::MAX))?)?;
    read(&mut bytes)?;
    Ok(bytes)
}
