//! Numbers with a byte order, and what to reverse between two layouts.

use crate::model::{Encoding, VariableLayout};

/// Size, in bytes, of numbers with a byte order; 1 if there are none.
pub fn unit(layout: &VariableLayout) -> usize {
    match layout.encoding {
        Encoding::Numbers { unit } => unit.max(1),
        _ => 1,
    }
}

/// Size of the groups of bytes to reverse between two layouts; 1 if none.
pub fn swap_between(from: &VariableLayout, to: &VariableLayout) -> usize {
    let unit = unit(from).min(unit(to));
    if from.endian == to.endian { 1 } else { unit }
}
