//! Elements past a variable's own extent, where a dimension that it shares is longer.

use crate::chunk::{Region, fill_pattern};
use crate::model::{Type, Values, VariableLayout, default_fill_value};

/// Fills elements past a variable's own extent with netCDF's default, if the file defines no fill value.
/// netCDF-C does the same, although unwritten elements within the extent read as zeros.
pub fn fill_past_extent(ty: Type, layout: &VariableLayout, region: &Region, values: &mut Values) {
    if layout.fill.value.is_some() || region.fits(&layout.extent) || values.bytes.is_empty() {
        return;
    }
    let Some(fill) = default_fill_value(ty) else {
        return;
    };
    let size = fill.bytes.len();
    if !fill.heap.is_empty() || size == 0 {
        return;
    }
    let Some(last) = region.rank().checked_sub(1) else {
        return;
    };
    let row = usize::try_from(region.count[last]).unwrap_or(usize::MAX);
    let Some(row_bytes) = row.checked_mul(size) else {
        return;
    };
    let inside = usize::try_from(layout.extent[last].saturating_sub(region.start[last]))
        .unwrap_or(usize::MAX)
        .min(row);
    let mut at = vec![0u64; last];
    for bytes in values.bytes.chunks_exact_mut(row_bytes) {
        let beyond = (0..last).any(|d| region.start[d] + at[d] >= layout.extent[d]);
        let from = if beyond { 0 } else { inside * size };
        fill_pattern(&mut bytes[from..], &fill.bytes);
        for d in (0..last).rev() {
            at[d] += 1;
            if at[d] < region.count[d] {
                break;
            }
            at[d] = 0;
        }
    }
}
