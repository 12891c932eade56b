//! [`Scalar`]: one number of a chunk, or of a codec's configuration, as Zarr version 3 writes fill values in JSON.
//!
//! | type | JSON |
//! | --- | --- |
//! | integer | a number without fraction |
//! | float | a number, `"NaN"`, `"Infinity"`, `"-Infinity"`, or its bits as in `"0x7fc00000"` |

use serde_json::Value;

use crate::zarr_only::numpy_type::NumpyType;
use crate::{NumberClass, Outcome};
use ncutils_model::Endian;

/// A number of any type.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scalar {
    Integer(i128),
    Float(f64),
}

/// NaN equals NaN.
impl PartialEq for Scalar {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a == b || a.is_nan() && b.is_nan(),
            _ => false,
        }
    }
}

/// The first and last value of an integer type.
pub(crate) fn bounds(ty: NumpyType) -> (i128, i128) {
    let bits = 8 * ty.size as u32;
    match ty.class {
        NumberClass::Unsigned => (0, (1 << bits) - 1),
        _ => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
    }
}

impl Scalar {
    /// Reads a number of type `ty` from JSON.
    ///
    /// # Errors
    /// A value that the type does not have.
    pub fn from_json(value: &Value, ty: NumpyType) -> Outcome<Self> {
        let found = match ty.class {
            NumberClass::Float => float(value, ty.size).map(Self::Float),
            _ => integer(value, ty).map(Self::Integer),
        };
        found.ok_or_else(|| format!("{value} is no number of its type"))
    }

    /// Reads a number of type `ty` from as many bytes.
    pub fn from_bytes(bytes: &[u8], ty: NumpyType) -> Self {
        let mut word = [0; 8];
        // Little-endian, in the low bytes.
        let copied = &mut word[..bytes.len().min(8)];
        copied.copy_from_slice(&bytes[..copied.len()]);
        if ty.endian == Endian::Big {
            copied.reverse();
        }
        let bits = u64::from_le_bytes(word);
        let unused = 64 - 8 * ty.size as u32;
        match (ty.class, ty.size) {
            (NumberClass::Float, 4) => Self::Float(f32::from_bits(bits as u32).into()),
            (NumberClass::Float, _) => Self::Float(f64::from_bits(bits)),
            (NumberClass::Signed, _) => Self::Integer(((bits << unused) as i64 >> unused).into()),
            (NumberClass::Unsigned, _) => Self::Integer(bits.into()),
        }
    }

    /// Appends the number, which type `ty` has, to `out`.
    pub fn push(self, ty: NumpyType, out: &mut Vec<u8>) {
        let mut word = match (self, ty.class, ty.size) {
            (Self::Integer(integer), ..) => integer as u64,
            (Self::Float(float), _, 4) => (float as f32).to_bits().into(),
            (Self::Float(float), ..) => float.to_bits(),
        }
        .to_le_bytes();
        let bytes = &mut word[..ty.size];
        if ty.endian == Endian::Big {
            bytes.reverse();
        }
        out.extend_from_slice(bytes);
    }
}

fn integer(value: &Value, ty: NumpyType) -> Option<i128> {
    let whole = |float: f64| (float.fract() == 0.0 && float.abs() < 1e19).then_some(float as i128);
    let integer = value
        .as_i64()
        .map(i128::from)
        .or(value.as_u64().map(i128::from))
        .or(value.as_f64().and_then(whole))?;
    let (least, most) = bounds(ty);
    (least..=most).contains(&integer).then_some(integer)
}

fn float(value: &Value, size: usize) -> Option<f64> {
    if let Some(number) = value.as_f64() {
        return Some(match size {
            4 => (number as f32).into(),
            _ => number,
        });
    }
    match value.as_str()? {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        text => {
            let digits = text
                .strip_prefix("0x")
                .filter(|digits| digits.len() == 2 * size)?;
            let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            let bits = u64::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
            Some(match size {
                4 => f32::from_bits(bits as u32).into(),
                _ => f64::from_bits(bits),
            })
        }
    }
}

/// Replaces the content of `out` by what `each` makes of the numbers in `input`.
///
/// # Errors
/// Input that ends within a number, more output than `limit` bytes, and those of `each`.
pub(crate) fn map_scalars(
    (input, from): (&[u8], NumpyType),
    (out, to): (&mut Vec<u8>, NumpyType),
    limit: usize,
    each: impl Fn(Scalar) -> Outcome<Scalar>,
) -> Outcome {
    crate::zarr_only::numpy_type::check_converted(from, to, input, limit)?;
    out.clear();
    out.reserve(input.len() / from.size * to.size);
    for number in input.chunks_exact(from.size) {
        each(Scalar::from_bytes(number, from))?.push(to, out);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ty(class: NumberClass, size: usize, endian: Endian) -> NumpyType {
        NumpyType { class, size, endian }
    }

    #[test]
    fn json_of_fill_values() {
        let (i8, u64) = (
            ty(NumberClass::Signed, 1, Endian::Little),
            ty(NumberClass::Unsigned, 8, Endian::Little),
        );
        let (f32, f64) = (
            ty(NumberClass::Float, 4, Endian::Little),
            ty(NumberClass::Float, 8, Endian::Little),
        );
        for (value, ty, found) in [
            (json!(-128), i8, Scalar::Integer(-128)),
            (json!(5.0), i8, Scalar::Integer(5)),
            (json!(u64::MAX), u64, Scalar::Integer(u64::MAX.into())),
            (json!(0.1), f64, Scalar::Float(0.1)),
            (json!(0.1), f32, Scalar::Float(0.1f32.into())),
            (json!("NaN"), f32, Scalar::Float(f64::NAN)),
            (json!("-Infinity"), f64, Scalar::Float(f64::NEG_INFINITY)),
            (json!("0x3f800000"), f32, Scalar::Float(1.0)),
            (json!("0x3ff0000000000000"), f64, Scalar::Float(1.0)),
        ] {
            assert_eq!(Scalar::from_json(&value, ty).unwrap(), found, "{value}");
        }
        for (value, ty) in [
            (json!(128), i8),
            (json!(-1), u64),
            (json!(0.5), i8),
            (json!("5"), i8),
            (json!("NaN"), i8),
            (json!("nan"), f32),
            (json!("0x3f8"), f32),
            (json!("0x+f800000"), f32),
            (json!(null), f32),
            (json!(true), i8),
        ] {
            assert!(Scalar::from_json(&value, ty).is_err(), "{value}");
        }
    }

    #[test]
    fn bytes_of_all_types() {
        for endian in [Endian::Little, Endian::Big] {
            for size in [1, 2, 4, 8] {
                for (class, scalars) in [
                    (NumberClass::Signed, vec![Scalar::Integer(-3), Scalar::Integer(7)]),
                    (NumberClass::Unsigned, vec![Scalar::Integer(250)]),
                    (
                        NumberClass::Float,
                        vec![Scalar::Float(-1.5), Scalar::Float(f64::NAN)],
                    ),
                ] {
                    let ty = ty(class, size, endian);
                    if class == NumberClass::Float && size < 4 {
                        continue;
                    }
                    for scalar in scalars {
                        let mut bytes = Vec::new();
                        scalar.push(ty, &mut bytes);
                        assert_eq!(bytes.len(), size);
                        assert_eq!(Scalar::from_bytes(&bytes, ty), scalar, "{ty:?}");
                    }
                }
            }
        }
        let mut bytes = Vec::new();
        Scalar::Integer(-2).push(ty(NumberClass::Signed, 2, Endian::Big), &mut bytes);
        assert_eq!(bytes, [0xff, 0xfe]);
    }
}
