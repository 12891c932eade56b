//! The values of an attribute, and its type where the text gives none.
//!
//! As in netCDF-C, an attribute without a type gets one from its values:
//!
//! - strings make a `char` attribute, and are concatenated;
//! - characters make `byte`;
//! - any `double` makes `double`, else any `float` makes `float`;
//! - integers make the widest of their types, and the last of two types of equal width.
//!
//! ```text
//! constants ─┬─ first walk: their type and number ─┐
//!            └─ second walk ───────────────────────┴─► Values
//! ```
//!
//! A parsed constant takes many times the memory of its text and of its value, so constants are not kept. A list
//! without a type is parsed twice instead.

use std::ops::Range;

use crate::error::Result;
use crate::model::{GroupId, Schema, Type, Values};

use super::walk::MAX_WARNINGS;
use crate::Diagnostic;
use crate::cdl::read::constant::enum_members::EnumConstants;
use crate::cdl::read::constant::lexer::{Constant, Lexer, special};
use crate::cdl::read::syntax::text::Text;
use crate::cdl::read::values::altered::Altered;
use crate::cdl::read::values::char_array::{self, NO_FILL_VALUE};
use crate::cdl::read::values::elements::Elements;
use crate::cdl::read::values::miscount::Miscounts;

/// The type, length and elements of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeValues {
    /// Type of the elements.
    pub ty: Type,
    /// Number of elements.
    pub length: usize,
    /// The elements.
    pub values: Values,
}

/// Parses the values in `list`, the text between `=` and `;`. `declared` is the attribute's type if the text gives one,
/// or the variable's type for `_FillValue`. `scope` is the group that the attribute is in.
///
/// # Errors
/// [`crate::error::Error::Cdl`] at the first value that is wrong.
pub fn attribute_values(
    text: &Text,
    list: Range<u64>,
    schema: &Schema,
    scope: GroupId,
    declared: Option<Type>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<AttributeValues> {
    let _ = scope;
    let length = usize::try_from(list.end.saturating_sub(list.start)).unwrap_or(usize::MAX);
    let bytes = text.bytes(list.start, length)?;
    let mut lexer = Lexer::new(text, &bytes, list.start);
    match declared {
        Some(Type::Char) => char_values(&mut lexer),
        Some(ty) => {
            let miscounts = Miscounts::default();
            let altered = Altered::default();
            let values = typed(&mut lexer, ty, schema, 0, &miscounts, &altered)?;
            warnings.extend(miscounts.diagnostics(text)?);
            warnings.extend(altered.diagnostics(text)?);
            warnings.truncate(MAX_WARNINGS);
            Ok(values)
        }
        None => untyped(&mut lexer, list.start, text, schema, warnings),
    }
}

/// Parses text. As in netCDF-C, an empty string is one NUL, and only an empty list is an attribute of length 0.
fn char_values(lexer: &mut Lexer) -> Result<AttributeValues> {
    let empty = lexer.peek()?.is_none();
    let mut text = char_array::text(lexer, 0, None, None)?.bytes;
    at_end(lexer)?;
    if text.is_empty() && !empty {
        text.push(0);
    }
    Ok(AttributeValues {
        ty: Type::Char,
        length: text.len(),
        values: Values::from_bytes(text),
    })
}

fn at_end(lexer: &mut Lexer) -> Result<()> {
    match lexer.peek()? {
        None => Ok(()),
        Some(_) => Err(lexer.expected("',' or ';'")),
    }
}

/// Parses values of a known type. `count` is their number if it is known, else 0.
fn typed(
    lexer: &mut Lexer,
    ty: Type,
    schema: &Schema,
    count: usize,
    miscounts: &Miscounts,
    altered: &Altered,
) -> Result<AttributeValues> {
    let mut values = Values::default();
    let size = schema.type_size(ty);
    values.bytes.reserve_exact(count.saturating_mul(size));
    let enums = match ty {
        Type::User(_) => EnumConstants::new(schema),
        _ => EnumConstants::none(),
    };
    let elements = Elements {
        schema,
        enums: &enums,
        miscounts,
        altered,
        list: 0,
    };
    let mut length = 0;
    while length > 0 || lexer.peek()?.is_some() {
        if lexer.peek()? == Some(b'_')
            && lexer
                .rest()
                .get(1)
                .is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b',' | b'}' | b'/'))
        {
            return Err(lexer.error(lexer.at, NO_FILL_VALUE));
        }
        let at = length * size;
        values.bytes.resize(at + size, 0);
        elements.element(lexer, ty, None, &mut values.bytes[at..], &mut values.heap)?;
        length += 1;
        if !lexer.take(b',')? {
            break;
        }
    }
    at_end(lexer)?;
    Ok(AttributeValues { ty, length, values })
}

