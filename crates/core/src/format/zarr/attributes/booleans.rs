//! Booleans: an enum in netCDF, and values of their own in JSON.

use std::borrow::Cow;
use std::collections::HashSet;

use super::super::json::Json;
use crate::model::{Attribute, Schema, Type};

/// The attributes with bytes, 0 and 1, in place of booleans, and the names of those that have booleans.
pub fn booleans_as_integers<'a>(
    schema: &Schema,
    attributes: &'a [Attribute],
) -> (Cow<'a, [Attribute]>, HashSet<String>) {
    let is_boolean = |attribute: &&Attribute| schema.is_boolean(attribute.ty);
    let names: HashSet<String> = attributes
        .iter()
        .filter(is_boolean)
        .map(|attribute| attribute.name.clone())
        .collect();
    if names.is_empty() {
        return (Cow::Borrowed(attributes), names);
    }
    let plain = |attribute: &Attribute| {
        let mut plain = attribute.clone();
        if schema.is_boolean(plain.ty) {
            plain.ty = Type::UByte;
        }
        plain
    };
    (attributes.iter().map(plain).collect(), names)
}

/// Makes booleans of the integers of an attribute.
pub fn as_booleans(json: &mut Json) {
    match json {
        Json::Integer(value) => *json = Json::Bool(*value != 0),
        Json::Array(elements) => elements.iter_mut().for_each(as_booleans),
        _ => {}
    }
}
