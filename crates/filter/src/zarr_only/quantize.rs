//! Quantize, a codec of Zarr: rounds floats to a number of decimals, in binary, so that their last bits are zeros.
//!
//! Configuration: `digits`, the decimals to keep; `dtype`, the type of the variable's floats, which may be missing in version
//! 3; `astype`, the type of the stored floats, `dtype` if missing. Decoding only converts the type.
//!
//! numcodecs, `Quantize`.

use crate::zarr_only::nearest::{nearest_f32, nearest_f64};
use crate::zarr_only::numpy_type::{NumpyType, check_converted, convert, converted_len, map};
use crate::zarr_only::zarr_configuration::{
    configuration, integer, member, number_codec, numcodecs_facts, same,
};
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, NumberClass, Outcome};
use ncutils_model::CodecSpec;

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

number_codec!(Quantize, "quantize", "digits, dtype, astype", type: "dtype", input: crate::CodecInput::EachElement, lossy: true);

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        check_converted(self.decoded, self.encoded, input, usize::MAX)?;
        // The scale is a power of two: a product with its reciprocal is a quotient.
        let scale = self.scale();
        let small = scale as f32;
        // All but the infinite becomes zero where the reciprocal is too large for its type.
        let small_reciprocal = match 1.0 / small {
            f32::INFINITY if small > 0.0 => f32::MAX,
            reciprocal => reciprocal,
        };
        let reciprocal = 1.0 / scale;
        let (from, to) = ((input, self.decoded.endian), (out, self.encoded.endian));
        let single = |x: f32| nearest_f32(small * x) * small_reciprocal;
        let double = |x: f64| nearest_f64(scale * x) * reciprocal;
        match (self.decoded.size, self.encoded.size) {
            (4, 4) => map::<f32, f32>(from, to, single),
            (4, _) => map::<f32, f64>(from, to, |x| single(x).into()),
            (_, 4) => map::<f64, f32>(from, to, |x| double(x) as f32),
            _ => map::<f64, f64>(from, to, double),
        }
        Ok(())
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        convert(self.encoded, self.decoded, input, limit, out)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        converted_len(self.decoded, self.encoded, input_len)
    }
}
