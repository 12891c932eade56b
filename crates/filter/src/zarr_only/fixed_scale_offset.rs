//! Fixed scale and offset, a codec of Zarr: stores each number x as (x − offset) · scale, rounded to an integer.
//!
//! Configuration: `offset`, `scale`; `dtype`, the type of the variable's numbers, which may be missing in version 3;
//! `astype`, the type of the stored numbers, `dtype` if missing.
//!
//! As in numpy, floats are calculated with in their own type. So are integers if offset and scale are integers, and as
//! doubles otherwise. Rounding is to even.
//!
//! numcodecs, `FixedScaleOffset`.

use serde_json::Value;

use crate::zarr_only::nearest::{ToNearest, nearest_f64};
use crate::zarr_only::numpy_type::{
    Number, NumpyType, To, check_converted, convert, converted_len, map, with_number,
};
use crate::zarr_only::zarr_configuration::{configuration, member, number_codec, numcodecs_facts, same};
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, NumberClass, Outcome};
use ncutils_model::{CodecSpec, Endian};

/// The codec of fixed scale and offset.
#[derive(Debug, Clone, Copy)]
pub struct FixedScaleOffset;

/// A number of the configuration. JSON tells integers from floats, and so does the codec.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Factor {
    Integer(i128),
    Float(f64),
}

impl Factor {
    fn parse(value: Option<&Value>, name: &str) -> Outcome<Self> {
        let value = value.ok_or_else(|| format!("its configuration lacks the member {name}"))?;
        let integer = value.as_i64().map(i128::from);
        match (integer.or(value.as_u64().map(i128::from)), value.as_f64()) {
            (Some(integer), _) => Ok(Self::Integer(integer)),
            (_, Some(float)) => Ok(Self::Float(float)),
            _ => Err(format!("its member {name} is {value}")),
        }
    }

    fn float(self) -> f64 {
        match self {
            Self::Integer(integer) => integer as f64,
            Self::Float(float) => float,
        }
    }
}

/// Offset, scale and types of a spec.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bound {
    offset: Factor,
    scale: Factor,
    decoded: NumpyType,
    encoded: NumpyType,
}

