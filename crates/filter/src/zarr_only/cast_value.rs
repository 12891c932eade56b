//! Cast value, a codec of Zarr version 3: stores numbers as numbers of another type with the same values.
//!
//! | member | meaning | default |
//! | --- | --- | --- |
//! | `data_type` | the type that is stored | |
//! | `rounding` | `nearest-even`, `towards-zero`, `towards-positive`, `towards-negative`, `nearest-away` | `nearest-even` |
//! | `out_of_range` | numbers beyond the type: `error`; `clamp`; for integers `wrap`, which drops high bits | `error` |
//! | `scalar_map` | `encode` and `decode`: lists of pairs, a number and what becomes of it, before all other rules | none |
//!
//! Both directions follow these rules. NaN becomes no integer, so without an entry in the map it is an error.
//!
//! ```json
//! {"name": "cast_value", "configuration": {"data_type": "uint8", "scalar_map": {"encode": [["NaN", 0]]}}}
//! ```
//!
//! Registry of Zarr extensions, the codec `cast_value`.

use serde_json::Value;

use crate::codec::codec_input::CodecInput;
use crate::codec::facts::CodecFacts;
use crate::zarr_only::json_scalar::{Scalar, bounds, map_scalars};
use crate::zarr_only::numpy_type::{NumpyType, convert, converted_len};
use crate::zarr_only::zarr_configuration::{configuration, member};
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, NumberClass, Outcome};
use ncutils_model::{CodecSpec, Configuration, ZarrVersion};

