//! Transpose, a codec of Zarr version 3: stores the dimensions of a chunk in another order.
//!
//! Configuration: `order`, a permutation: dimension i of the stored chunk is dimension `order[i]` of the chunk. `"C"` stands
//! for the order as it is, and `"F"` for the reverse, as in early drafts of the specification. In version 2 of Zarr, the
//! member `order` of an array's metadata has that meaning, and there is no such codec.
//!
//! Zarr version 3, the codec `transpose`.

use serde_json::Value;

use crate::codec::codec_input::CodecInput;
use crate::codec::facts::CodecFacts;
use crate::shuffle::plane::{Dimension, Plane};
use crate::zarr_only::zarr_configuration::{configuration, member, same};
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, Outcome, Program};
use ncutils_model::chunk::byte_count;
use ncutils_model::{CodecSpec, Encoding};

/// The transpose codec.
#[derive(Debug, Clone, Copy)]
pub struct Transpose;

/// The order that a spec tells.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Order {
    Forward,
    Reverse,
    Listed(Vec<usize>),
}

impl Order {
    fn parse(spec: &CodecSpec) -> Outcome<Self> {
        let (_, configuration) = configuration(spec, &["order"])?;
        let value = member(configuration, "order").ok_or("its configuration lacks the member order")?;
        let listed = || -> Option<Vec<usize>> {
            let numbers = value.as_array()?.iter().map(Value::as_u64);
            numbers.map(|number| usize::try_from(number?).ok()).collect()
        };
        match value.as_str() {
            Some("C") => Ok(Self::Forward),
            Some("F") => Ok(Self::Reverse),
            _ => listed()
                .map(Self::Listed)
                .ok_or_else(|| format!("its member order is {value}")),
        }
    }

    /// The permutation of `rank` dimensions.
    fn permutation(self, rank: usize) -> Outcome<Vec<usize>> {
        let order = match self {
            Self::Forward => (0..rank).collect(),
            Self::Reverse => (0..rank).rev().collect(),
            Self::Listed(order) => order,
        };
        let mut sorted = order.clone();
        sorted.sort_unstable();
        match sorted.iter().copied().eq(0..rank) {
            true => Ok(order),
            false => Err(format!("its order {order:?} is none of {rank} dimensions")),
        }
    }
}

/// The permutation of the dimensions of `chunk`.
fn permutation(spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Vec<usize>> {
    Order::parse(spec)?.permutation(chunk.shape.len())
}

impl Codec for Transpose {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            zarr3: Some("transpose"),
            parameters_help: "order",
            only_reorders: true,
            input: CodecInput::Array,
            known_to: &Program::ALL,
            encoded_type: Some(transposed),
            same_configuration: Some(|a, b| same(Order::parse(a), Order::parse(b))),
            ..CodecFacts::named("transpose")
        }
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        if chunk.encoding == Encoding::Structured {
            return Err("its elements have no fixed size".to_owned());
        }
        Ok(Box::new(Bound {
            order: permutation(spec, chunk)?,
            shape: chunk.shape.clone(),
            size: chunk.element_size,
        }))
    }
}

fn transposed(spec: &CodecSpec, chunk: &ChunkType) -> ChunkType {
    let mut encoded = chunk.clone();
    if let Ok(order) = permutation(spec, chunk) {
        encoded.shape = order.iter().map(|at| chunk.shape[*at]).collect();
    }
    encoded
}

/// A permutation, bound to the chunks.
struct Bound {
    order: Vec<usize>,
    shape: Vec<u64>,
    /// Bytes of an element.
    size: usize,
}

/// Dimensions of the copied chunk, slowest first: lengths, and distances of neighbours in the original, in bytes.
type Walk = Vec<(usize, usize)>;

impl Bound {
    /// The way through a chunk of `shape` whose elements, taken in turn, are those of the transposed chunk. The inverse goes
    /// through the transposed chunk. Also returns the chunk's size in bytes.
    fn walk(&self, shape: ChunkShape, inverse: bool) -> Outcome<(Walk, usize)> {
        let too_large = || "a chunk larger than memory".to_owned();
        let shape = shape.or(&self.shape);
        if shape.len() != self.order.len() {
            return Err(format!("a chunk of {} dimensions", shape.len()));
        }
        let size = byte_count(shape, self.size).ok_or_else(too_large)?;
        let lengths: Vec<usize> = shape
            .iter()
            .map(|length| usize::try_from(*length).map_err(|_| too_large()))
            .collect::<Outcome<_>>()?;
        if size == 0 {
            return Ok((Vec::new(), 0));
        }
        // Position in the given chunk of each dimension of the copied one.
        let mut from = self.order.clone();
        let mut given = lengths.clone();
        if inverse {
            given = self.order.iter().map(|at| lengths[*at]).collect();
            for (position, at) in self.order.iter().enumerate() {
                from[*at] = position;
            }
        }
        let mut strides = vec![self.size; given.len()];
        for at in (1..given.len()).rev() {
            strides[at - 1] = strides[at] * given[at];
        }
        Ok((from.iter().map(|at| (given[*at], strides[*at])).collect(), size))
    }

