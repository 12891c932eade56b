//! The types of netCDF: twelve atomic types, and four kinds of user-defined types.

use crate::{GroupId, SLOT_SIZE, TypeId};

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
    /// A type defined in the file.
    User(TypeId),
}

impl Type {
    /// All types but those defined in files.
    pub const ATOMIC: [Self; 12] = [
        Self::Byte,
        Self::Char,
        Self::Short,
        Self::Int,
        Self::Float,
        Self::Double,
        Self::UByte,
        Self::UShort,
        Self::UInt,
        Self::Int64,
        Self::UInt64,
        Self::String,
    ];

    /// The types of the classic model.
    pub const CLASSIC: &'static [Self] = Self::ATOMIC.split_at(6).0;

    /// The types of fixed size: those of the classic model, and the integers added by CDF-5 and netCDF-4.
    pub const FIXED_SIZE: &'static [Self] = Self::ATOMIC.split_at(11).0;

    /// Bytes of one element in [`crate::Values`]. For user types use [`crate::Schema::type_size`].
    ///
    /// # Panics
    /// For `User`.
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

    /// The atomic type with this name in CDL. Accepts synonyms.
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

    /// True for a type whose elements are numbers of a fixed size.
    pub fn is_number(self) -> bool {
        !matches!(self, Self::Char | Self::String | Self::User(_))
    }

    /// True if the classic model (CDF-1, CDF-2, netCDF-4 classic) has this type.
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
    /// The group that defines it.
    pub group: GroupId,
    /// Its kind and contents.
    pub class: TypeClass,
}

/// The members of the enum that stands for a boolean, as h5py has it.
const BOOLEAN: [(&str, i64); 2] = [("FALSE", 0), ("TRUE", 1)];

impl UserType {
    /// The enum that stands for a boolean. h5py reads such an enum as `bool`.
    pub fn boolean_class() -> TypeClass {
        TypeClass::Enum {
            base: Type::Byte,
            members: BOOLEAN.map(|(name, value)| (name.to_owned(), value)).into(),
        }
    }

    /// True for lists of numbers.
    pub fn is_list_of_numbers(&self) -> bool {
        matches!(self.class, TypeClass::Vlen { base } if base.is_number())
    }

    /// True for an enum of one byte with the members FALSE, 0, and TRUE, 1.
    pub fn is_boolean(&self) -> bool {
        match &self.class {
            TypeClass::Enum {
                base: Type::Byte | Type::UByte,
                members,
            } => {
                let named =
                    |((name, value), wanted): (&(String, i64), (&str, i64))| (&**name, *value) == wanted;
                members.len() == BOOLEAN.len() && members.iter().zip(BOOLEAN).all(named)
            }
            _ => false,
        }
    }

    /// The type of the parts of a complex number: a compound of the fields r and i, both `float` or both `double`, without
    /// gaps. So h5py and netCDF4-python have complex numbers. `None` for any other type.
    pub fn complex_part(&self) -> Option<Type> {
        let TypeClass::Compound { size, fields } = &self.class else {
            return None;
        };
        let [r, i] = &fields[..] else { return None };
        let part = Some(r.ty).filter(|ty| matches!(ty, Type::Float | Type::Double))?;
        let half = part.atomic_size();
        let fits = [(r, "r", 0), (i, "i", half)]
            .into_iter()
            .all(|(field, name, offset)| {
                field.name == name && field.ty == part && field.dims.is_empty() && field.offset == offset
            });
        (fits && *size == 2 * half).then_some(part)
    }
}

/// The kinds of user-defined types.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TypeClass {
    /// Named integers.
    Enum {
        /// An integer type.
        base: Type,
        /// Names and values, in order. A `UInt64` value is kept as the same 64 bits.
        members: Vec<(String, i64)>,
    },
    /// Uninterpreted bytes.
    Opaque {
        /// Number of bytes.
        size: usize,
    },
    /// Sequences of any length.
    Vlen {
        /// Type of the members.
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
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Offset within the element, in bytes.
    pub offset: usize,
    /// Its type.
    pub ty: Type,
    /// The shape of an array field, slowest dimension first; empty for a single value.
    pub dims: Vec<usize>,
}
