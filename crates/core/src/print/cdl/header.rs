//! The header of a CDL text: types, dimensions, variables and attributes.

use std::io::Write;

use super::attribute_times;
use super::lines::Lines;
use crate::model::{Attribute, DimId, GroupId, Schema, Type, TypeClass, UserType, VarId, VisibleNames};
use crate::print::Precision;
use crate::print::bytes::trim_nuls;
use crate::print::element::{ElementContext, ElementWriter};
use crate::print::special::Special;
use crate::print::spelling::{push_name, push_owner, push_quoted, push_text_byte};
use crate::print::type_name::finds_type;
use crate::time::TimeFormat;

/// Appends the name of a type, as used in `group`: the name alone if it finds the type, else the path.
pub fn push_type_name(out: &mut Vec<u8>, names: &VisibleNames, group: GroupId, ty: Type) {
    let id = match ty {
        Type::User(id) => id,
        atomic => {
            out.extend_from_slice(atomic.cdl_name().unwrap_or_default().as_bytes());
            return;
        }
    };
    let user = names.schema().user_type(id);
    if !finds_type(names, group, id) {
        push_path(out, names.schema(), user.group);
    }
    push_name(out, &user.name);
}

fn push_dim_name(out: &mut Vec<u8>, names: &VisibleNames, group: GroupId, id: DimId) {
    let dim = names.schema().dim(id);
    if names.dim(group, &dim.name) != Some(id) {
        push_path(out, names.schema(), dim.group);
    }
    push_name(out, &dim.name);
}

/// Appends the path of a group, with a slash at the end.
fn push_path(out: &mut Vec<u8>, schema: &Schema, group: GroupId) {
    let inner = schema
        .around(group)
        .filter(|at| schema.group(*at).parent.is_some());
    let mut names: Vec<_> = inner.map(|at| &schema.group(at).name).collect();
    names.reverse();
    out.push(b'/');
    for name in names {
        push_name(out, name);
        out.push(b'/');
    }
}

/// Prints the `types:` section of a group.
pub fn types(lines: &mut Lines, names: &VisibleNames, group: GroupId) {
    let schema = names.schema();
    if schema.group(group).types.is_empty() {
        return;
    }
    lines.margin();
    lines.text("types:\n");
    lines.set_indent(lines.indent() + 2);
    for id in &schema.group(group).types {
        user_type(lines, names, schema.user_type(*id));
    }
    lines.set_indent(lines.indent() - 2);
}

fn user_type(lines: &mut Lines, names: &VisibleNames, ty: &UserType) {
    lines.margin();
    match &ty.class {
        TypeClass::Opaque { size } => {
            let _ = write!(lines.raw(), "opaque({size}) ");
            push_name(lines.raw(), &ty.name);
            lines.text(" ;\n");
        }
        TypeClass::Vlen { base } => {
            push_type_name(lines.raw(), names, ty.group, *base);
            lines.text("(*) ");
            push_name(lines.raw(), &ty.name);
            lines.text(" ;\n");
        }
        TypeClass::Enum { base, members } => {
            // The first item of the list. The margin before it counts only after an earlier list.
            let mut item = Vec::new();
            push_type_name(&mut item, names, ty.group, *base);
            item.extend_from_slice(b" enum ");
            push_name(&mut item, &ty.name);
            item.extend_from_slice(b" {");
            lines.put(&item);
            for (at, (name, value)) in members.iter().enumerate() {
                item.clear();
                push_name(&mut item, name);
                let _ = match base {
                    Type::UInt64 => write!(item, " = {}", *value as u64),
                    _ => write!(item, " = {value}"),
                };
                item.extend_from_slice(if at + 1 < members.len() { b", " } else { b"} ;\n" });
                lines.put(&item);
            }
            if members.is_empty() {
                lines.text("} ;\n");
            }
        }
        TypeClass::Compound { fields, .. } => {
            lines.text("compound ");
            push_name(lines.raw(), &ty.name);
            lines.text(" {\n");
            for field in fields {
                lines.margin();
                lines.text("  ");
                push_type_name(lines.raw(), names, ty.group, field.ty);
                lines.text(" ");
                push_name(lines.raw(), &field.name);
                if !field.dims.is_empty() {
                    let dims: Vec<String> = field.dims.iter().map(usize::to_string).collect();
                    let _ = write!(lines.raw(), "({})", dims.join(", "));
                }
                lines.text(" ;\n");
            }
            lines.margin();
            lines.text("}; // ");
            push_name(lines.raw(), &ty.name);
            lines.text("\n");
        }
    }
}

/// Prints the `dimensions:` section of a group.
pub fn dimensions(lines: &mut Lines, schema: &Schema, group: GroupId) {
    if schema.group(group).dims.is_empty() {
        return;
    }
    lines.margin();
    lines.text("dimensions:\n");
    for id in &schema.group(group).dims {
        let dim = schema.dim(*id);
        lines.margin();
        lines.text("\t");
        push_name(lines.raw(), &dim.name);
        let _ = if dim.unlimited {
            writeln!(lines.raw(), " = UNLIMITED ; // ({} currently)", dim.length)
        } else {
            writeln!(lines.raw(), " = {} ;", dim.length)
        };
    }
}

