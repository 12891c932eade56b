//! The canonical bytes of elements: the same in every format, as `docs/formats/digest.md` defines them.

use std::borrow::Cow;
use std::ops::Range;

use crate::model::{Attribute, Schema, Slot, Type, TypeClass, Values};

/// The canonical bytes of the elements `range` of `values`: little-endian, without padding, strings and sequences behind
/// their length.
pub fn canonical<'v>(schema: &Schema, ty: Type, values: &'v Values, range: Range<usize>) -> Cow<'v, [u8]> {
    let size = schema.type_size(ty);
    let from = range.start.saturating_mul(size).min(values.bytes.len());
    let to = range.end.saturating_mul(size).clamp(from, values.bytes.len());
    let bytes = &values.bytes[from..to];
    if !schema.has_heap(ty) && !schema.has_gaps(ty) {
        return Cow::Borrowed(bytes);
    }
    let mut out = Vec::with_capacity(bytes.len());
    for element in bytes.chunks_exact(size.max(1)) {
        push(schema, ty, element, values, &mut out);
    }
    Cow::Owned(out)
}

fn push(schema: &Schema, ty: Type, element: &[u8], values: &Values, out: &mut Vec<u8>) {
    match ty {
        Type::String => push_sequence(element, 1, values, out, |content, out| {
            out.extend_from_slice(content)
        }),
        Type::User(id) => match &schema.user_type(id).class {
            TypeClass::Vlen { base } => {
                let size = schema.type_size(*base);
                push_sequence(element, size, values, out, |content, out| {
                    for member in content.chunks_exact(size.max(1)) {
                        push(schema, *base, member, values, out);
                    }
                });
            }
            TypeClass::Compound { fields, .. } => {
                for field in fields {
                    let size = schema.type_size(field.ty).max(1);
                    let count = field.dims.iter().product::<usize>();
                    let members = element.get(field.offset..).unwrap_or_default();
                    for member in members.chunks_exact(size).take(count) {
                        push(schema, field.ty, member, values, out);
                    }
                }
            }
            TypeClass::Enum { .. } | TypeClass::Opaque { .. } => out.extend_from_slice(element),
        },
        _ => out.extend_from_slice(element),
    }
}

fn push_sequence(
    element: &[u8],
    size: usize,
    values: &Values,
    out: &mut Vec<u8>,
    content: impl FnOnce(&[u8], &mut Vec<u8>),
) {
    let slot = Slot::read(element);
    match values.slot_content(slot, size) {
        Some(bytes) => {
            out.extend_from_slice(&slot.length.to_le_bytes());
            content(bytes, out);
        }
        None => out.extend_from_slice(&0u64.to_le_bytes()),
    }
}

/// The canonical bytes of an attribute: its name, its type's text and its elements, each behind its length.
pub fn attribute(schema: &Schema, attribute: &Attribute) -> Vec<u8> {
    let mut out = Vec::new();
    for text in [attribute.name.as_str(), &type_text(schema, attribute.ty)] {
        out.extend_from_slice(&(text.len() as u64).to_le_bytes());
        out.extend_from_slice(text.as_bytes());
    }
    out.extend_from_slice(&(attribute.length as u64).to_le_bytes());
    out.extend_from_slice(&canonical(
        schema,
        attribute.ty,
        &attribute.values,
        0..attribute.length,
    ));
    out
}

/// The text of a type, which tells its structure: `int`, `enum:byte{a=1}`, `opaque:5`, `vlen:int`, `compound{x:float[3]}`.
pub fn type_text(schema: &Schema, ty: Type) -> String {
    let Type::User(id) = ty else {
        return ty.cdl_name().unwrap_or_default().to_owned();
    };
    match &schema.user_type(id).class {
        TypeClass::Enum { base, members } => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            format!("enum:{}{{{}}}", type_text(schema, *base), members.join(","))
        }
        TypeClass::Opaque { size } => format!("opaque:{size}"),
        TypeClass::Vlen { base } => format!("vlen:{}", type_text(schema, *base)),
        TypeClass::Compound { fields, .. } => {
            let field = |field: &crate::model::Field| {
                let dims: String = field.dims.iter().map(|n| format!("[{n}]")).collect();
                format!("{}:{}{dims}", field.name, type_text(schema, field.ty))
            };
            let fields: Vec<String> = fields.iter().map(field).collect();
            format!("compound{{{}}}", fields.join(","))
        }
    }
}
