//! One element as JSON.

use super::brackets::{close, open};
use super::text::{push_padded_string, push_string};
use crate::model::{Field, Schema, Slot, Type, TypeClass, Values};
use crate::print::bytes::push_hexadecimal;
use crate::print::enums::{enum_value, member_of};
use crate::print::number::general::{push_integer, push_unsigned};
use crate::print::number::shortest::{push_shortest_double, push_shortest_float};

/// Most levels of nested types. Deeper ones are printed as `null`.
const MAX_DEPTH: usize = 64;

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(&bytes[..N]);
    out
}

/// Appends the element of type `ty` at the start of `bytes`. `values` contains its heap data.
///
/// # Panics
/// If `bytes` is shorter than the type.
#[inline]
pub fn push_element(out: &mut Vec<u8>, schema: &Schema, ty: Type, bytes: &[u8], values: &Values) {
    push_nested(out, schema, ty, bytes, values, 0);
}

#[inline]
fn push_nested(out: &mut Vec<u8>, schema: &Schema, ty: Type, bytes: &[u8], values: &Values, depth: usize) {
    match ty {
        Type::Byte => push_integer(out, i8::from_le_bytes(array(bytes)).into()),
        Type::UByte => push_integer(out, bytes[0].into()),
        Type::Short => push_integer(out, i16::from_le_bytes(array(bytes)).into()),
        Type::UShort => push_integer(out, u16::from_le_bytes(array(bytes)).into()),
        Type::Int => push_integer(out, i32::from_le_bytes(array(bytes)).into()),
        Type::UInt => push_integer(out, u32::from_le_bytes(array(bytes)).into()),
        Type::Int64 => push_integer(out, i64::from_le_bytes(array(bytes))),
        Type::UInt64 => push_unsigned(out, u64::from_le_bytes(array(bytes))),
        Type::Float => match f32::from_le_bytes(array(bytes)) {
            value if !value.is_finite() => out.extend_from_slice(b"null"),
            value if is_negative_zero(value.into()) => out.extend_from_slice(b"-0.0"),
            value => push_shortest_float(out, value),
        },
        Type::Double => match f64::from_le_bytes(array(bytes)) {
            value if !value.is_finite() => out.extend_from_slice(b"null"),
            value if is_negative_zero(value) => out.extend_from_slice(b"-0.0"),
            value => push_shortest_double(out, value),
        },
        Type::Char => push_padded_string(out, &bytes[..1]),
        Type::String => match values.slot_content(Slot::read(bytes), 1) {
            Some(text) => push_string(out, text),
            None => out.extend_from_slice(b"null"),
        },
        Type::User(_) if depth >= MAX_DEPTH => out.extend_from_slice(b"null"),
        Type::User(id) => push_user(out, schema, &schema.user_type(id).class, bytes, values, depth),
    }
}

fn push_user(
    out: &mut Vec<u8>,
    schema: &Schema,
    class: &TypeClass,
    bytes: &[u8],
    values: &Values,
    depth: usize,
) {
    match class {
        TypeClass::Enum { base, members } => {
            let value = enum_value(*base, bytes);
            match member_of(members, value) {
                Some((name, _)) => push_string(out, name.as_bytes()),
                // Members of a `uint64` enum are kept as the same 64 bits.
                None if *base == Type::UInt64 => push_unsigned(out, value as u64),
                None => push_integer(out, value),
            }
        }
        TypeClass::Opaque { size } => {
            out.extend_from_slice(b"\"0X");
            push_hexadecimal(out, &bytes[..*size]);
            out.push(b'"');
        }
        TypeClass::Vlen { base } => {
            let size = schema.type_size(*base);
            let content = values.slot_content(Slot::read(bytes), size).unwrap_or(&[]);
            if *base == Type::Char {
                push_string(out, content);
                return;
            }
            out.push(b'[');
            for (at, member) in content.chunks_exact(size.max(1)).enumerate() {
                if at > 0 {
                    out.extend_from_slice(b", ");
                }
                push_nested(out, schema, *base, member, values, depth + 1);
            }
            out.push(b']');
        }
        TypeClass::Compound { fields, .. } => {
            out.push(b'{');
            for (at, field) in fields.iter().enumerate() {
                if at > 0 {
                    out.extend_from_slice(b", ");
                }
                push_string(out, field.name.as_bytes());
                out.extend_from_slice(b": ");
                push_field(out, schema, field, &bytes[field.offset..], values, depth + 1);
            }
            out.push(b'}');
        }
    }
}

/// True for -0. Many readers of JSON take `-0` as an integer, which loses the sign.
fn is_negative_zero(value: f64) -> bool {
    value == 0.0 && value.is_sign_negative()
}

/// Appends the field at the start of `bytes`: arrays nested in its shape, text as strings.
fn push_field(
    out: &mut Vec<u8>,
    schema: &Schema,
    field: &Field,
    bytes: &[u8],
    values: &Values,
    depth: usize,
) {
    let (item, shape): (usize, &[usize]) = match (field.ty, field.dims.split_last()) {
        (Type::Char, Some((length, outer))) => (*length, outer),
        _ => (schema.type_size(field.ty), &field.dims),
    };
    let shape: Vec<u64> = shape.iter().map(|length| *length as u64).collect();
    let count: usize = shape.iter().product::<u64>() as usize;
    for at in 0..count {
        let bytes = &bytes[at * item..(at + 1) * item];
        open(out, &shape, at as u64);
        if field.ty == Type::Char {
            push_padded_string(out, bytes);
        } else {
            push_nested(out, schema, field.ty, bytes, values, depth);
        }
        close(out, &shape, at as u64);
    }
    if count == 0 {
        out.extend_from_slice(b"[]");
    }
}
