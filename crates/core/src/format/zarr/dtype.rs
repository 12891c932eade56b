//! The types of elements as `dtype` names them: `<i2`, `|u1`, `|S12`.
//!
//! | dtype | netCDF | stored as |
//! | --- | --- | --- |
//! | `<i2` `>i2`, and 4, 8, u2, u4, u8, f4, f8 | the same number | [`Stored::Number`] |
//! | `\|i1` `\|u1`, also `<i1` | byte, ubyte | [`Stored::Number`] |
//! | `\|b1` | an enum {FALSE, TRUE} | [`Stored::Bool`] |
//! | `<f2` `>f2` | float | [`Stored::Half`] |
//! | `<c8` `<c16` | a compound | [`Stored::Complex`] |
//! | `<M8[ns]` `<m8[s]` | int64 | [`Stored::Number`] |
//! | `>S1` in NCZarr, `<U1` in old NCZarr | char | [`Stored::Char`] |
//! | `\|Sn`; `>S1` in pure Zarr | string | [`Stored::Bytes`] |
//! | `<Un` `>Un` | string | [`Stored::Ucs4`] |
//! | `\|O` | string, or list of numbers, with a codec that makes bytes of it | [`Stored::Objects`] |

use super::flavor::Flavor;
use super::json::Json;
use super::time::Time;
use crate::model::{Endian, Type, TypeClass, UserType};

/// Most bytes of one element. numpy has the same limit.
const MAX_SIZE: u64 = i32::MAX as u64;

/// The form of elements in a decoded chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stored {
    /// The number itself.
    Number,
    /// One byte, 0 or 1.
    Bool,
    /// IEEE 754 binary16.
    Half,
    /// Two floats.
    Complex,
    /// One byte of text.
    Char,
    /// Text of at most `size` bytes, with NULs after it.
    Bytes,
    /// Text of at most `size / 4` characters of 4 bytes each, with NULs after it.
    Ucs4,
    /// Values of any length, which the first filter encodes.
    Objects,
}

/// A type of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dtype {
    /// The type in netCDF. For complex numbers that of their parts, for booleans that of their bytes, for lists that of their
    /// members.
    pub ty: Type,
    /// The byte order of numbers and of UCS-4 characters; little where there is none.
    pub endian: Endian,
    /// The form in a decoded chunk.
    pub stored: Stored,
    /// Bytes of one element in a decoded chunk; 0 if they differ ([`Stored::Objects`]).
    pub size: usize,
}

/// A `dtype` that makes no [`Dtype`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DtypeError {
    /// A type that netCDF has nothing like: complex numbers, times, structures. The text is a clause such as "has the
    /// type <M8\[ns\], which netCDF cannot hold".
    #[error("{0}")]
    Unheld(String),
    /// No type at all.
    #[error("{0}")]
    Damaged(String),
}

impl Dtype {
    /// A boolean.
    const BOOL: Self = Self {
        ty: Type::UByte,
        endian: Endian::Little,
        stored: Stored::Bool,
        size: 1,
    };

    /// The form that is written of an atomic type other than `String`.
    ///
    /// # Panics
    /// For `String` and user types.
    pub fn number(ty: Type, endian: Endian) -> Self {
        let size = ty.atomic_size();
        let stored = match ty {
            Type::Char => Stored::Char,
            Type::String => panic!("a string needs a length"),
            _ => Stored::Number,
        };
        Self {
            ty,
            endian: if size == 1 { Endian::Little } else { endian },
            stored,
            size,
        }
    }

    /// The form that is written of a user-defined type. `None` if version 2 of Zarr has none.
    pub fn of_user_type(ty: &UserType) -> Option<Self> {
        if ty.is_boolean() {
            return Some(Self::BOOL);
        }
        if let TypeClass::Vlen { base } = ty.class
            && ty.is_list_of_numbers()
        {
            return Some(Self::list(base));
        }
        let part = ty.complex_part()?;
        Some(Self {
            ty: part,
            endian: Endian::Little,
            stored: Stored::Complex,
            size: 2 * part.atomic_size(),
        })
    }

    /// Lists of numbers.
    pub fn list(base: Type) -> Self {
        Self {
            ty: base,
            endian: Endian::Little,
            stored: Stored::Objects,
            size: 0,
        }
    }

    /// Strings of at most `size` bytes.
    pub fn string(size: usize) -> Self {
        Self {
            ty: Type::String,
            endian: Endian::Little,
            stored: Stored::Bytes,
            size,
        }
    }