impl Bound {
    fn parse(spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Self> {
        let (version, configuration) = configuration(spec, &["offset", "scale", "dtype", "astype"])?;
        let decoded = NumpyType::named(member(configuration, "dtype"), version, chunk)?;
        let encoded = match member(configuration, "astype") {
            None => decoded,
            some => NumpyType::named(some, version, chunk)?,
        };
        Ok(Self {
            offset: Factor::parse(member(configuration, "offset"), "offset")?,
            scale: Factor::parse(member(configuration, "scale"), "scale")?,
            decoded,
            encoded,
        })
    }
}

number_codec!(
    FixedScaleOffset,
    "fixedscaleoffset",
    "offset, scale, dtype, astype",
    type: "dtype", input: crate::CodecInput::EachElement,
    lossy: true
);

/// The type that integers are calculated with. Floats are calculated with their own.
const DOUBLES: NumpyType = NumpyType {
    class: NumberClass::Float,
    size: 8,
    endian: Endian::Little,
};

/// Integers less an integer, in their own type and little-endian order, in `out`.
fn less<T: Number>(input: &[u8], ty: NumpyType, offset: T, scale: T, out: &mut Vec<u8>) {
    map::<T, T>((input, ty.endian), (out, ty.little().endian), |number| {
        number.minus(offset).times(scale)
    });
}

impl Bound {
    /// (x − offset) · scale for integers, as far as numpy does not use floats for it. Returns the integers that remain to be
    /// scaled as floats, in little-endian order, and the offset and scale that remain.
    fn integers(&self, input: &[u8]) -> Outcome<(Vec<u8>, Option<(f64, f64)>)> {
        let mut out = Vec::new();
        let ty = self.decoded;
        let (offset, scale, rest) = match (self.offset, self.scale) {
            (Factor::Integer(offset), Factor::Integer(scale)) => (offset, scale, None),
            (Factor::Integer(offset), Factor::Float(scale)) => (offset, 1, Some((0.0, scale))),
            (offset, scale) => (0, 1, Some((offset.float(), scale.float()))),
        };
        macro_rules! work {
            ($ty:ty) => {{
                let fit = |factor: i128| {
                    <$ty>::try_from(factor).map_err(|_| format!("{factor} does not fit in its type"))
                };
                less::<$ty>(input, ty, fit(offset)?, fit(scale)?, &mut out)
            }};
        }
        match (ty.class, ty.size) {
            (NumberClass::Signed, 1) => work!(i8),
            (NumberClass::Signed, 2) => work!(i16),
            (NumberClass::Signed, 4) => work!(i32),
            (NumberClass::Signed, _) => work!(i64),
            (_, 1) => work!(u8),
            (_, 2) => work!(u16),
            (_, 4) => work!(u32),
            (_, _) => work!(u64),
        }
        Ok((out, rest))
    }
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        check_converted(self.decoded, self.encoded, input, usize::MAX)?;
        let (mut given, mut ty) = (std::borrow::Cow::Borrowed(input), self.decoded);
        let mut factors = Some((self.offset.float(), self.scale.float()));
        if ty.class != NumberClass::Float {
            let (made, rest) = self.integers(input)?;
            (given, ty, factors) = (made.into(), ty.little(), rest);
        }
        let Some((offset, scale)) = factors else {
            return convert(ty, self.encoded, &given, usize::MAX, out);
        };
        let (from, to) = ((&given[..], ty.endian), self.encoded.endian);
        match (ty.class, ty.size) {
            (NumberClass::Float, 4) => {
                let (offset, scale) = (offset as f32, scale as f32);
                with_number!(self.encoded, B => map::<f32, B>(from, (out, to), |x| {
                    ((x - offset) * scale).to_nearest()
                }));
            }
            (NumberClass::Float, _) => with_number!(self.encoded, B => map::<f64, B>(from, (out, to), |x| {
                ((x - offset) * scale).to_nearest()
            })),
            _ => {
                let mut scaled = Vec::new();
                with_number!(ty, A => map::<A, f64>(from, (&mut scaled, Endian::Little), |x| {
                    let x: f64 = x.to();
                    nearest_f64((x - offset) * scale)
                }));
                return convert(DOUBLES, self.encoded, &scaled, usize::MAX, out);
            }
        }
        Ok(())
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        check_converted(self.encoded, self.decoded, input, limit)?;
        let (offset, scale) = (self.offset.float(), self.scale.float());
        let (ty, to) = (self.encoded, self.decoded.endian);
        let from = (input, ty.endian);
        match (ty.class, ty.size, self.decoded.class) {
            (NumberClass::Float, 4, _) => {
                let (offset, scale) = (offset as f32, scale as f32);
                with_number!(self.decoded, B => map::<f32, B>(from, (out, to), |x| (x / scale + offset).to()));
            }
            // Floats are stored as integers for the most part.
            (_, _, NumberClass::Float) => {
                let each = |x: f64| x / scale + offset;
                match self.decoded.size {
                    4 => with_number!(ty, A => map::<A, f32>(from, (out, to), |x| each(x.to()) as f32)),
                    _ => with_number!(ty, A => map::<A, f64>(from, (out, to), |x| each(x.to()))),
                }
            }
            _ => {
                let mut made = Vec::new();
                with_number!(ty, A => map::<A, f64>(from, (&mut made, Endian::Little), |x| {
                    let x: f64 = x.to();
                    x / scale + offset
                }));
                return convert(DOUBLES, self.decoded, &made, limit, out);
            }
        }
        Ok(())
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        converted_len(self.decoded, self.encoded, input_len)
    }
}