fn untyped(
    lexer: &mut Lexer,
    base: u64,
    text: &Text,
    schema: &Schema,
    warnings: &mut Vec<Diagnostic>,
) -> Result<AttributeValues> {
    let inferred = Inferred::of(lexer)?;
    if let Some((value, at)) = inferred.widened
        && warnings.len() < MAX_WARNINGS
    {
        let what = format!("{value} needs more than the 32 bits of l: it is taken as 64 bits");
        warnings.push(text.diagnostic(base + at as u64, what)?);
    }
    lexer.at = 0;
    match inferred.ty() {
        Type::Char => char_values(lexer),
        // The type is atomic and holds each number, and only fields of compounds report an excess.
        ty => typed(
            lexer,
            ty,
            schema,
            inferred.count,
            &Miscounts::default(),
            &Altered::default(),
        ),
    }
}

/// Properties of a list's constants, from which the attribute's type follows.
struct Inferred {
    count: usize,
    text: bool,
    float: bool,
    double: bool,
    /// True if an integer exceeds the signed types.
    large: bool,
    widest: Type,
    /// The first integer that needs more bits than its suffix allows, and its position.
    widened: Option<(i128, usize)>,
}

impl Inferred {
    /// Parses all constants of a list. None is kept, since there may be many millions.
    fn of(lexer: &mut Lexer) -> Result<Self> {
        let mut inferred = Self {
            count: 0,
            text: false,
            float: false,
            double: false,
            large: false,
            widest: Type::Byte,
            widened: None,
        };
        while inferred.count > 0 || lexer.peek()?.is_some() {
            let first = lexer.peek()?;
            let at = lexer.at;
            if first == Some(b'{') {
                return Err(lexer.error(at, "an attribute that holds lists needs its type before its name"));
            }
            let constant = lexer.constant()?;
            inferred
                .take(constant, at)
                .map_err(|what| lexer.error(at, what))?;
            if !lexer.take(b',')? {
                break;
            }
        }
        at_end(lexer)?;
        Ok(inferred)
    }

    /// Takes one more constant into account. `at` is its position.
    fn take(&mut self, constant: Constant, at: usize) -> Result<(), String> {
        if self.count == 0 {
            self.text = matches!(constant, Constant::String(_));
        }
        self.count += 1;
        let constant = match constant {
            Constant::Name(word) => special(word).ok_or_else(|| {
                let word = String::from_utf8_lossy(word);
                format!(
                    "expected a number or a string, and '{word}' is a name: text stands between \", and an enum's \
                     member needs the enum before the attribute"
                )
            })?,
            other => other,
        };
        let ty = match constant {
            Constant::String(_) if self.text => return Ok(()),
            other if self.text => {
                return Err(format!(
                    "expected a string like those before, and this is {}",
                    other.kind()
                ));
            }
            Constant::Integer(integer) => {
                self.large |= integer.value > i64::MAX.into();
                if integer.widened && self.widened.is_none() {
                    self.widened = Some((integer.value, at));
                }
                integer.ty
            }
            Constant::Character(_) => Type::Byte,
            Constant::Real { single, .. } | Constant::Value { single, .. } => {
                self.float |= single;
                self.double |= !single;
                return Ok(());
            }
            Constant::Fill => return Err(NO_FILL_VALUE.into()),
            Constant::String(_) => {
                return Err("expected a number like those before, and this is a string".into());
            }
            other => {
                return Err(format!(
                    "{} needs the attribute's type before its name",
                    other.kind()
                ));
            }
        };
        if ty.atomic_size() >= self.widest.atomic_size() {
            self.widest = ty;
        }
        Ok(())
    }

