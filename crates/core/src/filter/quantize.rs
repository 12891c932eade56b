//! Quantize, a codec of Zarr: rounds floats to a number of decimals, in binary, so that their last bits are zeros.
//!
//! Configuration: `digits`, the decimals to keep; `dtype`, the type of the variable's floats, which may be missing in version
//! 3; `astype`, the type of the stored floats, `dtype` if missing. Decoding only converts the type.
//!
//! numcodecs, `Quantize`.

use super::numpy_type::{NumpyType, check_converted, convert, converted_len, map};
use super::zarr_configuration::{configuration, integer, member, number_codec, numcodecs_name, same};
use super::{BoundCodec, ChunkShape, ChunkType, Codec, NumberClass, Outcome};
use crate::model::{CodecSpec, ZarrVersion};

/// The quantize codec.
#[derive(Debug, Clone, Copy)]
pub struct Quantize;

/// Digits and types of a spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bound {
    digits: i32,
    decoded: NumpyType,
    encoded: NumpyType,
}

impl Bound {
    fn parse(spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Self> {
        let (version, configuration) = configuration(spec, &["digits", "dtype", "astype"])?;
        let decoded = NumpyType::named(member(configuration, "dtype"), version, chunk)?;
        let encoded = match member(configuration, "astype") {
            None => decoded,
            some => NumpyType::named(some, version, chunk)?,
        };
        if decoded.class != NumberClass::Float || encoded.class != NumberClass::Float {
            return Err("it takes floats only".to_owned());
        }
        Ok(Self {
            digits: integer(configuration, "digits", -300..=300, None)? as i32,
            decoded,
            encoded,
        })
    }

    /// The power of two that floats are multiplied by before they are rounded.
    fn scale(&self) -> f64 {
        let exponent = 10f64.powi(-self.digits).log10();
        let exponent = if exponent < 0.0 {
            exponent.floor()
        } else {
            exponent.ceil()
        };
        10f64.powf(-exponent).log2().ceil().exp2()
    }
}

number_codec!(Quantize, "quantize", "digits, dtype, astype");

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        check_converted(self.decoded, self.encoded, input, usize::MAX)?;
        let (scale, mut rounded) = (self.scale(), Vec::new());
        let (from, little) = (self.decoded.endian, self.decoded.little());
        let to = (&mut rounded, little.endian);
        match self.decoded.size {
            4 => {
                let scale = scale as f32;
                map::<f32, f32>((input, from), to, |x| (scale * x).round_ties_even() / scale);
            }
            _ => map::<f64, f64>((input, from), to, |x| (scale * x).round_ties_even() / scale),
        }
        convert(little, self.encoded, &rounded, usize::MAX, out)
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        convert(self.encoded, self.decoded, input, limit, out)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        converted_len(self.decoded, self.encoded, input_len)
    }
}
