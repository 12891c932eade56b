//! Numbers of a source as numbers of the virtual dataset.

use crate::error::{Error, Result};
use crate::model::{Type, for_number_type};

/// Converts numbers as libhdf5 does: floats to integers towards zero, what an integer cannot hold to its lowest or highest
/// value. NaN becomes `fill`, one number of type `to`, in an integer. All are little-endian.
///
/// # Errors
/// A type is not one of numbers.
pub fn cast(values: &[u8], from: Type, to: Type, fill: &[u8]) -> Result<Vec<u8>> {
    let (size, width) = (from.atomic_size(), to.atomic_size());
    let mut out = Vec::new();
    let count = values.len() / size.max(1);
    out.try_reserve_exact(count.saturating_mul(width))
        .map_err(|_| Error::Unsupported("a region larger than memory".into()))?;
    let number = number_of(from).ok_or_else(|| not_a_number(from))?;
    let put = put_of(to).ok_or_else(|| not_a_number(to))?;
    for element in values.chunks_exact(size) {
        if !put(number(element), &mut out) {
            out.extend_from_slice(fill);
        }
    }
    Ok(out)
}

/// True if numbers of this type can be converted.
pub fn is_number(ty: Type) -> bool {
    number_of(ty).is_some()
}

fn not_a_number(ty: Type) -> Error {
    Error::Internal(format!("a conversion of {ty:?} as a number"))
}

#[derive(Clone, Copy)]
enum Number {
    Integer(i128),
    Single(f32),
    Double(f64),
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[..N]);
    array
}

fn number_of(ty: Type) -> Option<fn(&[u8]) -> Number> {
    macro_rules! integer {
        ($t:ty) => {
            |bytes| Number::Integer(<$t>::from_le_bytes(array(bytes)).into())
        };
    }
    macro_rules! single_or_double {
        (f32) => {
            |bytes| Number::Single(f32::from_le_bytes(array(bytes)))
        };
        (f64) => {
            |bytes| Number::Double(f64::from_le_bytes(array(bytes)))
        };
    }
    Some(for_number_type!(ty, integer, single_or_double, else return None))
}

/// Appends a number; false for NaN that is to become an integer.
fn put_of(ty: Type) -> Option<fn(Number, &mut Vec<u8>) -> bool> {
    macro_rules! integer {
        ($t:ty) => {
            |number, out| {
                let value = match number {
                    Number::Integer(n) => n.clamp(<$t>::MIN.into(), <$t>::MAX.into()) as $t,
                    Number::Single(n) if !n.is_nan() => n as $t,
                    Number::Double(n) if !n.is_nan() => n as $t,
                    _ => return false,
                };
                out.extend_from_slice(&value.to_le_bytes());
                true
            }
        };
    }
    macro_rules! float {
        ($t:ty) => {
            |number, out| {
                let value = match number {
                    Number::Integer(n) => n as $t,
                    Number::Single(n) => n as $t,
                    Number::Double(n) => n as $t,
                };
                out.extend_from_slice(&value.to_le_bytes());
                true
            }
        };
    }
    Some(for_number_type!(ty, integer, float, else return None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_cut_and_clamped() {
        let doubles = [1.9, -1.9, 300.0, -300.0, f64::NAN, f64::INFINITY];
        let bytes: Vec<u8> = doubles.iter().flat_map(|n| n.to_le_bytes()).collect();
        let cast_to = |to, fill: &[u8]| cast(&bytes, Type::Double, to, fill).unwrap();
        assert_eq!(
            cast_to(Type::Byte, &[7]),
            [1, -1, 127, -128, 7, 127].map(|n: i8| n as u8)
        );
        assert_eq!(cast_to(Type::UByte, &[9]), [1, 0, 255, 0, 9, 255]);
        let floats = cast_to(Type::Float, &[0; 4]);
        assert_eq!(floats[..4], 1.9f32.to_le_bytes());
        assert!(f32::from_le_bytes(array(&floats[16..20])).is_nan());
        let large = cast(&u64::MAX.to_le_bytes(), Type::UInt64, Type::Int, &[]).unwrap();
        assert_eq!(large, i32::MAX.to_le_bytes());
        let low = cast(&i64::MIN.to_le_bytes(), Type::Int64, Type::UShort, &[]).unwrap();
        assert_eq!(low, [0, 0]);
        let single = cast(&16_777_217i32.to_le_bytes(), Type::Int, Type::Float, &[]).unwrap();
        assert_eq!(single, 16_777_216f32.to_le_bytes());
        assert!(cast(&[0], Type::Char, Type::Int, &[]).is_err());
    }
}
