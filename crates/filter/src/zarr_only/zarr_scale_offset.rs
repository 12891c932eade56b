//! Scale and offset, a codec of Zarr version 3: stores each number x as (x − offset) · scale, in the type of x.
//!
//! Configuration: `offset`, 0 if missing; `scale`, 1 if missing and never 0. Both are numbers of the type, as fill values
//! are written. Usually `cast_value` follows, which makes smaller numbers of the results.
//!
//! Floats are calculated with in their own type. An integer that does not fit its type is an error, and so is one that cannot
//! be divided by the scale.
//!
//! ```json
//! {"name": "scale_offset", "configuration": {"offset": 5, "scale": 0.1}}
//! ```
//!
//! Registry of Zarr extensions, the codec `scale_offset`. It is neither HDF5's scale-offset nor numcodecs' `fixedscaleoffset`.

use serde_json::Value;

use crate::codec::codec_input::CodecInput;
use crate::codec::facts::CodecFacts;
use crate::zarr_only::json_scalar::{Scalar, bounds, map_scalars};
use crate::zarr_only::numpy_type::NumpyType;
use crate::zarr_only::zarr_configuration::{configuration, same};
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, Outcome};
use ncutils_model::CodecSpec;

/// The codec of scale and offset.
#[derive(Debug, Clone, Copy)]
pub struct ZarrScaleOffset;

/// The members `offset` and `scale` of a spec.
fn members(spec: &CodecSpec) -> Outcome<[Value; 2]> {
    let (_, configuration) = configuration(spec, &["offset", "scale"])?;
    let member = |name, default: i32| configuration.get(name).cloned().unwrap_or(default.into());
    Ok([member("offset", 0), member("scale", 1)])
}

/// Offset and scale, and the type of the numbers.
#[derive(Debug, Clone, Copy)]
struct Bound {
    offset: Scalar,
    scale: Scalar,
    ty: NumpyType,
}

impl Codec for ZarrScaleOffset {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            zarr3: Some("scale_offset"),
            parameters_help: "offset, scale",
            input: CodecInput::EachElement,
            is_lossy: true,
            same_configuration: Some(|a, b| same(members(a), members(b))),
            ..CodecFacts::named("scale_offset")
        }
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        let ty = NumpyType::of(chunk)?;
        let [offset, scale] = members(spec)?;
        let scalar = |name, value| {
            Scalar::from_json(value, ty).map_err(|why| format!("its member {name} is wrong: {why}"))
        };
        let scale = scalar("scale", &scale)?;
        if matches!(scale, Scalar::Integer(0) | Scalar::Float(0.0)) {
            return Err("its member scale is 0".to_owned());
        }
        Ok(Box::new(Bound {
            offset: scalar("offset", &offset)?,
            scale,
            ty,
        }))
    }
}

impl Bound {
    /// A result, if the type has it.
    fn checked(&self, result: Option<i128>) -> Outcome<Scalar> {
        let (least, most) = bounds(self.ty);
        result
            .filter(|result| (least..=most).contains(result))
            .map(Scalar::Integer)
            .ok_or_else(|| format!("a result that is not from {least} to {most}"))
    }