/// The cast value codec.
#[derive(Debug, Clone, Copy)]
pub struct CastValue;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rounding {
    NearestEven,
    TowardsZero,
    TowardsPositive,
    TowardsNegative,
    NearestAway,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutOfRange {
    Error,
    Clamp,
    Wrap,
}

/// The configuration of a spec.
struct Bound {
    decoded: NumpyType,
    encoded: NumpyType,
    rounding: Rounding,
    out_of_range: OutOfRange,
    encode_map: Vec<(Scalar, Scalar)>,
    decode_map: Vec<(Scalar, Scalar)>,
}

/// The type that a member names. The byte order is that of the chunk.
fn stored_type(value: &Value, chunk: &ChunkType) -> Outcome<NumpyType> {
    let name = match value {
        Value::Object(members) if members.len() == 1 => members.get("name"),
        _ => Some(value),
    };
    let is_name = |name: &&Value| {
        let text = name.as_str().unwrap_or_default();
        ["int", "uint", "float"]
            .iter()
            .any(|class| text.starts_with(class))
    };
    let name = name
        .filter(is_name)
        .ok_or_else(|| format!("it cannot take the type {value}"))?;
    NumpyType::named(Some(name), ZarrVersion::V3, chunk)
}

/// One of `named`; the first if the member is missing.
fn choice<T: Copy>(configuration: &Configuration, name: &str, named: &[(&str, T)]) -> Outcome<T> {
    let Some(value) = configuration.get(name) else {
        return Ok(named[0].1);
    };
    let mut all = named.iter();
    all.find(|(own, _)| value.as_str() == Some(own))
        .map(|(_, choice)| *choice)
        .ok_or_else(|| {
            let names: Vec<_> = named.iter().map(|(name, _)| *name).collect();
            format!("its member {name} is {value}; expected {}", names.join(", "))
        })
}

/// One direction of the member `scalar_map`.
fn pairs(map: &Value, direction: &str, from: NumpyType, to: NumpyType) -> Outcome<Vec<(Scalar, Scalar)>> {
    let wrong = || format!("its member scalar_map is {map}");
    let Some(list) = map.get(direction).filter(|list| !list.is_null()) else {
        return Ok(Vec::new());
    };
    let pair = |pair: &Value| match pair.as_array().map(Vec::as_slice) {
        Some([key, value]) => Ok((Scalar::from_json(key, from)?, Scalar::from_json(value, to)?)),
        _ => Err(wrong()),
    };
    list.as_array().ok_or_else(wrong)?.iter().map(pair).collect()
}

impl Bound {
    fn parse(spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Self> {
        let (_, configuration) =
            configuration(spec, &["data_type", "rounding", "out_of_range", "scalar_map"])?;
        let decoded = NumpyType::of(chunk)?;
        let encoded = configuration
            .get("data_type")
            .ok_or("its configuration lacks data_type")?;
        let encoded = stored_type(encoded, chunk)?;
        let rounding = choice(
            configuration,
            "rounding",
            &[
                ("nearest-even", Rounding::NearestEven),
                ("towards-zero", Rounding::TowardsZero),
                ("towards-positive", Rounding::TowardsPositive),
                ("towards-negative", Rounding::TowardsNegative),
                ("nearest-away", Rounding::NearestAway),
            ],
        )?;
        let out_of_range = choice(
            configuration,
            "out_of_range",
            &[
                ("error", OutOfRange::Error),
                ("clamp", OutOfRange::Clamp),
                ("wrap", OutOfRange::Wrap),
            ],
        )?;
        if out_of_range == OutOfRange::Wrap && encoded.class == NumberClass::Float {
            return Err("only integers wrap".to_owned());
        }
        let empty = Value::Object(Configuration::new());
        let map = member(configuration, "scalar_map").unwrap_or(&empty);
        let is_known = |name: &String| name == "encode" || name == "decode";
        if !map.as_object().is_some_and(|map| map.keys().all(is_known)) {
            return Err(format!("its member scalar_map is {map}"));
        }
        Ok(Self {
            encode_map: pairs(map, "encode", decoded, encoded)?,
            decode_map: pairs(map, "decode", encoded, decoded)?,
            decoded,
            encoded,
            rounding,
            out_of_range,
        })
    }

    fn cast(&self, number: Scalar, to: NumpyType) -> Outcome<Scalar> {
        if to.class == NumberClass::Float {
            return self.to_float(number, to).map(Scalar::Float);
        }
        let (least, most) = bounds(to);
        let integer = match number {
            Scalar::Integer(integer) => integer,
            Scalar::Float(float) if float.is_nan() => {
                return Err("NaN among numbers that become integers".to_owned());
            }
            Scalar::Float(float) if float.is_infinite() && self.out_of_range == OutOfRange::Wrap => {
                return Err("infinity among numbers that wrap".to_owned());
            }
            // Beyond 2^126 floats are multiples of every integer type's range.
            Scalar::Float(float) if float.abs() >= 2f64.powi(126) => match self.out_of_range {
                OutOfRange::Wrap => 0,
                _ if float > 0.0 => i128::MAX,
                _ => i128::MIN,
            },
            Scalar::Float(float) => round(float, self.rounding) as i128,
        };
        if (least..=most).contains(&integer) {
            return Ok(Scalar::Integer(integer));
        }
        match self.out_of_range {
            OutOfRange::Error => Err(format!("a number that is not from {least} to {most}")),
            OutOfRange::Clamp => Ok(Scalar::Integer(integer.clamp(least, most))),
            OutOfRange::Wrap => Ok(Scalar::Integer(
                (integer - least).rem_euclid(most - least + 1) + least,
            )),
        }
    }

    /// The float of type `to` for a number.
    fn to_float(&self, number: Scalar, to: NumpyType) -> Outcome<f64> {
        let nearest = |x: f64| if to.size == 4 { f64::from(x as f32) } else { x };
        let step = |x: f64, up: bool| match (to.size, up) {
            (4, true) => (x as f32).next_up().into(),
            (4, false) => (x as f32).next_down().into(),
            (_, true) => x.next_up(),
            (_, false) => x.next_down(),
        };
        // The nearest float, whether it is too low or too high, and the difference.
        let (near, above) = match number {
            Scalar::Float(x) if !x.is_finite() => return Ok(x),
            Scalar::Float(x) => (nearest(x), nearest(x).partial_cmp(&x)),
            Scalar::Integer(x) => {
                let near = match to.size {
                    4 => f64::from(x as f32),
                    _ => x as f64,
                };
                (near, Some((near as i128).cmp(&x)))
            }
        };
        // The number's own sign: what is near zero is rounded to zero.
        let is_positive = match number {
            Scalar::Float(x) => x > 0.0,
            Scalar::Integer(x) => x > 0,
        };
        let other = match above {
            Some(std::cmp::Ordering::Less) => step(near, true),
            Some(std::cmp::Ordering::Greater) => step(near, false),
            _ => near,
        };
        let (low, high) = (near.min(other), near.max(other));
        let made = match self.rounding {
            Rounding::NearestEven => near,
            Rounding::TowardsPositive => high,
            Rounding::TowardsNegative => low,
            Rounding::TowardsZero if is_positive => low,
            Rounding::TowardsZero => high,
            Rounding::NearestAway => {
                let is_tie = match number {
                    Scalar::Float(x) => (x - low) == (high - x),
                    Scalar::Integer(x) => x - low as i128 == high as i128 - x,
                };
                match is_tie {
                    true if is_positive => high,
                    true => low,
                    false => near,
                }
            }
        };
        match (made.is_infinite(), self.out_of_range) {
            (false, _) => Ok(made),
            // As in zarr-python: infinity is the last value of a float.
            (true, OutOfRange::Clamp) => Ok(made),
            (true, _) => Err("a number beyond all floats of the type".to_owned()),
        }
    }

    fn map(
        &self,
        (input, from): (&[u8], NumpyType),
        (out, to): (&mut Vec<u8>, NumpyType),
        limit: usize,
        map: &[(Scalar, Scalar)],
    ) -> Outcome {
        if map.is_empty() && has_all(to, from) {
            return convert(from, to, input, limit, out);
        }
        map_scalars((input, from), (out, to), limit, |number| {
            match map.iter().find(|(key, _)| *key == number) {
                Some((_, value)) => Ok(*value),
                None => self.cast(number, to),
            }
        })
    }
}

/// True if `to` has all numbers of `from`.
fn has_all(to: NumpyType, from: NumpyType) -> bool {
    match (from.class, to.class) {
        (NumberClass::Float, NumberClass::Float) => from.size <= to.size,
        (NumberClass::Float, _) => false,
        // A float of 4 bytes has the integers of 24 bits, and one of 8 bytes those of 53.
        (_, NumberClass::Float) => 2 * from.size <= to.size,
        (NumberClass::Signed, NumberClass::Unsigned) => false,
        (NumberClass::Unsigned, NumberClass::Signed) => from.size < to.size,
        _ => from.size <= to.size,
    }
}

/// A finite float, rounded to an integer.
fn round(x: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::NearestEven => x.round_ties_even(),
        Rounding::TowardsZero => x.trunc(),
        Rounding::TowardsPositive => x.ceil(),
        Rounding::TowardsNegative => x.floor(),
        Rounding::NearestAway => x.round(),
    }
}

impl Codec for CastValue {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            zarr3: Some("cast_value"),
            parameters_help: "data_type, rounding, out_of_range, scalar_map",
            input: CodecInput::EachElement,
            is_lossy: true,
            encoded_type: Some(encoded_type),
            ..CodecFacts::named("cast_value")
        }
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        Ok(Box::new(Bound::parse(spec, chunk)?))
    }
}

fn encoded_type(spec: &CodecSpec, chunk: &ChunkType) -> ChunkType {
    Bound::parse(spec, chunk).map_or_else(|_| chunk.clone(), |bound| bound.encoded.chunk(chunk))
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        self.map(
            (input, self.decoded),
            (out, self.encoded),
            usize::MAX,
            &self.encode_map,
        )
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        self.map(
            (input, self.encoded),
            (out, self.decoded),
            limit,
            &self.decode_map,
        )
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        converted_len(self.decoded, self.encoded, input_len)
    }
}

#[cfg(test)]
mod tests;
