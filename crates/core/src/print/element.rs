//! One element in CDL's spelling.

use super::bytes::{array, push_hexadecimal, trim_nuls};
use super::char_row::push_chars;
use super::enums::{enum_value, member_of};
use super::number::general::{push_general, push_integer, push_unsigned};
use super::number::shortest::{push_shortest_double, push_shortest_float};
use super::options::Precision;
use super::spelling::{push_member, push_quoted};
use crate::model::not_finite;
use crate::model::{Schema, Slot, Type, TypeClass, Values};

/// Most levels of nested types. Deeper ones are printed as `{...}`.
const MAX_DEPTH: usize = 64;

/// The context of an element, which decides the spelling of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementContext {
    /// In a `data:` section, or inside a compound or sequence.
    Data,
    /// In an attribute: numbers have a suffix for their type (`1.f`, `2s`).
    Attribute,
}

/// Prints elements of one type.
#[derive(Debug, Clone, Copy)]
pub struct ElementWriter<'a> {
    /// The schema that defines the types.
    pub schema: &'a Schema,
    /// Digits of floating-point numbers.
    pub precision: Precision,
    /// The context of the elements.
    pub place: ElementContext,
}

impl ElementWriter<'_> {
    /// Appends the element of type `ty` at the start of `bytes`. `values` contains its heap data.
    ///
    /// # Panics
    /// If `bytes` is shorter than the type.
    #[inline]
    pub fn push(&self, out: &mut Vec<u8>, ty: Type, bytes: &[u8], values: &Values) {
        self.push_nested(out, ty, bytes, values, 0);
    }

    #[inline]
    fn push_nested(&self, out: &mut Vec<u8>, ty: Type, bytes: &[u8], values: &Values, depth: usize) {
        let attribute = self.place == ElementContext::Attribute && depth == 0;
        match ty {
            Type::Byte => push_integer(out, i8::from_le_bytes(array(bytes)).into()),
            Type::UByte => push_unsigned(out, bytes[0].into()),
            Type::Short => push_integer(out, i16::from_le_bytes(array(bytes)).into()),
            Type::UShort => push_unsigned(out, u16::from_le_bytes(array(bytes)).into()),
            Type::Int => push_integer(out, i32::from_le_bytes(array(bytes)).into()),
            Type::UInt => push_unsigned(out, u32::from_le_bytes(array(bytes)).into()),
            Type::Int64 => push_integer(out, i64::from_le_bytes(array(bytes))),
            Type::UInt64 => push_unsigned(out, u64::from_le_bytes(array(bytes))),
            Type::Float => {
                let value = f32::from_le_bytes(array(bytes));
                self.push_float(out, value.into(), Type::Float, attribute);
            }
            Type::Double => {
                let value = f64::from_le_bytes(array(bytes));
                self.push_float(out, value, Type::Double, attribute);
            }
            Type::Char => push_chars(out, trim_nuls(&bytes[..1])),
            Type::String => match values.slot_content(Slot::read(bytes), 1) {
                Some(text) => push_quoted(out, text),
                None => out.extend_from_slice(b"NIL"),
            },
            Type::User(id) => self.push_user(out, &self.schema.user_type(id).class, bytes, values, depth),
        }
        if attribute {
            out.extend_from_slice(integer_suffix(ty));
        }
    }

    fn push_float(&self, out: &mut Vec<u8>, value: f64, ty: Type, attribute: bool) {
        let suffix = if ty == Type::Float { "f" } else { "" };
        if let Some(word) = not_finite(value) {
            out.extend_from_slice(word);
            out.extend_from_slice(suffix.as_bytes());
        } else {
            let start = out.len();
            match (self.precision.exact, ty) {
                (false, Type::Float) => push_general(out, value, self.precision.float),
                (false, _) => push_general(out, value, self.precision.double),
                (true, Type::Float) => push_shortest_float(out, value as f32),
                (true, _) => push_shortest_double(out, value),
            }
            if attribute {
                if let Some(e) = out[start..].iter().position(|c| *c == b'e') {
                    if !out[start..start + e].contains(&b'.') {
                        out.insert(start + e, b'.');
                    }
                } else if !out[start..].contains(&b'.') {
                    out.push(b'.');
                }
                out.extend_from_slice(suffix.as_bytes());
            }
        }
    }

    fn push_user(&self, out: &mut Vec<u8>, class: &TypeClass, bytes: &[u8], values: &Values, depth: usize) {
        if depth >= MAX_DEPTH {
            out.extend_from_slice(b"{...}");
            return;
        }
        match class {
            TypeClass::Enum { base, members } => {
                let value = enum_value(*base, bytes);
                match member_of(members, value) {
                    // CDL reads these names as the fill value or as NIL.
                    Some((name, _)) if !matches!(name.as_str(), "_" | "NIL" | "Nil" | "nil") => {
                        push_member(out, name)
                    }
                    // `_UNDEFINED` stands for 0, unless it is the name of a member with another value.
                    None if value == 0 && members.iter().all(|(name, _)| name != "_UNDEFINED") => {
                        out.extend_from_slice(b"_UNDEFINED");
                    }
                    // A value without a member is printed as a number, which CDL accepts too.
                    _ => match base {
                        Type::UInt64 => push_unsigned(out, value as u64),
                        _ => push_integer(out, value),
                    },
                }
            }
            TypeClass::Opaque { size } => {
                out.extend_from_slice(b"0X");
                push_hexadecimal(out, &bytes[..*size]);
            }
            TypeClass::Vlen { base } => {
                let size = self.schema.type_size(*base);
                let content = values.slot_content(Slot::read(bytes), size).unwrap_or(&[]);
                out.push(b'{');
                // One string: its length is that of the sequence.
                if *base == Type::Char && !content.is_empty() {
                    push_chars(out, content);
                } else {
                    for (at, member) in content.chunks_exact(size.max(1)).enumerate() {
                        if at > 0 {
                            out.extend_from_slice(b", ");
                        }
                        self.push_nested(out, *base, member, values, depth + 1);
                    }
                }
                out.push(b'}');
            }
            TypeClass::Compound { fields, .. } => {
                out.push(b'{');
                for (at, field) in fields.iter().enumerate() {
                    if at > 0 {
                        out.extend_from_slice(b", ");
                    }
                    let size = self.schema.type_size(field.ty);
                    if field.dims.is_empty() {
                        self.push_nested(out, field.ty, &bytes[field.offset..], values, depth + 1);
                        continue;
                    }
                    let count: usize = field.dims.iter().product();
                    let content = &bytes[field.offset..field.offset + size * count];
                    // Characters become strings, one for each row of the last dimension.
                    let step = match field.dims.last() {
                        Some(row) if field.ty == Type::Char => *row,
                        _ => size,
                    };
                    out.push(b'{');
                    for (at, member) in content.chunks_exact(step.max(1)).enumerate() {
                        if at > 0 {
                            out.extend_from_slice(b", ");
                        }
                        if field.ty == Type::Char {
                            push_chars(out, trim_nuls(member));
                        } else {
                            self.push_nested(out, field.ty, member, values, depth + 1);
                        }
                    }
                    out.push(b'}');
                }
                out.push(b'}');
            }
        }
    }
}

/// The suffix of an integer in an attribute, which gives its type.
fn integer_suffix(ty: Type) -> &'static [u8] {
    match ty {
        Type::Byte => b"b",
        Type::UByte => b"UB",
        Type::Short => b"s",
        Type::UShort => b"US",
        Type::UInt => b"U",
        Type::Int64 => b"LL",
        Type::UInt64 => b"ULL",
        _ => b"",
    }
}
