//! The facts of a dataset that is written.

use super::super::super::attributes;
use super::super::super::flavor::Flavor;
use super::super::super::json::Json;
use super::super::number_words::{kept_json, name_numbers};
use super::super::write::attributes::is_foreign_fill;
use super::{VERSION, dimensions, types};
use crate::format::VariablePlan;
use crate::model::{
    Attribute, Attributes, FILL_VALUE_ATTRIBUTE, GroupId, Schema, Type, TypeClass, Values, VarId,
};

/// Makes the attribute of netCDF's own facts. `None` if nothing would be lost without it.
pub fn of(schema: &Schema, plans: &[VariablePlan]) -> Option<Json> {
    let has_dimensions = dimensions::are_lost(schema);
    let mut groups = Vec::new();
    for n in 0..schema.groups.len() {
        let members = group(schema, GroupId(n), has_dimensions);
        if !members.is_empty() {
            groups.push((schema.group_path(GroupId(n)), Json::Object(members)));
        }
    }
    let mut variables = Vec::new();
    let hidden = dimensions::are_hidden(schema);
    for (n, plan) in plans.iter().enumerate() {
        let mut members = variable(schema, VarId(n), plan);
        if hidden[n] {
            let paths = dimensions::paths(schema, &schema.vars[n].dims);
            members.push(("dimensions".to_owned(), paths));
        }
        if !members.is_empty() {
            let var = schema.var(VarId(n));
            variables.push((schema.path_in(var.group, &var.name), Json::Object(members)));
        }
    }
    let mut facts = Vec::new();
    if !schema.types.is_empty() {
        facts.push(("types".to_owned(), types::json(schema)));
    }
    for (name, members) in [("groups", groups), ("variables", variables)] {
        if !members.is_empty() {
            facts.push((name.to_owned(), Json::Object(members)));
        }
    }
    if facts.is_empty() {
        return None;
    }
    facts.insert(0, ("version".to_owned(), VERSION.into()));
    Some(Json::Object(facts))
}

fn group(schema: &Schema, id: GroupId, has_dimensions: bool) -> Vec<(String, Json)> {
    let group = schema.group(id);
    let mut members = Vec::new();
    if has_dimensions && !group.dims.is_empty() {
        members.push(("dimensions".to_owned(), dimensions::json(schema, id)));
    }
    let children: Vec<&str> = group.children.iter().map(|id| &*schema.group(*id).name).collect();
    let vars: Vec<&str> = group.vars.iter().map(|id| &*schema.var(*id).name).collect();
    for (name, list) in [("groups", children), ("variables", vars)] {
        if !list.is_sorted() {
            members.push((
                name.to_owned(),
                Json::Array(list.into_iter().map(Json::from).collect()),
            ));
        }
    }
    let types = attribute_types(schema, &group.attributes, |_| false);
    if !types.is_empty() {
        members.push(("attributes".to_owned(), Json::Object(types)));
    }
    members
}

fn variable(schema: &Schema, id: VarId, plan: &VariablePlan) -> Vec<(String, Json)> {
    let var = schema.var(id);
    let mut members = Vec::new();
    if let Type::User(ty) = var.ty {
        members.push(("type".to_owned(), types::path(schema, Type::User(ty)).into()));
    }
    let is_fill = |a: &Attribute| a.name == FILL_VALUE_ATTRIBUTE;
    let types = attribute_types(schema, &var.attributes, is_fill);
    if !types.is_empty() {
        members.push(("attributes".to_owned(), Json::Object(types)));
    }
    let fill = &plan.layout.fill;
    if fill.no_fill {
        members.push(("no_fill".to_owned(), true.into()));
    }
    let Some(at) = var.attributes.iter().position(is_fill) else {
        return members;
    };
    let (place, attribute) = (Json::from(at as u64), &var.attributes[at]);
    if is_foreign_fill(attribute, var.ty) {
        if let Some(value) = foreign_value(attribute) {
            let ty = types::path(schema, attribute.ty).into();
            members.push((
                FILL_VALUE_ATTRIBUTE.to_owned(),
                Json::Array(vec![place, value, ty]),
            ));
        }
    } else if is_lost(schema, attribute) {
        let values = &attribute.values;
        if fill.value.as_ref() == Some(values) {
            members.push((FILL_VALUE_ATTRIBUTE.to_owned(), place));
        } else if let Some(value) = text_value(var.ty, values) {
            members.push((FILL_VALUE_ATTRIBUTE.to_owned(), Json::Array(vec![place, value])));
        }
    }
    members
}

