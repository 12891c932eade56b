//! Bit rounding, a codec of Zarr: rounds floats to a number of bits of their mantissa, so that the others are zeros.
//!
//! Configuration: `keepbits`, the bits to keep. Rounding is to even. Decoding changes nothing.
//!
//! numcodecs, `BitRound`; Klöwer et al. 2021, doi:10.1038/s43588-021-00156-2.

use crate::codec::codec_input::CodecInput;
use crate::codec::facts::CodecFacts;
use crate::codec::room::copied;
use crate::zarr_only::zarr_configuration::{configuration, integer, numcodecs_facts, same};
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, NumberClass, Outcome};
use ncutils_model::{CodecSpec, Endian};

/// The bit rounding codec.
#[derive(Debug, Clone, Copy)]
pub struct BitRound;

/// The bits to keep, and the floats.
struct Bound {
    /// Bits of the mantissa that become zeros.
    dropped: Outcome<u32>,
    size: usize,
    endian: Endian,
}

/// The bits to keep of a spec.
fn keep_bits(spec: &CodecSpec) -> Outcome<u32> {
    let (_, configuration) = configuration(spec, &["keepbits"])?;
    integer(configuration, "keepbits", 0..=52, None).map(|bits| bits as u32)
}

impl Codec for BitRound {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            parameters_help: "keepbits",
            // The registry of extensions has the codec under its bare name, for integers as well.
            zarr3_aliases: &["bitround"],
            input: CodecInput::EachElement,
            is_lossy: true,
            same_configuration: Some(|a, b| same(keep_bits(a), keep_bits(b))),
            ..numcodecs_facts!("bitround")
        }
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        let keep = keep_bits(spec)?;
        let mantissa = match (chunk.number, chunk.element_size) {
            (Some(NumberClass::Float), 2) => Ok(10),
            (Some(NumberClass::Float), 4) => Ok(23),
            (Some(NumberClass::Float), 8) => Ok(52),
            _ => Err("it takes floats only".to_owned()),
        };
        let dropped = mantissa.and_then(|bits: u32| {
            bits.checked_sub(keep)
                .ok_or_else(|| format!("{keep} bits of a mantissa of {bits}"))
        });
        Ok(Box::new(Bound {
            dropped,
            size: chunk.element_size,
            endian: chunk.endian,
        }))
    }
}

/// Writes the floats of `input` without their lowest `dropped` bits, at least one.
macro_rules! rounded {
    ($bits:ty, $size:literal, $input:expr, $endian:expr, $dropped:expr, $out:expr) => {{
        let dropped: u32 = $dropped;
        // Less than half of the last bit that is kept, or half of it if that bit is set, so that a tie goes to even.
        let half: $bits = (1 << (dropped - 1)) - 1;
        let round = |bits: $bits| bits.wrapping_add((bits >> dropped & 1) + half) >> dropped << dropped;
        let floats = $input.as_chunks::<$size>().0.iter();
        let floats = floats.zip($out.as_chunks_mut::<$size>().0);
        match $endian {
            Endian::Little => floats.for_each(|(float, made)| {
                *made = round(<$bits>::from_le_bytes(*float)).to_le_bytes();
            }),
            Endian::Big => floats.for_each(|(float, made)| {
                *made = round(<$bits>::from_be_bytes(*float)).to_be_bytes();
            }),
        }
    }};
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        let dropped = self.dropped.clone()?;
        if !input.len().is_multiple_of(self.size) {
            return Err(format!("{} bytes for elements of {}", input.len(), self.size));
        }
        out.resize(input.len(), 0);
        match (dropped, self.size) {
            (0, _) => out.copy_from_slice(input),
            (_, 2) => rounded!(u16, 2, input, self.endian, dropped, out),
            (_, 4) => rounded!(u32, 4, input, self.endian, dropped, out),
            _ => rounded!(u64, 8, input, self.endian, dropped, out),
        }
        Ok(())
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        copied(input, limit, out)
    }

    fn exact_encoded_size(&self, input_len: usize) -> Option<usize> {
        Some(input_len)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        input_len
    }
}
