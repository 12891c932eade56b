//! The types of netCDF: twelve atomic ones, and four kinds of user-defined ones.

use super::{GroupId, SLOT_SIZE};

/// A position in [`super::Schema::types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub usize);

/// The type of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// 8 bits, signed.
    Byte,
    /// One byte of text.
    Char,
    /// 16 bits, signed.
    Short,
    /// 32 bits, signed.
    Int,
    /// IEEE 754 binary32.
    Float,
    /// IEEE 754 binary64.
    Double,
    /// 8 bits, unsigned.
    UByte,
    /// 16 bits, unsigned.
    UShort,
    /// 32 bits, unsigned.
    UInt,
    /// 64 bits, signed.
    Int64,
    /// 64 bits, unsigned.
    UInt64,
    /// Text of any length.
    String,
    /// A type that the file defines.
    User(TypeId),
}

impl Type {
    /// Bytes that one element takes in [`super::Values`]. For user types ask [`super::Schema::type_size`].
    ///
    /// # Panics
    /// On `User`.
    pub fn atomic_size(self) -> usize {
        match self {
            Self::Byte | Self::Char | Self::UByte => 1,
            Self::Short | Self::UShort => 2,
            Self::Int | Self::UInt | Self::Float => 4,
            Self::Int64 | Self::UInt64 | Self::Double => 8,
            Self::String => SLOT_SIZE,
            Self::User(_) => panic!("the size of a user type is in the schema"),
        }
    }

    /// The name in CDL; `None` for user types.
    pub fn cdl_name(self) -> Option<&'static str> {
        Some(match self {
            Self::Byte => "byte",
            Self::Char => "char",
            Self::Short => "short",
            Self::Int => "int",
            Self::Float => "float",
            Self::Double => "double",
            Self::UByte => "ubyte",
            Self::UShort => "ushort",
            Self::UInt => "uint",
            Self::Int64 => "int64",
            Self::UInt64 => "uint64",
            Self::String => "string",
            Self::User(_) => return None,
        })
    }

    /// The atomic type of this name in CDL, or of a synonym.
    pub fn from_cdl_name(name: &str) -> Option<Self> {
        Some(match name {
            "byte" => Self::Byte,
            "char" => Self::Char,
            "short" => Self::Short,
            "int" | "integer" | "long" => Self::Int,
            "float" | "real" => Self::Float,
            "double" => Self::Double,
            "ubyte" => Self::UByte,
            "ushort" => Self::UShort,
            "uint" | "uinteger" | "ulong" => Self::UInt,
            "int64" => Self::Int64,
            "uint64" => Self::UInt64,
            "string" => Self::String,
            _ => return None,
        })
    }

    /// Whether the classic model (CDF-1, CDF-2, netCDF-4 classic) has this type.
    pub fn is_classic(self) -> bool {
        matches!(
            self,
            Self::Byte | Self::Char | Self::Short | Self::Int | Self::Float | Self::Double
        )
    }
}

/// A user-defined type.
#[derive(Debug, Clone, PartialEq)]
pub struct UserType {
    /// Its name.
    pub name: String,
    /// The group it is defined in.
    pub group: GroupId,
    /// What it is.
    pub class: TypeClass,
}

/// The kinds of user-defined types.
#[derive(Debug, Clone, PartialEq)]
pub enum TypeClass {
    /// Named integers.
    Enum {
        /// Any integer type.
        base: Type,
        /// Names and values, in order; a value of `UInt64` is kept as the same 64 bits.
        members: Vec<(String, i64)>,
    },
    /// Uninterpreted bytes.
    Opaque {
        /// How many.
        size: usize,
    },
    /// Sequences of any length.
    Vlen {
        /// What they are made of.
        base: Type,
    },
    /// Records.
    Compound {
        /// Bytes of one element, padding included.
        size: usize,
        /// The fields, in order.
        fields: Vec<Field>,
    },
}

/// A field of a compound.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Where it begins within the element, in bytes.
    pub offset: usize,
    /// Its type.
    pub ty: Type,
    /// The shape of an array field, slowest dimension first; empty for a single value.
    pub dims: Vec<usize>,
}
