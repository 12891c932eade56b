//! Reads ranges of a variable, or records, one after another.

use std::ops::Range;

use super::Reader;
use crate::chunk::{resize, too_large};
use crate::error::Result;
use crate::model::VarId;
use crate::store::ByteRange;

/// The bytes of each range, read by [`Reader::read_range`].
///
/// # Errors
/// Those of the first range that cannot be read.
pub(crate) fn read_ranges(
    reader: &(impl Reader + ?Sized),
    var: VarId,
    ranges: &[ByteRange],
) -> Result<Vec<Vec<u8>>> {
    let read = |range: &ByteRange| {
        let mut bytes = Vec::new();
        resize(&mut bytes, range.length)?;
        reader.read_range(var, range.offset, &mut bytes)?;
        Ok(bytes)
    };
    ranges.iter().map(read).collect()
}

/// The bytes of consecutive records, read by [`Reader::read_records`].
///
/// # Errors
/// Those of reading.
pub(crate) fn read_some_records(
    reader: &(impl Reader + ?Sized),
    first: u64,
    count: u64,
    part: Range<u64>,
) -> Result<Vec<u8>> {
    let length = part.end.saturating_sub(part.start).checked_mul(count);
    let length = length.and_then(|length| usize::try_from(length).ok());
    let mut bytes = Vec::new();
    resize(&mut bytes, length.ok_or_else(|| too_large(usize::MAX))?)?;
    reader.read_records(first, part, &mut bytes)?;
    Ok(bytes)
}
