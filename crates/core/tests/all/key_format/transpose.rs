//! A codec of the test format that needs the shape of chunks: their dimensions in the reverse order.

use ncutils_core::filter::{BoundCodec, ChunkShape, ChunkType, Codec, CodecFacts, Outcome};
use ncutils_core::model::CodecSpec;

pub const NAME: &str = "test.reverse_dimensions";

pub struct Reverse;

struct Bound(ChunkType);

impl Codec for Reverse {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            zarr2: Some(NAME),
            zarr3: Some(NAME),
            ..CodecFacts::named(NAME)
        }
    }

    fn bind(&self, _: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        Ok(Box::new(Bound(chunk.clone())))
    }
}

impl Bound {
    /// Copies element by element; `back` undoes it.
    fn reverse(&self, input: &[u8], shape: ChunkShape, out: &mut Vec<u8>, back: bool) -> Outcome {
        let (shape, size) = (shape.or(&self.0.shape), self.0.element_size);
        let count = shape.iter().product::<u64>() as usize;
        if input.len() != count * size {
            return Err(format!("{} bytes in a chunk of {count} elements", input.len()));
        }
        out.resize(input.len(), 0);
        for n in 0..count {
            let (mut rest, mut reversed, mut stride) = (n as u64, 0, 1);
            let mut at = vec![0; shape.len()];
            for (a, length) in at.iter_mut().zip(shape).rev() {
                (*a, rest) = (rest % length, rest / length);
            }
            for (a, length) in at.iter().zip(shape) {
                reversed += a * stride;
                stride *= length;
            }
            let (from, to) = if back {
                (reversed as usize, n)
            } else {
                (n, reversed as usize)
            };
            out[to * size..(to + 1) * size].copy_from_slice(&input[from * size..(from + 1) * size]);
        }
        Ok(())
    }
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], shape: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        self.reverse(input, shape, out, false)
    }

    fn decode(&self, input: &[u8], shape: ChunkShape, _: usize, out: &mut Vec<u8>) -> Outcome {
        self.reverse(input, shape, out, true)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        input_len
    }
}
