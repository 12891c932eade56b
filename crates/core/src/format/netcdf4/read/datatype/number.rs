//! Numbers in other formats than the machine's: integers of odd precision, and floating-point formats other
//! than IEEE 754 binary32 and binary64 (binary16, bfloat16, VAX F and G, binary128, the x87's, ...).

use ncutils_hdf5::{ByteOrder, Class, Datatype, FloatingPoint};

use super::float::{self, Fit};
use crate::model::{Endian, Type};

/// The conversion of a number in the file to one in memory.
#[derive(Debug, Clone, PartialEq)]
pub enum Number {
    /// No conversion, except of the byte order.
    Plain(Type, Endian),
    /// An integer with an unusual number of bytes, or with fewer significant bits than its bytes have.
    Integer {
        /// The type in memory.
        ty: Type,
        /// Bytes in the file.
        size: usize,
        /// Byte order in the file.
        order: ByteOrder,
        /// Position of the first significant bit.
        bit_offset: u32,
        /// Number of significant bits.
        precision: u32,
        /// True if the integer is signed, in two's complement.
        signed: bool,
    },
    /// A floating-point number in another format.
    Float {
        /// The type in memory: `Float` or `Double`.
        ty: Type,
        /// Bytes in the file.
        size: usize,
        /// The format in the file.
        format: FloatingPoint,
        /// True if `ty` holds every number of the format exactly.
        exact: bool,
    },
}

/// The warning about numbers that differ from the file's.
pub fn rounded_numbers(what: &str) -> String {
    format!("{what} has floating-point numbers that a double does not hold: they are rounded")
}

impl Number {
    /// The conversion of an integer or float of the file.
    ///
    /// # Errors
    /// The reason why no netCDF type can hold it.
    pub fn of(datatype: &Datatype) -> Result<Self, String> {
        let bits = u64::from(datatype.size) * 8;
        match &datatype.class {
            Class::FixedPoint {
                order,
                signed,
                bit_offset,
                precision,
            } => {
                let (bit_offset, precision) = (u32::from(*bit_offset), u32::from(*precision));
                if datatype.size > 16
                    || precision == 0
                    || precision > 64
                    || u64::from(bit_offset) + u64::from(precision) > bits
                {
                    return Err(format!(
                        "an integer of {precision} bits in {} bytes is not supported",
                        datatype.size
                    ));
                }
                let ty = match (precision, signed) {
                    (..=8, true) => Type::Byte,
                    (..=8, false) => Type::UByte,
                    (..=16, true) => Type::Short,
                    (..=16, false) => Type::UShort,
                    (..=32, true) => Type::Int,
                    (..=32, false) => Type::UInt,
                    (_, true) => Type::Int64,
                    (_, false) => Type::UInt64,
                };
                let plain = ty.atomic_size() == datatype.size as usize && u64::from(precision) == bits;
                Ok(match endian(*order) {
                    Some(endian) if plain => Self::Plain(ty, endian),
                    _ => Self::Integer {
                        ty,
                        size: datatype.size as usize,
                        order: *order,
                        bit_offset,
                        precision,
                        signed: *signed,
                    },
                })
            }
            Class::FloatingPoint(format) => {
                for (size, ty) in [(4, Type::Float), (8, Type::Double)] {
                    if let Some(endian) = endian(format.order)
                        && *datatype == Datatype::ieee(size, format.order)
                    {
                        return Ok(Self::Plain(ty, endian));
                    }
                }
                let (ty, exact) = match float::fit(format, datatype.size) {
                    Some(Fit::Float) => (Type::Float, true),
                    Some(Fit::Double) => (Type::Double, true),
                    Some(Fit::Rounded) => (Type::Double, false),
                    None => {
                        return Err(format!(
                            "a floating-point number of {} bits in {} bytes is not supported",
                            format.precision, datatype.size
                        ));
                    }
                };
                Ok(Self::Float {
                    ty,
                    size: datatype.size as usize,
                    format: format.clone(),
                    exact,
                })
            }
            _ => Err("it is not a number".into()),
        }
    }

    /// The type in memory.
    pub fn ty(&self) -> Type {
        match self {
            Self::Plain(ty, _) | Self::Integer { ty, .. } | Self::Float { ty, .. } => *ty,
        }
    }

    /// True if numbers may be rounded, because no netCDF type holds them all.
    pub fn is_rounded(&self) -> bool {
        matches!(self, Self::Float { exact: false, .. })
    }

    /// Converts one number. `input` has the size of the file's type, and `out` that of [`Number::ty`]. If
    /// either is shorter, the missing bytes are ignored.
    pub fn convert(&self, input: &[u8], out: &mut [u8]) {
        match self {
            Self::Plain(_, order) => {
                for (o, i) in out.iter_mut().zip(input) {
                    *o = *i;
                }
                if *order == Endian::Big {
                    out.reverse();
                }
            }
            Self::Integer {
                order,
                bit_offset,
                precision,
                signed,
                ..
            } => {
                let raw = bits(input, *order) >> bit_offset;
                let mut value = (raw & ((1u128 << precision) - 1)) as u64;
                if *signed && value >> (precision - 1) & 1 == 1 && *precision < 64 {
                    value |= u64::MAX << precision;
                }
                for (o, b) in out.iter_mut().zip(value.to_le_bytes()) {
                    *o = b;
                }
            }
            Self::Float { ty, format, .. } => {
                let value = float::value(bits(input, format.order), format);
                if *ty == Type::Float {
                    for (o, b) in out.iter_mut().zip((value as f32).to_le_bytes()) {
                        *o = b;
                    }
                } else {
                    for (o, b) in out.iter_mut().zip(value.to_le_bytes()) {
                        *o = b;
                    }
                }
            }
        }
    }
}

