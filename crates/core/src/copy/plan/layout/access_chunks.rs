//! Chunk shapes for how data is read: `-c auto=map`, `series` and `balanced`.
//!
//! A variable has one series dimension, mostly time. Its map is the last two of the others. Along any further dimension a chunk has one
//! step, unless it would be smaller than [`SMALL_CHUNK`].
//!
//! | access | a chunk is |
//! | --- | --- |
//! | map | a whole map at one step; a part of it if it is too large, several steps if it is small |
//! | series | the whole series of a part of the map |
//! | balanced | as many chunks in a map as in a series (R. K. Rew, "Chunking Data: Choosing Shapes") |

use crate::copy::plan::request::Access;
use crate::model::{DimId, Schema, VarId, Variable};
use crate::time::{DateSeparator, TimeVariables};

/// Chunks of maps have several steps below this size, in bytes: a smaller chunk takes longer to find than to decode.
const SMALL_CHUNK: u64 = 64 << 10;

/// For each variable of the input, the position of the dimension along which it is a series: the first with a coordinate in units of
/// time, else the first that is unlimited, else the first.
pub fn series_dimensions(input: &Schema) -> Vec<usize> {
    let times = TimeVariables::new(input, DateSeparator::Space);
    let mut is_time = vec![false; input.dims.len()];
    for (at, var) in input.vars.iter().enumerate() {
        if let [dim] = var.dims[..]
            && var.name == input.dim(dim).name
            && times.of_attributes(VarId(at)).is_some()
        {
            is_time[dim.0] = true;
        }
    }
    let of_variable = |var: &Variable| {
        let first = |is_it: &dyn Fn(&DimId) -> bool| var.dims.iter().position(is_it);
        first(&|dim| is_time[dim.0])
            .or_else(|| first(&|dim| input.dim(*dim).unlimited))
            .unwrap_or(0)
    };
    input.vars.iter().map(of_variable).collect()
}

/// The chunk shape of a variable with these lengths, for one way to read it. A chunk has at most `most` bytes, but at least one element. A
/// variable of at most [`SMALL_CHUNK`] and `most` bytes is one chunk. One of a single dimension is cut into equal parts.
pub fn access_chunk_shape(
    access: Access,
    most: u64,
    element_size: usize,
    lengths: &[u64],
    series: usize,
) -> Vec<u64> {
    let lengths: Vec<u64> = lengths.iter().map(|length| (*length).max(1)).collect();
    let elements = (most / element_size.max(1) as u64).max(1);
    let total = lengths.iter().fold(1u64, |n, length| n.saturating_mul(*length));
    let small = (SMALL_CHUNK / element_size.max(1) as u64).min(elements);
    let mut shape = vec![1; lengths.len()];
    if lengths.len() == 1 {
        shape[0] = even(lengths[0], elements);
        return shape;
    }
    if total <= small {
        return lengths;
    }
    let map: Vec<usize> = (0..lengths.len()).filter(|at| *at != series).collect();
    let (between, map) = map.split_at(map.len().saturating_sub(2));
    let plane = map.iter().fold(1u64, |n, at| n.saturating_mul(lengths[*at]));
    let steps = match access {
        Access::Map if plane >= small => 1,
        Access::Map => small.div_ceil(plane),
        Access::Series => elements,
        Access::Balanced => {
            // A series has as many chunks as a map: n/steps = plane/part, where steps * part is `elements`.
            let volume = plane as f64 * lengths[series] as f64;
            let chunks = (volume / elements as f64).sqrt().max(1.0);
            (lengths[series] as f64 / chunks).ceil() as u64
        }
    };
    shape[series] = even(lengths[series], steps.min(elements));
    let left = (elements / shape[series]).max(1);
    tile(&mut shape, &lengths, map, left);
    // Small chunks take several levels.
    for at in between.iter().rev() {
        let have = shape.iter().product::<u64>();
        shape[*at] = even(lengths[*at], (small / have).max(1));
    }
    shape
}

/// Gives the lengths at `map` those of a part with at most `elements`, in the proportions of the whole.
fn tile(shape: &mut [u64], lengths: &[u64], map: &[usize], elements: u64) {
    let mut left = elements;
    for (n, at) in map.iter().enumerate() {
        let rest = map[n..].iter().map(|at| lengths[*at] as f64).product::<f64>();
        let share = (left as f64 / rest).powf(1.0 / (map.len() - n) as f64).min(1.0);
        let length = ((lengths[*at] as f64 * share) as u64).clamp(1, left.max(1));
        shape[*at] = even(lengths[*at], length);
        left = (left / shape[*at]).max(1);
    }
}

/// The length of equal parts of `length`, each at most `most` long.
fn even(length: u64, most: u64) -> u64 {
    let parts = length.div_ceil(most.clamp(1, length));
    length.div_ceil(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const YEAR: [u64; 3] = [365, 721, 1440];

    fn shape(access: Access, most: u64, lengths: &[u64]) -> Vec<u64> {
        access_chunk_shape(access, most, 4, lengths, 0)
    }

    #[test]
    fn a_map_is_one_chunk_where_it_fits() {
        assert_eq!(shape(Access::Map, 8 << 20, &YEAR), [1, 721, 1440]);
        assert_eq!(shape(Access::Map, 1 << 20, &YEAR), [1, 361, 720]);
        assert_eq!(shape(Access::Map, 1 << 20, &[1000, 18, 36]), [26, 18, 36]);
        assert_eq!(
            shape(Access::Map, 4 << 20, &[365, 37, 721, 1440]),
            [1, 1, 721, 1440]
        );
    }

    #[test]
    fn a_series_is_one_chunk_where_it_fits() {
        let series = shape(Access::Series, 1 << 20, &YEAR);
        assert_eq!(series, [365, 18, 39]);
        let long = shape(Access::Series, 1 << 20, &[1_000_000, 10, 10]);
        assert_eq!(long, [250_000, 1, 1]);
    }

    #[test]
    fn balanced_chunks_are_as_many_in_a_map_as_in_a_series() {
        let balanced = shape(Access::Balanced, 1 << 20, &YEAR);
        let count = |at: usize| YEAR[at].div_ceil(balanced[at]);
        let (of_series, of_map) = (count(0) as f64, (count(1) * count(2)) as f64);
        assert!((0.6..1.7).contains(&(of_map / of_series)), "{balanced:?}");
    }

    #[test]
    fn no_chunk_is_larger_than_asked() {
        for access in [Access::Map, Access::Series, Access::Balanced] {
            for lengths in [
                &[7, 3][..],
                &[1, 5000, 5000],
                &[40_000, 2],
                &[3, 4, 5, 6, 7000],
                &[0, 10, 10],
                &[90_000],
            ] {
                for most in [4, 1000, 1 << 16, 1 << 20] {
                    for series in 0..lengths.len() {
                        let shape = access_chunk_shape(access, most, 4, lengths, series);
                        let bytes = 4 * shape.iter().product::<u64>();
                        assert!(
                            bytes <= most.max(4),
                            "{access:?} {lengths:?} {most} {series}: {shape:?}"
                        );
                        assert!(
                            shape
                                .iter()
                                .zip(lengths)
                                .all(|(a, b)| *a >= 1 && *a <= (*b).max(1))
                        );
                    }
                }
            }
        }
    }
}
