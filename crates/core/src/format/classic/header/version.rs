//! [`Version`]: CDF-1, CDF-2 or CDF-5, and the constants of the header.

use crate::model::{Kind, Type};

/// The version of the format: the fourth byte of the file. It decides the width of numbers in the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// CDF-1.
    Classic,
    /// CDF-2.
    Offset64,
    /// CDF-5.
    Data64,
}

impl Version {
    /// The version that stores a kind; `None` for netCDF-4.
    pub fn of(kind: Kind) -> Option<Self> {
        match kind {
            Kind::Classic => Some(Self::Classic),
            Kind::Offset64 => Some(Self::Offset64),
            Kind::Data64 => Some(Self::Data64),
            _ => None,
        }
    }

    /// The version with this fourth byte.
    pub fn from_byte(byte: u8) -> Option<Self> {
        [Self::Classic, Self::Offset64, Self::Data64]
            .into_iter()
            .find(|v| v.byte() == byte)
    }

    pub fn byte(self) -> u8 {
        match self {
            Self::Classic => 1,
            Self::Offset64 => 2,
            Self::Data64 => 5,
        }
    }

    pub fn kind(self) -> Kind {
        match self {
            Self::Classic => Kind::Classic,
            Self::Offset64 => Kind::Offset64,
            Self::Data64 => Kind::Data64,
        }
    }

    /// Bytes of a count, length, id or size in the header.
    pub fn count_width(self) -> usize {
        if self == Self::Data64 { 8 } else { 4 }
    }

    /// Bytes of a file position in the header.
    pub fn offset_width(self) -> usize {
        if self == Self::Classic { 4 } else { 8 }
    }

    /// The number of records that means "compute it from the file's size": all bits set.
    pub fn streaming(self) -> u64 {
        if self == Self::Data64 {
            u64::MAX
        } else {
            u64::from(u32::MAX)
        }
    }

    /// The code of a type in the header; `None` if the version does not have the type.
    pub fn type_code(self, ty: Type) -> Option<u32> {
        let code = match ty {
            Type::Byte => 1,
            Type::Char => 2,
            Type::Short => 3,
            Type::Int => 4,
            Type::Float => 5,
            Type::Double => 6,
            Type::UByte => 7,
            Type::UShort => 8,
            Type::UInt => 9,
            Type::Int64 => 10,
            Type::UInt64 => 11,
            Type::String | Type::User(_) => return None,
        };
        (code <= 6 || self == Self::Data64).then_some(code)
    }

    /// The type with this code in the header.
    pub fn type_of(self, code: u32) -> Option<Type> {
        use Type::{Byte, Char, Double, Float, Int, Int64, Short, UByte, UInt, UInt64, UShort};
        [
            Byte, Char, Short, Int, Float, Double, UByte, UShort, UInt, Int64, UInt64,
        ]
        .into_iter()
        .find(|ty| self.type_code(*ty) == Some(code))
    }
}

/// Tag of the list of dimensions.
pub const NC_DIMENSION: u32 = 10;

/// Tag of the list of variables.
pub const NC_VARIABLE: u32 = 11;

/// Tag of a list of attributes.
pub const NC_ATTRIBUTE: u32 = 12;

/// Value of `vsize` for a size that does not fit into 32 bits.
pub const VSIZE_TOO_LARGE: u32 = u32::MAX;

/// `n` rounded up to the next multiple of 4; `None` on overflow.
pub fn padded(n: u64) -> Option<u64> {
    n.checked_next_multiple_of(4)
}
