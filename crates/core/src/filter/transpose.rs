//! Transpose, a codec of Zarr version 3: stores the dimensions of a chunk in another order.
//!
//! Configuration: `order`, a permutation: dimension i of the stored chunk is dimension `order[i]` of the chunk. `"C"` stands
//! for the order as it is, and `"F"` for the reverse, as in early drafts of the specification. In version 2 of Zarr, the
//! member `order` of an array's metadata has that meaning, and there is no such codec.
//!
//! Zarr version 3, the codec `transpose`.

use serde_json::Value;

use super::zarr_configuration::{configuration, member, same};
use super::{BoundCodec, ChunkShape, ChunkType, Codec, Outcome};
use crate::chunk::byte_count;
use crate::model::{CodecSpec, Encoding, ZarrVersion};

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
    fn parameters_help(&self) -> &str {
        "order"
    }

    fn name(&self) -> &str {
        "transpose"
    }

    fn zarr_name(&self, version: ZarrVersion) -> Option<&str> {
        (version == ZarrVersion::V3).then_some("transpose")
    }

    fn needs_elements(&self) -> bool {
        true
    }

    fn only_reorders(&self) -> bool {
        true
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

    fn encoded_type(&self, spec: &CodecSpec, chunk: &ChunkType) -> ChunkType {
        let mut encoded = chunk.clone();
        if let Ok(order) = permutation(spec, chunk) {
            encoded.shape = order.iter().map(|at| chunk.shape[*at]).collect();
        }
        encoded
    }

    fn same_configuration(&self, a: &CodecSpec, b: &CodecSpec) -> bool {
        same(Order::parse(a), Order::parse(b))
    }
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
        out.clear();
        out.reserve(size);
        // What follows its neighbour in both chunks is copied at once.
        let mut run = self.size;
        while walk.last().is_some_and(|(_, stride)| *stride == run) {
            run *= walk.pop().map_or(1, |(length, _)| length);
        }
        if size == 0 {
            return Ok(());
        }
        let (inner, step) = walk.pop().unwrap_or((1, 0));
        let mut at = vec![0; walk.len()];
        let mut start = 0;
        loop {
            match run {
                1 => gather::<1>(input, start, inner, step, out),
                2 => gather::<2>(input, start, inner, step, out),
                4 => gather::<4>(input, start, inner, step, out),
                8 => gather::<8>(input, start, inner, step, out),
                _ => (0..inner).for_each(|n| {
                    let from = start + n * step;
                    out.extend_from_slice(&input[from..from + run]);
                }),
            }
            let mut dim = walk.len();
            loop {
                let Some(next) = dim.checked_sub(1) else {
                    return Ok(());
                };
                dim = next;
                let (length, stride) = walk[dim];
                at[dim] += 1;
                start += stride;
                if at[dim] < length {
                    break;
                }
                start -= length * stride;
                at[dim] = 0;
            }
        }
    }
}

/// Appends `count` elements that are `step` bytes apart.
fn gather<const N: usize>(input: &[u8], start: usize, count: usize, step: usize, out: &mut Vec<u8>) {
    // All distances are multiples of an element.
    let elements = input.as_chunks::<N>().0[start / N..].iter();
    let end = out.len();
    out.resize(end + count * N, 0);
    let places = out[end..].as_chunks_mut::<N>().0;
    for (to, from) in places.iter_mut().zip(elements.step_by((step / N).max(1))) {
        *to = *from;
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

    fn max_encoded_size(&self, input_len: usize) -> usize {
        input_len
    }
}