fn endian(order: ByteOrder) -> Option<Endian> {
    match order {
        ByteOrder::Little => Some(Endian::Little),
        ByteOrder::Big => Some(Endian::Big),
        ByteOrder::Vax => None,
    }
}

/// The bytes of a number of at most 16 bytes as one integer.
fn bits(input: &[u8], order: ByteOrder) -> u128 {
    let mut bytes = [0u8; 16];
    for (b, i) in bytes.iter_mut().zip(input) {
        *b = *i;
    }
    let n = input.len().min(16);
    let used = &mut bytes[..n];
    match order {
        ByteOrder::Little => {}
        ByteOrder::Big => used.reverse(),
        // Little-endian 16-bit words, the most significant word first.
        ByteOrder::Vax => {
            used.reverse();
            used.chunks_exact_mut(2).for_each(|word| word.reverse());
        }
    }
    u128::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(datatype: &Datatype, input: &[u8]) -> (Type, Vec<u8>) {
        let number = Number::of(datatype).unwrap();
        let mut out = vec![0; number.ty().atomic_size()];
        number.convert(input, &mut out);
        (number.ty(), out)
    }

    fn float_of(datatype: &Datatype, input: &[u8]) -> f64 {
        match read(datatype, input) {
            (Type::Float, b) => f64::from(f32::from_le_bytes(b.try_into().unwrap())),
            (_, b) => f64::from_le_bytes(b.try_into().unwrap()),
        }
    }

    #[test]
    fn binary16_values() {
        let half = Datatype::ieee(2, ByteOrder::Little);
        for (bits, value) in [
            (0x3C00u16, 1.0),
            (0xC000, -2.0),
            (0x7BFF, 65504.0),
            (0x0001, 2f64.powi(-24)),
            (0x03FF, 1023.0 * 2f64.powi(-24)),
            (0x0400, 2f64.powi(-14)),
            (0x7C00, f64::INFINITY),
            (0xFC00, f64::NEG_INFINITY),
            (0x8000, -0.0),
        ] {
            let got = float_of(&half, &bits.to_le_bytes());
            assert_eq!(got.to_bits(), value.to_bits(), "{bits:#x}");
            let big = Datatype::ieee(2, ByteOrder::Big);
            assert_eq!(float_of(&big, &bits.to_be_bytes()).to_bits(), value.to_bits());
        }
        assert!(float_of(&half, &0x7E00u16.to_le_bytes()).is_nan());
    }

    #[test]
    fn a_vax_f_float_is_half_its_ieee_neighbour_of_the_same_bits() {
        let vax = Datatype {
            size: 4,
            class: Class::FloatingPoint(FloatingPoint {
                order: ByteOrder::Vax,
                normalization: 2,
                bit_offset: 0,
                precision: 32,
                sign_location: 31,
                exponent_location: 23,
                exponent_size: 8,
                mantissa_location: 0,
                mantissa_size: 23,
                exponent_bias: 129,
            }),
        };
        // 1.0 is 0x40800000 as a number, stored most significant word first.
        assert_eq!(float_of(&vax, &[0x80, 0x40, 0, 0]), 1.0);
        assert_eq!(float_of(&vax, &[0x80, 0xC0, 0, 0]), -1.0);
    }

    #[test]
    fn odd_integers_keep_their_sign() {
        let odd = |size, signed, bit_offset, precision| Datatype {
            size,
            class: Class::FixedPoint {
                order: ByteOrder::Little,
                signed,
                bit_offset,
                precision,
            },
        };
        let value = (-5i32 << 4) as u32 & 0x00FF_FFF0 | 0xA000_0003;
        let (ty, bytes) = read(&odd(4, true, 4, 20), &value.to_le_bytes());
        assert_eq!((ty, bytes), (Type::Int, (-5i32).to_le_bytes().to_vec()));
        let (ty, bytes) = read(&odd(3, false, 0, 24), &[1, 2, 3]);
        assert_eq!((ty, bytes), (Type::UInt, 0x030201u32.to_le_bytes().to_vec()));
        let (ty, bytes) = read(&odd(16, true, 64, 64), &{
            let mut b = [7u8; 16];
            b[8..].copy_from_slice(&i64::MIN.to_le_bytes());
            b
        });
        assert_eq!((ty, bytes), (Type::Int64, i64::MIN.to_le_bytes().to_vec()));
    }

    #[test]
    fn what_fits_nothing_is_refused() {
        assert!(Number::of(&Datatype::integer(16, true, ByteOrder::Little)).is_err());
        let mut outside = Datatype::ieee(8, ByteOrder::Little);
        outside.size = 7;
        assert!(Number::of(&outside).is_err());
    }

    #[test]
    fn plain_numbers_are_seen_as_such() {
        assert_eq!(
            Number::of(&Datatype::integer(2, false, ByteOrder::Big)),
            Ok(Number::Plain(Type::UShort, Endian::Big))
        );
        assert_eq!(
            Number::of(&Datatype::ieee(8, ByteOrder::Little)),
            Ok(Number::Plain(Type::Double, Endian::Little))
        );
    }
}
