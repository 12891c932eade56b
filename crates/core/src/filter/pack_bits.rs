//! Packed bits, a codec of Zarr: stores truth values as bits.
//!
//! The first byte tells how many of the last byte's bits are padding. The bits follow, from the highest bit of a byte. A
//! byte that is not zero is true.
//!
//! numcodecs, `PackBits`.

use super::zarr_configuration::{configuration, numcodecs_name, same};
use super::{BoundCodec, ChunkShape, ChunkType, Codec, NumberClass, Outcome};
use crate::model::{CodecSpec, Endian, ZarrVersion};

/// The codec of packed bits.
#[derive(Debug, Clone, Copy)]
pub struct PackBits;

/// Checks that a spec has no configuration.
fn parse(spec: &CodecSpec) -> Outcome {
    configuration(spec, &[]).map(|_| ())
}

impl Codec for PackBits {
    fn parameters_help(&self) -> &str {
        "none"
    }

    numcodecs_name!("packbits");

    fn needs_elements(&self) -> bool {
        true
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        parse(spec)?;
        match chunk.element_size {
            1 => Ok(Box::new(*self)),
            size => Err(format!(
                "its elements have {size} bytes, and are not truth values"
            )),
        }
    }

    fn encoded_type(&self, _: &CodecSpec, chunk: &ChunkType) -> ChunkType {
        let elements = chunk.shape.iter().fold(1u64, |all, n| all.saturating_mul(*n));
        let shape = [elements.div_ceil(8).saturating_add(1)];
        ChunkType::of_numbers(NumberClass::Unsigned, 1, Endian::Little, &shape)
    }

    fn same_configuration(&self, a: &CodecSpec, b: &CodecSpec) -> bool {
        same(parse(a), parse(b))
    }
}

impl BoundCodec for PackBits {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        out.clear();
        out.push(((8 - input.len() % 8) % 8) as u8);
        out.extend(input.chunks(8).map(|bytes| {
            let bits = bytes.iter().enumerate();
            bits.fold(0, |byte, (at, value)| byte | u8::from(*value != 0) << (7 - at))
        }));
        Ok(())
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        let (padding, bytes) = input.split_first().ok_or("an empty chunk")?;
        let bits = bytes.len().checked_mul(8).ok_or("a chunk larger than memory")?;
        let count = bits
            .checked_sub(usize::from(*padding))
            .filter(|_| *padding < 8)
            .ok_or_else(|| format!("{padding} bits of padding in {} bytes", bytes.len()))?;
        if count > limit {
            return Err(format!("more than the {limit} bytes expected"));
        }
        out.clear();
        out.reserve(bits);
        for byte in bytes {
            out.extend((0..8).map(|at| byte >> (7 - at) & 1));
        }
        out.truncate(count);
        Ok(())
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        input_len.div_ceil(8).saturating_add(1)
    }
}