    fn copy(&self, input: &[u8], shape: ChunkShape, inverse: bool, out: &mut Vec<u8>) -> Outcome {
        let (mut walk, size) = self.walk(shape, inverse)?;
        if input.len() != size {
            return Err(format!("{} bytes in a chunk of {size}", input.len()));
        }
        // Do not clear `out` first: all of it is overwritten.
        out.resize(size, 0);
        // What follows its neighbour in both chunks is copied at once.
        let mut run = self.size;
        while walk.last().is_some_and(|(_, stride)| *stride == run) {
            run *= walk.pop().map_or(1, |(length, _)| length);
        }
        if size == 0 {
            return Ok(());
        }
        let inner = walk.pop().unwrap_or((1, 0));
        let (mut others, mut distance) = (Vec::with_capacity(walk.len()), run * inner.0);
        for (length, from) in walk.into_iter().rev() {
            others.push(Dimension {
                length,
                from,
                to: distance,
            });
            distance *= length;
        }
        let neighbours = (0..others.len()).filter(|at| others[*at].from == run);
        let outer = match neighbours.max_by_key(|at| others[*at].length) {
            Some(at) => others.remove(at),
            None => Dimension::default(),
        };
        let plane = Plane { inner, outer };
        let mut at = vec![0; others.len()];
        let (mut from, mut to) = (0, 0);
        loop {
            let (input, out) = (&input[from..], &mut out[to..]);
            plane.copy(input, out, run);
            let mut dims = others.iter().zip(&mut at);
            loop {
                let Some((dim, at)) = dims.next() else {
                    return Ok(());
                };
                *at += 1;
                from += dim.from;
                to += dim.to;
                if *at < dim.length {
                    break;
                }
                from -= dim.length * dim.from;
                to -= dim.length * dim.to;
                *at = 0;
            }
        }
    }
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], shape: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        self.copy(input, shape, false, out)
    }

    fn decode(&self, input: &[u8], shape: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        if input.len() > limit {
            return Err(format!("{} bytes, more than the {limit} expected", input.len()));
        }
        self.copy(input, shape, true, out)
    }

    fn exact_encoded_size(&self, input_len: usize) -> Option<usize> {
        Some(input_len)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        input_len
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The transposed chunk, element by element.
    fn naive(input: &[u8], size: usize, shape: &[u64], order: &[usize]) -> Vec<u8> {
        let mut out = Vec::new();
        let turned: Vec<u64> = order.iter().map(|at| shape[*at]).collect();
        for number in 0..turned.iter().product::<u64>() {
            let (mut rest, mut index) = (number, vec![0; shape.len()]);
            for (length, at) in turned.iter().zip(order).rev() {
                index[*at] = rest % length;
                rest /= length;
            }
            let from = index
                .iter()
                .zip(shape)
                .fold(0, |from, (at, length)| from * length + at) as usize;
            out.extend_from_slice(&input[from * size..][..size]);
        }
        out
    }

    proptest! {
        #[test]
        fn elements_are_where_the_order_says(
            dims in proptest::collection::vec((1u64..20, any::<u32>()), 0..5),
            size in prop_oneof![Just(1usize), Just(2), Just(3), Just(4), Just(8), Just(12)],
        ) {
            let shape: Vec<u64> = dims.iter().map(|(length, _)| *length).collect();
            let mut order: Vec<usize> = (0..shape.len()).collect();
            order.sort_by_key(|at| dims[*at].1);
            let count = shape.iter().product::<u64>() as usize * size;
            let input: Vec<u8> = (0..count).map(|n| (n % 251) as u8).collect();
            let bound = Bound { order: order.clone(), shape: shape.clone(), size };
            // What a buffer held before is overwritten.
            let (mut out, mut back) = (vec![7; 100], vec![7; 3 * count]);
            bound.encode(&input, ChunkShape::Full, &mut out).unwrap();
            prop_assert_eq!(&out, &naive(&input, size, &shape, &order));
            bound.decode(&out, ChunkShape::Full, count, &mut back).unwrap();
            prop_assert_eq!(back, input);
        }
    }
}
