//! Chunks of elements of different lengths: their codecs, and the order of their elements.
//!
//! ```text
//! stored bytes ─► codecs of bytes ─► count, elements with their lengths ─► elements in the array's order
//! ```

use super::super::transposition::{TRANSPOSE, permutation};
use super::untyped_codecs;
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::model::{CodecSpec, VariableLayout};

/// Most bytes of a chunk, encoded or decoded.
pub const LARGEST: usize = 256 << 20;

/// The transpositions at the beginning of a variable's codecs. They change the order of elements, whatever these are.
fn transpositions(layout: &VariableLayout) -> &[CodecSpec] {
    let is_order = |codec: &&CodecSpec| codec.zarr_name().is_some_and(|(_, name)| name == TRANSPOSE);
    let count = layout.filters.iter().take_while(is_order).count();
    &layout.filters[..count]
}

/// The order of the dimensions in stored chunks: dimension i of what is stored is dimension `order[i]` of the array. `None`
/// if it is the array's.
///
/// # Errors
/// If a transposition is of another number of dimensions.
pub fn stored_order(layout: &VariableLayout) -> Result<Option<Vec<usize>>> {
    let rank = layout.extent.len();
    let mut order: Vec<usize> = (0..rank).collect();
    for codec in transpositions(layout) {
        let by = permutation(codec, rank).ok_or_else(|| Error::Filter {
            codec: codec.to_string(),
            why: format!("it is no order of {rank} dimensions"),
        })?;
        order = by.iter().map(|at| order[*at]).collect();
    }
    Ok((!order.iter().copied().eq(0..rank)).then_some(order))
}

/// Undoes the codecs of bytes.
///
/// # Errors
/// If one is not known, fails, or makes more than [`LARGEST`] bytes.
pub fn decode(registry: &Registry, layout: &VariableLayout, bytes: Vec<u8>) -> Result<Vec<u8>> {
    let first = transpositions(layout).len();
    untyped_codecs::undo(registry, &layout.filters[first..], bytes.into(), LARGEST)
}

/// Puts the elements of a chunk of `shape`, each of `size` bytes, from the stored order of dimensions into the array's.
pub fn in_array_order(elements: &[u8], shape: &[u64], size: usize, order: &[usize]) -> Vec<u8> {
    let mut out = Vec::with_capacity(elements.len());
    let lengths: Vec<usize> = shape
        .iter()
        .map(|n| usize::try_from(*n).unwrap_or(usize::MAX))
        .collect();
    let mut at = vec![0; lengths.len()];
    for _ in 0..elements.len() / size {
        let place = order.iter().fold(0usize, |place, d| {
            place.wrapping_mul(lengths[*d]).wrapping_add(at[*d])
        });
        let element = place
            .checked_mul(size)
            .and_then(|from| elements.get(from..)?.get(..size));
        out.extend_from_slice(element.unwrap_or_default());
        for (at, length) in at.iter_mut().zip(&lengths).rev() {
            *at += 1;
            if *at < *length {
                break;
            }
            *at = 0;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Configuration, Encoding, ZarrVersion};

    fn layout(orders: &[serde_json::Value]) -> VariableLayout {
        let mut layout = VariableLayout::contiguous(vec![2, 3, 4], 16, Encoding::Structured);
        let codec = |order: &serde_json::Value| {
            let configuration = Configuration::from_iter([("order".to_owned(), order.clone())]);
            CodecSpec::zarr(ZarrVersion::V3, "transpose", configuration)
        };
        layout.filters = orders.iter().map(codec).collect();
        layout
    }

    #[test]
    fn orders_are_undone() {
        let json = |text: &str| serde_json::from_str(text).unwrap();
        for (orders, expected) in [
            (vec![], None),
            (vec!["[0, 1, 2]"], None),
            (vec!["\"C\""], None),
            (vec!["\"F\""], Some(vec![2, 1, 0])),
            (vec!["[0, 2, 1]"], Some(vec![0, 2, 1])),
            (vec!["[1, 2, 0]", "[1, 0, 2]"], Some(vec![2, 1, 0])),
            (vec!["[1, 0, 2]", "[1, 0, 2]"], None),
        ] {
            let orders: Vec<_> = orders.into_iter().map(json).collect();
            let layout = layout(&orders);
            assert_eq!(stored_order(&layout).unwrap(), expected, "{orders:?}");
            let Some(order) = expected else { continue };
            // The array's elements, as they are stored.
            let shape = [2u64, 3, 4];
            let stored_shape: Vec<u64> = order.iter().map(|d| shape[*d]).collect();
            let mut stored = Vec::new();
            for n in 0..24u64 {
                let (mut rest, mut at) = (n, [0; 3]);
                for (d, length) in order.iter().zip(&stored_shape).rev() {
                    at[*d] = rest % length;
                    rest /= length;
                }
                stored.push(((at[0] * 3 + at[1]) * 4 + at[2]) as u8);
            }
            let expected: Vec<u8> = (0..24).collect();
            assert_eq!(in_array_order(&stored, &shape, 1, &order), expected, "{orders:?}");
        }
        assert!(stored_order(&layout(&[json("[0, 1]")])).is_err());
    }
}
