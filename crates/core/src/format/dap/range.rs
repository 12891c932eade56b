//! Bytes of a variable of a server at positions, for those who ask for them: elements of netCDF, in C order.

use crate::chunk::Region;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::VarId;

/// Fills `buf` with elements of a variable of numbers or characters, from byte `offset` on.
///
/// # Errors
/// A part of an element, strings, and those of reading.
pub fn read_range(reader: &dyn Reader, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
    let layout = reader.layout(var);
    let size = layout.element_size as u64;
    let schema = reader.schema();
    let is_whole = size > 0 && offset.is_multiple_of(size) && (buf.len() as u64).is_multiple_of(size);
    if !is_whole || schema.has_heap(schema.var(var).ty) {
        let why = "bytes of a variable on a server".to_owned();
        return Err(Error::Unsupported(why).in_variable(&schema.var_path(var)));
    }
    if buf.is_empty() {
        return Ok(());
    }
    let mut filled = 0;
    for region in Region::range(&layout.extent, offset / size, buf.len() as u64 / size) {
        let values = reader.read_region(var, &region)?;
        let end = filled + values.bytes.len();
        let Some(part) = buf.get_mut(filled..end) else {
            break;
        };
        part.copy_from_slice(&values.bytes);
        filled = end;
    }
    match filled == buf.len() {
        true => Ok(()),
        false => {
            Err(Error::Damaged("a range outside its variable".to_owned()).in_variable(&schema.var_path(var)))
        }
    }
}
