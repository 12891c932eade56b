//! The sequence numbers of all pieces of a copy, and how much data they are.

use super::routed::Routed;
use crate::chunk::{byte_count, element_count};
use crate::copy::task::{Route, Variable};
use crate::format::{Promised, VariablePlan};
use crate::model::{Encoding, Storage, VariableLayout};

/// Gives the pieces of all variables their sequence numbers, dense from 0 in the order of variables.
pub fn number_pieces(variables: &mut [Variable], plans: &[VariablePlan]) {
    let mut sequence = 0u64;
    for var in variables {
        var.first_sequence = sequence;
        if let Route::Records(Some(band)) = &mut var.route {
            band.first_sequence = sequence;
        }
        sequence = sequence.saturating_add(numbered(var, plans));
    }
}

/// How many pieces of a variable, or of its band, have a sequence number.
pub(in crate::copy) fn numbered(var: &Variable, plans: &[VariablePlan]) -> u64 {
    match &var.route {
        Route::Records(Some(band)) => band.pieces(),
        Route::Records(None) => 0,
        route if is_numbered(route, &plans[var.out.0].layout) => var.to_write.len(),
        _ => 0,
    }
}

/// Whether the pieces of a variable are written in sequence order.
fn is_numbered(route: &Route, to: &VariableLayout) -> bool {
    matches!(to.storage, Storage::Chunked { .. })
        || matches!(route, Route::Values(_)) && to.encoding == Encoding::Structured
}

/// Decoded bytes of `chunks` chunks, or of all elements of a variable without chunks.
pub fn decoded_bytes(to: &VariableLayout, chunks: u64) -> u64 {
    let bytes = match &to.storage {
        Storage::Chunked { shape, .. } => {
            byte_count(shape, to.stored_size()).map(|n| chunks.saturating_mul(n as u64))
        }
        _ => byte_count(&to.extent, to.element_size).map(|n| n as u64),
    };
    bytes.unwrap_or(u64::MAX)
}

/// What the writer is told of how much will come. Worked out from the layout alone, not from what the engine or the progress
/// bar count, so that a mistake there is found when the writer finishes.
pub fn promised(routed: Option<&Routed>, to: &VariableLayout, chunks: u64) -> Promised {
    match (routed, &to.storage) {
        (None, _) => Promised::Nothing,
        (Some(_), Storage::Chunked { .. }) => Promised::Chunks(chunks),
        (Some(_), _) => {
            let bytes = element_count(&to.extent).and_then(|n| n.checked_mul(to.element_size as u64));
            bytes.map_or(Promised::Nothing, Promised::Bytes)
        }
    }
}