/// The value of a `_FillValue` of another type or length than an element of its variable. `None` for a user-defined type.
fn foreign_value(attribute: &Attribute) -> Option<Json> {
    let written = attributes::write(std::slice::from_ref(attribute), Flavor::Zarr, "", &mut Vec::new());
    let (_, mut value) = written.ok()?.members.into_iter().next()?;
    if attribute.length == 0 {
        value = Json::Array(Vec::new());
    }
    name_numbers(&mut value);
    Some(value)
}

/// A `_FillValue` of text that is not the array's `fill_value`: the number of a char, or a string.
fn text_value(ty: Type, values: &Values) -> Option<Json> {
    match ty {
        Type::Char => values.bytes.first().map(|&byte| Json::from(u64::from(byte))),
        Type::String => {
            let text = values.string(0)?;
            Some(std::str::from_utf8(text).ok()?.into())
        }
        _ => None,
    }
}

/// True if a `_FillValue` is no attribute of the array, because it is no number.
fn is_lost(schema: &Schema, fill: &Attribute) -> bool {
    match fill.ty {
        Type::Char | Type::String => true,
        Type::User(id) => !matches!(schema.user_type(id).class, TypeClass::Enum { .. }),
        _ => false,
    }
}

/// The attributes whose types a reader does not infer, with their types.
fn attribute_types(
    schema: &Schema,
    all: &Attributes,
    is_left_out: impl Fn(&Attribute) -> bool,
) -> Vec<(String, Json)> {
    let mut types = Vec::new();
    for attribute in all.iter().filter(|attribute| !is_left_out(attribute)) {
        if let Some(mut json) = kept_json(all, attribute) {
            name_numbers(&mut json);
            if attributes::inferred_type(&json) != attribute.ty {
                types.push((attribute.name.clone(), types::path(schema, attribute.ty).into()));
            }
            continue;
        }
        let mut plain = attribute.clone();
        if let Type::User(_) = attribute.ty {
            types.push((attribute.name.clone(), types::path(schema, attribute.ty).into()));
            continue;
        }
        if attribute.length == 0 && attribute.ty != Type::Char {
            types.push((attribute.name.clone(), types::path(schema, attribute.ty).into()));
            continue;
        }
        if let Type::Float | Type::Double = attribute.ty {
            // What is not finite is written as text.
            plain.values.bytes = finite(&attribute.values.bytes, attribute.ty);
        }
        let is_finite = plain.values.bytes == attribute.values.bytes;
        let written = attributes::write(&[plain], Flavor::Zarr, "", &mut Vec::new());
        let member = written
            .ok()
            .and_then(|written| written.members.into_iter().next());
        let Some((name, value)) = member else { continue };
        if !is_finite || attributes::inferred_type(&value) != attribute.ty {
            types.push((name, types::path(schema, attribute.ty).into()));
        }
    }
    types
}

/// The numbers with zeros in place of what is not finite.
fn finite(bytes: &[u8], ty: Type) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for number in bytes.chunks_exact_mut(ty.atomic_size()) {
        let is_finite = match <[u8; 4]>::try_from(&*number) {
            Ok(bytes) => f32::from_le_bytes(bytes).is_finite(),
            Err(_) => <[u8; 8]>::try_from(&*number).is_ok_and(|bytes| f64::from_le_bytes(bytes).is_finite()),
        };
        if !is_finite {
            number.fill(0);
        }
    }
    bytes
}
