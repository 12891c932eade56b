//! Buffers of a known size for the output of a stage.

use ncutils_model::chunk::{resize, too_large};
use ncutils_model::error::Result;

use crate::Outcome;

/// Size, in bytes, from which a buffer is allocated anew for each stage. The system's fresh pages take no memory until
/// they are touched. Smaller buffers are kept, because allocation costs time.
pub(crate) const LARGE: usize = 32 << 20;

/// Gives `out` a length of `size` bytes with any content. The stage overwrites it from the beginning, usually not to
/// the end.
///
/// # Errors
/// Not enough memory.
pub(crate) fn room(out: &mut Vec<u8>, size: usize) -> Result<()> {
    if size < LARGE || out.len() >= size {
        // Do not clear `out` first: its present bytes need not be zeroed again.
        return resize(out, size);
    }
    *out = Vec::new();
    let mut tried = Vec::<u8>::new();
    tried.try_reserve_exact(size).map_err(|_| too_large(size))?;
    drop(tried);
    // `vec![0; n]` uses the system's zero pages; resizing would write zeros.
    *out = vec![0; size];
    Ok(())
}

/// Makes `data` the content of `out`, for a codec that takes bytes as they are.
///
/// # Errors
/// More than `limit` bytes.
pub(crate) fn copied(data: &[u8], limit: usize, out: &mut Vec<u8>) -> Outcome {
    if data.len() > limit {
        return Err(format!("{} bytes, more than the {limit} expected", data.len()));
    }
    out.clear();
    out.extend_from_slice(data);
    Ok(())
}
