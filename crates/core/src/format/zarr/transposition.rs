//! The codec that reorders the dimensions of a chunk. Order F of version 2 is one, too.

use crate::model::CodecSpec;

/// Name of the codec.
pub const TRANSPOSE: &str = "transpose";

/// The `order` of a transposition of `rank` dimensions. `None` if the codec has none.
pub fn permutation(codec: &CodecSpec, rank: usize) -> Option<Vec<usize>> {
    let order = codec.configuration()?.get("order")?;
    let order: Vec<usize> = match (order.as_str(), order.as_array()) {
        (Some("C"), _) => (0..rank).collect(),
        (Some("F"), _) => (0..rank).rev().collect(),
        (_, Some(list)) => list
            .iter()
            .map(|at| at.as_u64().and_then(|at| usize::try_from(at).ok()))
            .collect::<Option<_>>()?,
        _ => return None,
    };
    let mut sorted = order.clone();
    sorted.sort_unstable();
    sorted.iter().copied().eq(0..rank).then_some(order)
}
