//! Packed bits, a codec of Zarr: stores truth values as bits.
//!
//! The first byte tells how many of the last byte's bits are padding. The bits follow, from the highest bit of a byte. A
//! byte that is not zero is true.
//!
//! numcodecs, `PackBits`.

use crate::codec::codec_input::CodecInput;
use crate::codec::facts::CodecFacts;
use crate::shuffle::avx512;
use crate::zarr_only::zarr_configuration::{configuration, numcodecs_facts, same};
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, NumberClass, Outcome};
use ncutils_model::{CodecSpec, Endian};

/// The codec of packed bits.
#[derive(Debug, Clone, Copy)]
pub struct PackBits;

/// Checks that a spec has no configuration.
fn parse(spec: &CodecSpec) -> Outcome {
    configuration(spec, &[]).map(|_| ())
}

impl Codec for PackBits {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            parameters_help: "none",
            input: CodecInput::Array,
            encoded_type: Some(|_, chunk| packed(chunk)),
            same_configuration: Some(|a, b| same(parse(a), parse(b))),
            ..numcodecs_facts!("packbits")
        }
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
}

/// The type of the packed bits, after a byte with the number of those that fill the last byte up.
fn packed(chunk: &ChunkType) -> ChunkType {
    let elements = chunk.shape.iter().fold(1u64, |all, n| all.saturating_mul(*n));
    let shape = [elements.div_ceil(8).saturating_add(1)];
    ChunkType::of_numbers(NumberClass::Unsigned, 1, Endian::Little, &shape)
}

/// A bit for each byte: whether it is not 0, that of the first byte highest.
fn pack(values: [u8; 8]) -> u8 {
    const LOW_7: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let values = u64::from_le_bytes(values);
    // The highest bit of each byte, moved to its lowest.
    let set = (((values & LOW_7) + LOW_7) | values) >> 7 & !LOW_7 >> 7;
    // The product has the lowest bit of byte k in bit 63 - k, and no two bits meet.
    (set.wrapping_mul(0x8040_2010_0804_0201) >> 56) as u8
}

/// The reverse of [`pack`], for bytes of 0 and 1.
fn unpack(bits: u8) -> [u8; 8] {
    const LOW_7: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    // Byte k has bit 7 - k in its place.
    let each = (u64::from(bits) * 0x0101_0101_0101_0101) & 0x0102_0408_1020_4080;
    ((each + LOW_7) >> 7 & 0x0101_0101_0101_0101).to_le_bytes()
}

impl BoundCodec for PackBits {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        let (whole, rest) = input.as_chunks::<8>();
        out.resize(1 + input.len().div_ceil(8), 0);
        out[0] = ((8 - rest.len()) % 8) as u8;
        let done = avx512::pack_bits(whole.as_flattened(), &mut out[1..]);
        for (byte, values) in out[1..].iter_mut().zip(whole).skip(done) {
            *byte = pack(*values);
        }
        if let Some(byte) = out[1..].get_mut(whole.len()) {
            let mut values = [0; 8];
            values[..rest.len()].copy_from_slice(rest);
            *byte = pack(values);
        }
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
        out.resize(bits, 0);
        let done = avx512::unpack_bits(bytes, out);
        for (byte, values) in bytes.iter().zip(out.as_chunks_mut::<8>().0).skip(done) {
            *values = unpack(*byte);
        }
        out.truncate(count);
        Ok(())
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        input_len.div_ceil(8).saturating_add(1)
    }
}