    fn ty(&self) -> Type {
        match (self.count == 0 || self.text, self.double, self.float, self.large) {
            (true, ..) => Type::Char,
            (_, true, ..) => Type::Double,
            (_, _, true, _) => Type::Float,
            (.., true) => Type::UInt64,
            _ => self.widest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Field, Kind, TypeClass, UserType};
    use std::sync::Arc;

    fn read(spelled: &[u8], schema: &Schema, declared: Option<Type>) -> Result<AttributeValues> {
        let text = Text::new(Arc::new(spelled.to_vec()), "a.cdl").unwrap();
        let list = text.start()..text.end();
        attribute_values(&text, list, schema, Schema::ROOT, declared, &mut Vec::new())
    }

    fn plain(spelled: &str, declared: Option<Type>) -> Result<(Type, usize, Vec<u8>), String> {
        read(spelled.as_bytes(), &Schema::new(Kind::Netcdf4), declared)
            .map(|v| (v.ty, v.length, v.values.bytes))
            .map_err(|e| e.to_string())
    }

    #[test]
    fn types_are_inferred_as_netcdf_c_does() {
        for (spelled, ty) in [
            ("\"x\", \"y\"", Type::Char),
            ("", Type::Char),
            (" // nothing\n", Type::Char),
            ("'a'", Type::Byte),
            ("'a', 'b'", Type::Byte),
            ("'a', 1", Type::Int),
            ("1, 2.5", Type::Double),
            ("1, 2.5f", Type::Float),
            ("1b, 2s", Type::Short),
            ("5u", Type::UInt),
            ("1us, 1b", Type::UShort),
            ("1b, 1ub", Type::UByte),
            ("1ub, 1b", Type::Byte),
            ("1, 1u", Type::UInt),
            ("-1, 3000000000", Type::UInt),
            ("5000000000", Type::UInt64),
            ("-5000000000", Type::Int64),
            ("1ull, 1ll", Type::Int64),
            ("10000000000000000000, 1ll", Type::UInt64),
            ("255b", Type::Byte),
            ("NaN", Type::Double),
            ("nanf", Type::Float),
            ("0x10l", Type::UInt),
            ("4294967296l", Type::Int64),
        ] {
            assert_eq!(plain(spelled, None).unwrap().0, ty, "{spelled}");
        }
        for spelled in [
            "\"x\", 'b'",
            "1, \"x\"",
            "0x12",
            "NIL",
            "{1, 2}",
            "_",
            "foo",
            "1 2",
            "1,",
            ",1",
            "1,,2",
            "\"a\" \"b\"",
        ] {
            assert!(plain(spelled, None).is_err(), "{spelled}");
        }
    }

    #[test]
    fn values_are_of_their_type() {
        assert_eq!(
            plain("\"a\\n\", \"\", \"b\"", None).unwrap(),
            (Type::Char, 3, b"a\nb".to_vec())
        );
        assert_eq!(
            plain("'\\377', '\\0'", None).unwrap(),
            (Type::Byte, 2, vec![255, 0])
        );
        assert_eq!(
            plain("-1, 3000000000", None).unwrap().2,
            [[255; 4], 3_000_000_000u32.to_le_bytes()].concat()
        );
        assert_eq!(
            plain("1, 2", Some(Type::Short)).unwrap(),
            (Type::Short, 2, vec![1, 0, 2, 0])
        );
        assert_eq!(plain("", Some(Type::Int)).unwrap(), (Type::Int, 0, vec![]));
        assert_eq!(plain("\"ab\", 'c', 100b", Some(Type::Char)).unwrap().2, b"abcd");
        assert_eq!(plain("{\"ab\", \"c\"}", Some(Type::Char)).unwrap().2, b"abc");
        assert_eq!(
            plain("\"\", \"a\", \"\", 'b'", Some(Type::Char)).unwrap().2,
            b"ab"
        );
        assert_eq!(plain("\"\", \"\"", Some(Type::Char)).unwrap().2, b"\0");
        assert!(plain("65", Some(Type::Char)).is_err());
        assert!(plain("1, _", Some(Type::Int)).is_err());
        assert!(plain("{1, 2}", Some(Type::Int)).is_err());
        let error = plain("1, 300", Some(Type::Byte)).unwrap_err();
        assert!(
            error.starts_with("a.cdl:1:4: 300 does not fit in byte\n"),
            "{error}"
        );
        let schema = Schema::new(Kind::Netcdf4);
        let latin = read(b"\"\xe9\"", &schema, None).unwrap();
        assert_eq!(latin.values.bytes, [0xe9]);
    }

    #[test]
    fn a_long_that_needs_64_bits_is_warned_of() {
        let text = Text::new(Arc::new(b"1l, 4294967296L, 4294967297L".to_vec()), "a.cdl").unwrap();
        let schema = Schema::new(Kind::Netcdf4);
        let mut warnings = Vec::new();
        let list = text.start()..text.end();
        let values = attribute_values(&text, list, &schema, Schema::ROOT, None, &mut warnings).unwrap();
        assert_eq!(values.ty, Type::Int64);
        assert_eq!((warnings.len(), warnings[0].column), (1, 5));
    }

    #[test]
    fn strings_and_user_types() {
        let mut schema = Schema::new(Kind::Netcdf4);
        let values = read(b"\"a\", NIL, \"\", 12, 1.5", &schema, Some(Type::String)).unwrap();
        let strings: Vec<_> = (0..5).map(|n| values.values.string(16 * n)).collect();
        let expected: [Option<&[u8]>; 5] = [Some(b"a"), None, Some(b""), Some(b"12"), Some(b"1.5")];
        assert_eq!(strings, expected);

        let mut add = |name: &str, class| {
            Type::User(schema.add_type(UserType {
                name: name.into(),
                group: Schema::ROOT,
                class,
            }))
        };
        let cloud = add(
            "cloud",
            TypeClass::Enum {
                base: Type::Short,
                members: vec![("Clear".into(), 0), ("Rain".into(), 513), ("NIL".into(), 5)],
            },
        );
        let bytes = add("bytes", TypeClass::Opaque { size: 3 });
        let vlen = add("vlen", TypeClass::Vlen { base: Type::Int });
        let field = |name: &str, offset, ty, dims| Field {
            name: name.into(),
            offset,
            ty,
            dims,
        };
        let compound = add(
            "c",
            TypeClass::Compound {
                size: 40,
                fields: vec![
                    field("c", 0, cloud, vec![]),
                    field("n", 2, Type::Char, vec![2, 3]),
                    field("v", 8, vlen, vec![]),
                    field("s", 24, Type::String, vec![]),
                ],
            },
        );
        let read = |spelled: &str, ty| read(spelled.as_bytes(), &schema, Some(ty));
        assert_eq!(
            read("Rain, cloud.Clear, 7, NIL", cloud).unwrap().values.bytes,
            [1, 2, 0, 0, 7, 0, 5, 0]
        );
        assert!(read("Snow", cloud).is_err());
        assert_eq!(
            read("0X1234567, 0xA", bytes).unwrap().values.bytes,
            [0x12, 0x34, 0x56, 0xa0, 0, 0]
        );
        assert!(read("12", bytes).is_err());
        let v = read("{17, 18}, {}", vlen).unwrap().values;
        assert_eq!(
            v.slot_content(crate::model::Slot::read(&v.bytes), 4).unwrap(),
            [17, 0, 0, 0, 18, 0, 0, 0]
        );
        assert_eq!(crate::model::Slot::read(&v.bytes[16..]), crate::model::Slot::NIL);
        assert!(read("17", vlen).is_err());
        let same = read("{, 17, 18}, {}", vlen).unwrap().values;
        assert_eq!((same.bytes, same.heap), (v.bytes, v.heap));
        let c = read("{Rain, {\"a\", \"bcd\"}, {1}, \"x\"}, {Clear}", compound)
            .unwrap()
            .values;
        assert_eq!(&c.bytes[..8], b"\x01\x02a\0\0bcd");
        assert_eq!(c.string(24), Some(&b"x"[..]));
        assert_eq!(c.string(64), Some(&b""[..]));
        for wrong in [
            "{Rain, \"abcdefg\"}",
            "{Rain, 5}",
            "{Rain, {\"a\"}, {1}, \"x\", 5}",
            "{Rain",
            "{Rain,}",
            "{,}",
            "{, , Rain}",
            "Rain",
        ] {
            assert!(read(wrong, compound).is_err(), "{wrong}");
        }
    }
}