    /// Applies operations to all numbers: on floats in their own type, which rounds each result, and on integers.
    fn map(
        &self,
        input: &[u8],
        limit: usize,
        out: &mut Vec<u8>,
        floats: [fn(f64, f64, f64) -> f64; 2],
        integers: impl Fn(i128, i128, i128) -> Option<i128>,
    ) -> Outcome {
        map_scalars((input, self.ty), (out, self.ty), limit, |number| {
            match (number, self.offset, self.scale) {
                (Scalar::Float(x), Scalar::Float(offset), Scalar::Float(scale)) => {
                    // A double has more than twice the bits of a float, so rounding its result to a float gives that of floats.
                    let round = |x: f64| if self.ty.size == 4 { f64::from(x as f32) } else { x };
                    let first = round(floats[0](x, offset, scale));
                    Ok(Scalar::Float(round(floats[1](first, offset, scale))))
                }
                (Scalar::Integer(x), Scalar::Integer(offset), Scalar::Integer(scale)) => {
                    self.checked(integers(x, offset, scale))
                }
                _ => Err("numbers of two types".to_owned()),
            }
        })
    }
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        let floats: [fn(f64, f64, f64) -> f64; 2] = [|x, offset, _| x - offset, |x, _, scale| x * scale];
        self.map(input, usize::MAX, out, floats, |x, offset, scale| {
            (x - offset).checked_mul(scale)
        })
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        let floats: [fn(f64, f64, f64) -> f64; 2] = [|x, _, scale| x / scale, |x, offset, _| x + offset];
        self.map(input, limit, out, floats, |x, offset, scale| {
            (x % scale == 0).then(|| x / scale + offset)
        })
        .map_err(|why| match why.as_str() {
            why if why.starts_with("a result") => format!("{why}, or is not whole"),
            _ => why,
        })
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        input_len
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NumberClass, Registry, Scratch};
    use ncutils_model::Endian;
    use ncutils_model::ZarrVersion;
    use serde_json::json;

    fn spec(configuration: serde_json::Value) -> CodecSpec {
        CodecSpec::zarr(
            ZarrVersion::V3,
            "scale_offset",
            configuration.as_object().unwrap().clone(),
        )
    }

    fn chunk(class: NumberClass, size: usize) -> ChunkType {
        ChunkType::of_numbers(class, size, Endian::Little, &[4])
    }

    #[test]
    fn floats_are_calculated_with_in_their_own_type() {
        let spec = spec(json!({"offset": 5, "scale": 0.1}));
        let codec = ZarrScaleOffset
            .bind(&spec, &chunk(NumberClass::Float, 4))
            .unwrap();
        let numbers = [15.0f32, 0.3, f32::NAN, f32::INFINITY];
        let input: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let (mut stored, mut back) = (Vec::new(), Vec::new());
        codec.encode(&input, ChunkShape::Full, &mut stored).unwrap();
        let floats = |bytes: &[u8]| -> Vec<u32> {
            let floats = bytes.as_chunks::<4>().0.iter();
            floats.map(|bytes| u32::from_le_bytes(*bytes)).collect()
        };
        let expected = numbers.map(|x| ((x - 5.0f32) * 0.1f32).to_bits());
        assert_eq!(floats(&stored)[..2], expected[..2]);
        codec.decode(&stored, ChunkShape::Full, 16, &mut back).unwrap();
        let expected = expected.map(|bits| (f32::from_bits(bits) / 0.1f32 + 5.0f32).to_bits());
        assert_eq!(floats(&back)[..2], expected[..2]);
        assert!(f32::from_bits(floats(&back)[2]).is_nan());
        assert_eq!(f32::from_bits(floats(&back)[3]), f32::INFINITY);
    }

    #[test]
    fn integers_stay_exact_or_fail() {
        let spec = spec(json!({"offset": 100, "scale": 2}));
        let codec = ZarrScaleOffset
            .bind(&spec, &chunk(NumberClass::Signed, 1))
            .unwrap();
        let mut out = Vec::new();
        codec
            .encode(&[100, 120, 37, 90], ChunkShape::Full, &mut out)
            .unwrap();
        assert_eq!(out, [0, 40, -126i8 as u8, -20i8 as u8]);
        let stored = out.clone();
        codec.decode(&stored, ChunkShape::Full, 4, &mut out).unwrap();
        assert_eq!(out, [100, 120, 37, 90]);
        assert!(codec.encode(&[0, 0, 0, 0], ChunkShape::Full, &mut out).is_err());
        // 1 is not twice an integer, and 54 / 2 + 100 + 1 is no byte.
        for stored in [1, 56] {
            assert!(codec.decode(&[stored], ChunkShape::Full, 4, &mut out).is_err());
        }
    }

    #[test]
    fn configurations_are_strict() {
        let registry = Registry::builtin();
        for (configuration, fits) in [
            (json!({}), true),
            (json!({"scale": 2}), true),
            (json!({"offset": -128, "scale": -1}), true),
            (json!({"scale": 0}), false),
            (json!({"scale": 0.5}), false),
            (json!({"offset": 128}), false),
            (json!({"offset": "NaN"}), false),
            (json!({"offset": null}), false),
            (json!({"scale": 1, "more": 2}), false),
        ] {
            let spec = spec(configuration.clone());
            let bound = ZarrScaleOffset.bind(&spec, &chunk(NumberClass::Signed, 1));
            assert_eq!(bound.is_ok(), fits, "{configuration}");
        }
        let (bare, full) = (spec(json!({})), spec(json!({"offset": 0, "scale": 1})));
        assert!(registry.same_stream(&bare, &full, &chunk(NumberClass::Signed, 1)));
        assert!(!registry.same_stream(&bare, &spec(json!({"scale": 2})), &chunk(NumberClass::Signed, 1)));
    }

    #[test]
    fn with_cast_value_floats_become_bytes() {
        let chain = [
            spec(json!({"offset": 10, "scale": 0.5})),
            CodecSpec::zarr(
                ZarrVersion::V3,
                "cast_value",
                json!({"data_type": "uint8"}).as_object().unwrap().clone(),
            ),
        ];
        let pipeline = Registry::builtin()
            .bind(&chain, &chunk(NumberClass::Float, 8))
            .unwrap();
        let numbers = [10.0f64, 12.0, 14.0, 520.0];
        let input: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let mut scratch = Scratch::new();
        let stored = pipeline.encode(&input, ChunkShape::Full, &mut scratch).unwrap();
        assert_eq!(stored.bytes, [0, 1, 2, 255]);
        assert_eq!(
            pipeline.decode(stored, ChunkShape::Full, &mut scratch).unwrap(),
            input
        );
    }
}