    /// Parses the `dtype` of an array.
    ///
    /// # Errors
    /// What netCDF cannot hold, or what is no type.
    pub fn parse(dtype: &Json, flavor: Flavor) -> Result<Self, DtypeError> {
        match dtype {
            Json::String(text) => Self::parse_text(text, flavor),
            Json::Array(_) => Err(DtypeError::Unheld(
                "has a structured type, which netCDF cannot hold".to_owned(),
            )),
            other => Err(DtypeError::Damaged(format!(
                "the dtype is {}, not a string",
                other.sort()
            ))),
        }
    }

    /// Parses a type as in `dtype`, or in the types of NCZarr's attributes.
    ///
    /// # Errors
    /// What netCDF cannot hold, or what is no type.
    pub fn parse_text(text: &str, flavor: Flavor) -> Result<Self, DtypeError> {
        let damaged = || DtypeError::Damaged(format!("the dtype is {text:?}, which is no type"));
        let unheld = || DtypeError::Unheld(format!("has the type {text}, which netCDF cannot hold"));
        let (endian, rest) = match text.as_bytes().first() {
            Some(b'>') => (Endian::Big, &text[1..]),
            Some(b'<' | b'|' | b'=') => (Endian::Little, &text[1..]),
            _ => (Endian::Little, text),
        };
        let mut characters = rest.chars();
        let letter = characters.next().ok_or_else(damaged)?;
        let (digits, unit) = split_digits(characters.as_str());
        let number = |ty| Ok(Self::number(ty, endian));
        match (letter, digits, unit) {
            ('i', "1", "") => number(Type::Byte),
            ('i', "2", "") => number(Type::Short),
            ('i', "4", "") => number(Type::Int),
            ('i', "8", "") => number(Type::Int64),
            ('u', "1", "") => number(Type::UByte),
            ('u', "2", "") => number(Type::UShort),
            ('u', "4", "") => number(Type::UInt),
            ('u', "8", "") => number(Type::UInt64),
            ('f', "4", "") => number(Type::Float),
            ('f', "8", "") => number(Type::Double),
            ('f', "2", "") => Ok(Self {
                ty: Type::Float,
                endian,
                stored: Stored::Half,
                size: 2,
            }),
            ('c', "8" | "16", "") => Ok(Self {
                ty: if digits == "8" { Type::Float } else { Type::Double },
                endian,
                stored: Stored::Complex,
                size: if digits == "8" { 8 } else { 16 },
            }),
            ('m' | 'M', "8", _) if Time::parse(text).is_some() => number(Type::Int64),
            ('b', "1", "") => Ok(Self::BOOL),
            ('S', "1", "") if text.starts_with('>') && flavor.is_nczarr() => number(Type::Char),
            ('U', "1", "") if flavor == Flavor::OldNczarr => number(Type::Char),
            ('S', _, "") => Ok(Self::string(size(digits, 1).ok_or_else(damaged)?)),
            ('U', _, "") => Ok(Self {
                endian,
                stored: Stored::Ucs4,
                ..Self::string(size(digits, 4).ok_or_else(damaged)?)
            }),
            ('O', "" | "8", "") => Ok(Self {
                stored: Stored::Objects,
                ..Self::string(0)
            }),
            // Long doubles, complex numbers of them, times without a unit, raw bytes.
            ('f' | 'c' | 'V', _, "") | ('m' | 'M', _, _) if !digits.is_empty() => Err(unheld()),
            _ => Err(damaged()),
        }
    }

    /// The text of the type as it is written.
    pub fn text(&self, flavor: Flavor) -> String {
        let order = match self.endian {
            Endian::Little => '<',
            Endian::Big => '>',
        };
        let size = self.size;
        match (self.stored, self.ty) {
            (Stored::Number, Type::Byte) => "|i1".to_owned(),
            (Stored::Number, Type::UByte) => "|u1".to_owned(),
            (Stored::Number, Type::Short | Type::Int | Type::Int64) => format!("{order}i{size}"),
            (Stored::Number, Type::UShort | Type::UInt | Type::UInt64) => format!("{order}u{size}"),
            (Stored::Number, _) => format!("{order}f{size}"),
            (Stored::Bool, _) => "|b1".to_owned(),
            (Stored::Half, _) => format!("{order}f2"),
            (Stored::Complex, _) => format!("{order}c{size}"),
            (Stored::Char, _) => match flavor {
                Flavor::Zarr => "|S1",
                Flavor::Nczarr => ">S1",
                Flavor::OldNczarr => "<U1",
            }
            .to_owned(),
            (Stored::Bytes, _) => format!("|S{size}"),
            (Stored::Ucs4, _) => format!("{order}U{}", size / 4),
            (Stored::Objects, _) => "|O".to_owned(),
        }
    }
}

