//! Compares two datasets: kind, groups, dimensions, types, variables, attributes and values.

use crate::format::{Reader, Region};
use crate::model::{Attribute, Schema, Slot, Type, TypeClass, Values, VarId};

/// A dataset as text in full detail, so that a difference shows.
///
/// # Panics
/// If values cannot be read.
pub fn spelled_out(reader: &dyn Reader) -> String {
    let schema = reader.schema();
    let mut lines = vec![format!("kind {}", schema.kind.name())];
    for (at, group) in schema.groups.iter().enumerate() {
        let path = schema.group_path(crate::model::GroupId(at));
        lines.push(format!("group {path:?}"));
        for dim in group.dims.iter().map(|dim| schema.dim(*dim)) {
            lines.push(format!("  dim {:?} {} {}", dim.name, dim.length, dim.unlimited));
        }
        for ty in &group.types {
            let ty = schema.user_type(*ty);
            lines.push(format!("  type {:?} {}", ty.name, class(schema, &ty.class)));
        }
        for attribute in &group.attributes {
            lines.push(format!("  {}", self::attribute(schema, attribute)));
        }
        for id in &group.vars {
            variable(&mut lines, reader, *id);
        }
    }
    lines.join("\n")
}

fn variable(lines: &mut Vec<String>, reader: &dyn Reader, id: VarId) {
    let schema = reader.schema();
    let var = schema.var(id);
    let dims: Vec<String> = var
        .dims
        .iter()
        .map(|dim| {
            let dim = schema.dim(*dim);
            format!("{}:{:?}", schema.group_path(dim.group), dim.name)
        })
        .collect();
    lines.push(format!(
        "  var {:?} {} {dims:?}",
        var.name,
        type_name(schema, var.ty)
    ));
    for attribute in &var.attributes {
        lines.push(format!("    {}", self::attribute(schema, attribute)));
    }
    let shape = schema.shape(id);
    if !shape.contains(&0) {
        let values = reader.read_region(id, &Region::whole(&shape)).unwrap();
        lines.push(format!("    {}", elements(schema, var.ty, &values)));
    }
}

fn attribute(schema: &Schema, attribute: &Attribute) -> String {
    let Attribute {
        name,
        ty,
        length,
        values,
    } = attribute;
    let elements = elements(schema, *ty, values);
    format!(
        "attribute {name:?} {} {length} {elements}",
        type_name(schema, *ty)
    )
}

fn type_name(schema: &Schema, ty: Type) -> String {
    match ty {
        Type::User(id) => {
            let ty = schema.user_type(id);
            format!("{}:{:?}", schema.group_path(ty.group), ty.name)
        }
        atomic => atomic.cdl_name().unwrap().to_owned(),
    }
}

/// A type as text. Field offsets are left out, since they depend on the format.
fn class(schema: &Schema, class: &TypeClass) -> String {
    match class {
        TypeClass::Enum { base, members } => format!("enum {} {members:?}", type_name(schema, *base)),
        TypeClass::Opaque { size } => format!("opaque {size}"),
        TypeClass::Vlen { base } => format!("vlen {}", type_name(schema, *base)),
        TypeClass::Compound { fields, .. } => {
            let fields = fields
                .iter()
                .map(|f| format!("{:?} {} {:?}", f.name, type_name(schema, f.ty), f.dims));
            format!("compound {:?}", fields.collect::<Vec<_>>())
        }
    }
}

fn elements(schema: &Schema, ty: Type, values: &Values) -> String {
    let size = schema.type_size(ty).max(1);
    let all = values.bytes.chunks_exact(size);
    all.map(|bytes| element(schema, ty, bytes, values))
        .collect::<Vec<_>>()
        .join(" ")
}

fn element(schema: &Schema, ty: Type, bytes: &[u8], values: &Values) -> String {
    let size = schema.type_size(ty);
    let plain = || {
        bytes[..size]
            .iter()
            .rev()
            .map(|b| format!("{b:02x}"))
            .collect::<String>()
    };
    match ty {
        // CDL has only one NaN.
        Type::Float if f32::from_le_bytes(bytes[..4].try_into().unwrap()).is_nan() => "nan".into(),
        Type::Double if f64::from_le_bytes(bytes[..8].try_into().unwrap()).is_nan() => "nan".into(),
        Type::String => match values.slot_content(Slot::read(bytes), 1) {
            Some(text) => format!("\"{}\"", text.escape_ascii()),
            None => "NIL".into(),
        },
        Type::User(id) => match &schema.user_type(id).class {
            TypeClass::Enum { .. } | TypeClass::Opaque { .. } => plain(),
            TypeClass::Vlen { base } => {
                let size = schema.type_size(*base).max(1);
                let content = values.slot_content(Slot::read(bytes), size).unwrap_or_default();
                let members = content
                    .chunks_exact(size)
                    .map(|m| element(schema, *base, m, values));
                format!("({})", members.collect::<Vec<_>>().join(" "))
            }
            TypeClass::Compound { fields, .. } => {
                let mut all = Vec::new();
                for field in fields {
                    let size = schema.type_size(field.ty);
                    for at in 0..field.dims.iter().product::<usize>() {
                        all.push(element(
                            schema,
                            field.ty,
                            &bytes[field.offset + at * size..],
                            values,
                        ));
                    }
                }
                format!("{{{}}}", all.join(" "))
            }
        },
        _ => plain(),
    }
}