/// Prints the declaration of a variable.
pub fn variable(lines: &mut Lines, names: &VisibleNames, id: VarId) {
    let var = names.schema().var(id);
    lines.margin();
    lines.text("\t");
    push_type_name(lines.raw(), names, var.group, var.ty);
    lines.text(" ");
    push_name(lines.raw(), &var.name);
    for (at, dim) in var.dims.iter().enumerate() {
        lines.text(if at == 0 { "(" } else { ", " });
        push_dim_name(lines.raw(), names, var.group, *dim);
    }
    lines.text(if var.dims.is_empty() { " ;\n" } else { ") ;\n" });
}

/// Prints an attribute of the variable `var` of `group`, or of the group itself. If `times` is given, a
/// comment gives its numbers as dates.
pub fn attribute(
    lines: &mut Lines,
    names: &VisibleNames,
    group: GroupId,
    var: Option<&str>,
    attribute: &Attribute,
    precision: Precision,
    times: Option<&TimeFormat>,
) {
    let schema = names.schema();
    lines.margin();
    lines.text("\t\t");
    let empty = attribute.length == 0;
    // The type is needed if the values do not imply it.
    let typed = match attribute.ty {
        Type::String | Type::User(_) => true,
        _ => precision.exact && empty,
    };
    if typed {
        push_attribute_type(lines.raw(), names, group, var, attribute.ty);
        lines.text(" ");
    }
    push_owner(lines.raw(), var);
    push_name(lines.raw(), &attribute.name);
    lines.text(if typed && empty { " =" } else { " = " });
    // An attribute of length 0 without a type is printed as an empty string.
    if !typed && (attribute.ty == Type::Char || empty) {
        let text = match &attribute.values.bytes[..] {
            _ if empty => &[],
            text if precision.exact => text,
            text => trim_nuls(text),
        };
        attribute_text(lines, schema.kind.can().holds(Type::String), text);
    } else {
        let element = ElementWriter {
            schema,
            precision,
            place: ElementContext::Attribute,
        };
        let size = schema.type_size(attribute.ty);
        let count = attribute.values.bytes.len() / size.max(1);
        // Only attributes of these types are wrapped. netCDF-C does not reset the column between them.
        let wrapped = match attribute.ty {
            Type::User(id) => matches!(
                schema.user_type(id).class,
                TypeClass::Vlen { .. } | TypeClass::Compound { .. }
            ),
            _ => false,
        };
        let mut item = Vec::new();
        for (at, bytes) in attribute.values.bytes.chunks_exact(size.max(1)).enumerate() {
            item.clear();
            element.push(&mut item, attribute.ty, bytes, &attribute.values);
            if at + 1 < count {
                item.extend_from_slice(b", ");
            }
            if wrapped {
                lines.put(&item);
            } else {
                lines.text(&item);
            }
        }
    }
    lines.text(" ;");
    if let Some(format) = times {
        attribute_times::comment(lines, format, schema, attribute, precision);
    }
    lines.text("\n");
}

/// Appends the name of an attribute's type. Before the colon, a type with the name of a variable would be
/// read as that variable, so its path is printed.
fn push_attribute_type(out: &mut Vec<u8>, names: &VisibleNames, group: GroupId, var: Option<&str>, ty: Type) {
    if let (None, Type::User(id)) = (var, ty) {
        let ty = names.schema().user_type(id);
        if names.has_var(group, &ty.name) {
            push_path(out, names.schema(), ty.group);
            push_name(out, &ty.name);
            return;
        }
    }
    push_type_name(out, names, group, ty);
}

/// Prints text in quotes. A newline in the text starts a new CDL string, which ncgen joins. In a kind that has
/// strings, this would be a list of strings.
fn attribute_text(lines: &mut Lines, has_strings: bool, text: &[u8]) {
    if has_strings {
        push_quoted(lines.raw(), text);
        return;
    }
    lines.text("\"");
    for &c in text {
        push_text_byte(lines.raw(), c);
        if c == b'\n' {
            lines.text("\",\n\t\t\t\"");
        }
    }
    lines.text("\"");
}

/// Prints special attributes of the variable `var`, or of the dataset.
pub fn special_attributes(lines: &mut Lines, var: Option<&str>, attributes: &[(&str, Special)]) {
    for (name, value) in attributes {
        lines.margin();
        lines.text("\t\t");
        push_owner(lines.raw(), var);
        lines.text(format!("{name} = "));
        match value {
            Special::Text(text) => push_quoted(lines.raw(), text.as_bytes()),
            Special::Numbers(numbers) => {
                lines.text(numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(", "));
            }
        }
        lines.text(" ;\n");
    }
}