/// Splits a text after its digits.
fn split_digits(text: &str) -> (&str, &str) {
    let end = text
        .bytes()
        .position(|c| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}

/// Bytes of an element of `digits` units. An element of no bytes is no type.
fn size(digits: &str, unit: u64) -> Option<usize> {
    let size = digits.parse::<u64>().ok()?.checked_mul(unit)?;
    (1..=MAX_SIZE).contains(&size).then_some(size as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Flavor::*;

    fn parse(text: &str, flavor: Flavor) -> Dtype {
        Dtype::parse(&text.into(), flavor).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    #[test]
    fn types_are_written_as_they_are_read() {
        for (text, ty, size) in [
            ("|i1", Type::Byte, 1),
            ("|u1", Type::UByte, 1),
            ("<i2", Type::Short, 2),
            (">i2", Type::Short, 2),
            ("<u2", Type::UShort, 2),
            ("<i4", Type::Int, 4),
            (">u4", Type::UInt, 4),
            ("<i8", Type::Int64, 8),
            ("<u8", Type::UInt64, 8),
            (">f4", Type::Float, 4),
            ("<f8", Type::Double, 8),
            ("|b1", Type::UByte, 1),
            ("<f2", Type::Float, 2),
            ("<c8", Type::Float, 8),
            (">c16", Type::Double, 16),
            (">f2", Type::Float, 2),
            ("|S1", Type::String, 1),
            ("|S12", Type::String, 12),
            ("<U3", Type::String, 12),
            (">U1", Type::String, 4),
            ("|O", Type::String, 0),
        ] {
            for flavor in [Zarr, Nczarr] {
                let dtype = parse(text, flavor);
                assert_eq!((dtype.ty, dtype.size), (ty, size), "{text}");
                assert_eq!(dtype.text(flavor), text);
                let big = text.starts_with('>');
                assert_eq!(dtype.endian == Endian::Big, big, "{text}");
            }
        }
    }

    #[test]
    fn other_spellings_are_read() {
        for (other, text) in [
            ("<i1", "|i1"),
            (">i1", "|i1"),
            ("<u1", "|u1"),
            ("|i4", "<i4"),
            ("=f8", "<f8"),
            ("f4", "<f4"),
            ("<b1", "|b1"),
            ("|O8", "|O"),
            ("S5", "|S5"),
        ] {
            assert_eq!(parse(other, Zarr).text(Zarr), text);
        }
    }

    #[test]
    fn char_depends_on_the_flavor() {
        for (text, flavor, ty, written) in [
            (">S1", Nczarr, Type::Char, ">S1"),
            (">S1", OldNczarr, Type::Char, "<U1"),
            ("<U1", OldNczarr, Type::Char, "<U1"),
            ("<U1", Nczarr, Type::String, "<U1"),
            (">S1", Zarr, Type::String, "|S1"),
            ("|S1", Nczarr, Type::String, "|S1"),
        ] {
            let dtype = parse(text, flavor);
            assert_eq!((dtype.ty, &*dtype.text(flavor)), (ty, written), "{text}");
        }
        let char = Dtype::number(Type::Char, Endian::Big);
        assert_eq!(
            (char.size, char.endian, char.stored),
            (1, Endian::Little, Stored::Char)
        );
        assert_eq!((&*char.text(Zarr), &*char.text(Nczarr)), ("|S1", ">S1"));
    }

    #[test]
    fn what_netcdf_cannot_hold_is_named() {
        for text in ["<c32", "<M8", "<m8[zork]", "|V4", "<f16"] {
            let error = Dtype::parse(&text.into(), Zarr).unwrap_err();
            assert_eq!(
                error,
                DtypeError::Unheld(format!("has the type {text}, which netCDF cannot hold"))
            );
        }
        let structured = Json::parse(br#"[["a", "<i4"]]"#).unwrap();
        assert!(matches!(
            Dtype::parse(&structured, Zarr),
            Err(DtypeError::Unheld(_))
        ));
    }

    #[test]
    fn what_is_no_type_is_an_error() {
        for text in [
            "",
            "<",
            "<i3",
            "<i",
            "i44",
            "int32",
            "<f4x",
            "|S0",
            "|S",
            "<U0",
            "|S-1",
            "|S99999999999999999999",
            "|S2147483648",
            "<U536870912",
            "é4",
            "|é",
            "<M",
            "|J0",
            "|S\u{663}",
        ] {
            let error = Dtype::parse(&text.into(), Zarr).unwrap_err();
            assert!(matches!(error, DtypeError::Damaged(_)), "{text}: {error}");
        }
        let error = Dtype::parse(&Json::Integer(4), Zarr).unwrap_err();
        assert_eq!(error.to_string(), "the dtype is an integer, not a string");
    }
}
