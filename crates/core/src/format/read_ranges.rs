//! Reads ranges of a variable one after another.

use super::Reader;
use crate::chunk::resize;
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
