//! The `attribute` elements.

use std::io::Write;

use super::{Ncml, atomic_name};
use crate::model::not_finite;
use crate::model::{Attribute, Schema, Slot, Type, TypeClass};
use crate::print::Precision;
use crate::print::bytes::trim_nuls;
use crate::print::element::{ElementContext, ElementWriter};
use crate::print::enums::{enum_value, member_of};
use crate::print::number::general::push_general;

impl Ncml<'_> {
    /// Prints an attribute: text unchanged, numbers with blanks between them, strings with a separator. NcML
    /// has no other types. Enums become the names of their members, and values of other user types are
    /// printed as in CDL.
    pub(super) fn attribute(&mut self, attribute: &Attribute) {
        self.open("attribute", &attribute.name);
        if attribute.ty == Type::Char {
            self.text.raw(" value=\"");
            self.text.push(trim_nuls(&attribute.values.bytes));
        } else if matches!(attribute.ty, Type::String | Type::User(_)) {
            self.strings(&strings(self.schema, self.options.precision, attribute));
        } else {
            let numbers = numbers(self.schema, self.options.precision, attribute);
            let start = format!(" type=\"{}\" value=\"{numbers}", atomic_name(attribute.ty));
            self.text.raw(&start);
        }
        self.text.raw("\" />\n");
    }

    fn strings(&mut self, strings: &[Vec<u8>]) {
        self.text.raw(" type=\"String\"");
        let mut separator = String::new();
        if strings.len() > 1 {
            separator.push(separator_of(strings));
            self.text.raw(" separator=\"");
            self.text.push(separator.as_bytes());
            self.text.raw("\"");
        }
        self.text.raw(" value=\"");
        self.text.push(&strings.join(separator.as_bytes()));
    }
}

/// A character that is in none of the strings. Prefers the one that netCDF-Java uses.
fn separator_of(strings: &[Vec<u8>]) -> char {
    let is_free = |c: &char| {
        let mut bytes = [0; 4];
        let c = c.encode_utf8(&mut bytes).as_bytes();
        !strings.iter().any(|s| s.windows(c.len()).any(|w| w == c))
    };
    "|;,~^#@!$%+="
        .chars()
        .chain('\u{e000}'..='\u{f8ff}')
        .find(is_free)
        .unwrap_or('|')
}

/// The elements of an attribute of strings or of a user type, as text.
fn strings(schema: &Schema, precision: Precision, attribute: &Attribute) -> Vec<Vec<u8>> {
    let size = schema.type_size(attribute.ty).max(1);
    let element = ElementWriter {
        schema,
        precision,
        place: ElementContext::Data,
    };
    let elements = attribute.values.bytes.chunks_exact(size);
    elements
        .map(|bytes| {
            let class = match attribute.ty {
                Type::User(id) => &schema.user_type(id).class,
                _ => {
                    let slot = Slot::read(bytes);
                    return attribute
                        .values
                        .slot_content(slot, 1)
                        .unwrap_or_default()
                        .to_vec();
                }
            };
            let mut text = Vec::new();
            match class {
                TypeClass::Enum { base, members } => {
                    let value = enum_value(*base, bytes);
                    match member_of(members, value) {
                        Some((name, _)) => text.extend_from_slice(name.as_bytes()),
                        None => text.extend_from_slice(value.to_string().as_bytes()),
                    }
                }
                _ => element.push(&mut text, attribute.ty, bytes, &attribute.values),
            }
            text
        })
        .collect()
}

/// Numbers with blanks between them. Floating-point numbers contain a point.
fn numbers(schema: &Schema, precision: Precision, attribute: &Attribute) -> String {
    let size = schema.type_size(attribute.ty).max(1);
    let mut out = Vec::new();
    for bytes in attribute.values.bytes.chunks_exact(size) {
        if !out.is_empty() {
            out.push(b' ');
        }
        push_number(&mut out, precision, attribute.ty, bytes);
    }
    String::from_utf8(out).unwrap_or_default()
}

fn push_number(out: &mut Vec<u8>, precision: Precision, ty: Type, bytes: &[u8]) {
    macro_rules! read {
        ($ty:ty) => {
            <$ty>::from_le_bytes(bytes[..size_of::<$ty>()].try_into().unwrap_or_default())
        };
    }
    let _ = match ty {
        Type::Byte => write!(out, "{}", read!(i8)),
        Type::UByte => write!(out, "{}", read!(u8)),
        Type::Short => write!(out, "{}", read!(i16)),
        Type::UShort => write!(out, "{}", read!(u16)),
        Type::Int => write!(out, "{}", read!(i32)),
        Type::UInt => write!(out, "{}", read!(u32)),
        Type::Int64 => write!(out, "{}", read!(i64)),
        Type::UInt64 => write!(out, "{}", read!(u64)),
        Type::Float => {
            push_float(out, read!(f32).into(), precision.float);
            Ok(())
        }
        Type::Double => {
            push_float(out, read!(f64), precision.double);
            Ok(())
        }
        Type::Char | Type::String | Type::User(_) => Ok(()),
    };
}

/// Appends a number like C's `%#g` without trailing zeros. NaN and infinities are spelled as in Java.
fn push_float(out: &mut Vec<u8>, value: f64, digits: usize) {
    if let Some(word) = not_finite(value) {
        out.extend_from_slice(word);
        return;
    }
    let start = out.len();
    push_general(out, value, digits);
    let exponent = out[start..].iter().position(|c| *c == b'e');
    let end = exponent.map_or(out.len(), |at| start + at);
    if !out[start..end].contains(&b'.') {
        out.insert(end, b'.');
    }
}
