//! The member `attributes` of a group or array.
//!
//! | attribute | JSON |
//! | --- | --- |
//! | numbers, text | as in version 2 |
//! | NaN, ±Infinity | `"NaN"`, `"Infinity"`, `"-Infinity"`: tensorstore and zarrs refuse the bare tokens |
//! | opaque, compound, list of numbers | a list of its elements, see [`typed_attribute`] |
//! | enum | its integers; `true` and `false` for booleans |
//! | `_FillValue` of floats | base64 of the value as little-endian float64, as xarray has it |
//! | `_FillValue` of integers | a number |
//! | `_FillValue` of anything else, or not of its variable's type | none: xarray refuses the store. It is one of netCDF's own facts |

use super::super::super::attributes;
use super::super::super::flavor::Flavor;
use super::super::super::json::Json;
use super::super::super::number::numbers;
use super::super::number_words::{kept_json, name_numbers};
use super::super::typed_attribute;
use crate::error::{Error, Result};
use crate::model::{Attribute, Attributes, FILL_VALUE_ATTRIBUTE, Schema, Type, TypeClass};
use crate::store::base64;

/// Converts the attributes of a group or variable. `variable` is the type of a variable, `None` for a group. `owner` names
/// the item: "variable t".
///
/// # Errors
/// Names an attribute of a user-defined type that is not written.
pub fn write(
    schema: &Schema,
    all: &Attributes,
    variable: Option<Type>,
    owner: &str,
    warnings: &mut Vec<String>,
) -> Result<Vec<(String, Json)>> {
    let mut members = Vec::with_capacity(all.len());
    for attribute in all {
        let plain = of_integers(schema, attribute);
        if let (FILL_VALUE_ATTRIBUTE, Some(variable)) = (&*attribute.name, variable) {
            if is_foreign_fill(attribute, variable) {
                if let Type::User(_) = attribute.ty {
                    warnings.push(format!(
                        "{owner}: the attribute {FILL_VALUE_ATTRIBUTE} is left out, because it is not one value of the \
                         variable's type"
                    ));
                }
                continue;
            }
            if let Some(value) = fill_value(&plain) {
                members.push((attribute.name.clone(), value));
            }
            continue;
        }
        if let Some(value) = typed_attribute::write(schema, attribute) {
            match attributes::is_reserved(&attribute.name) {
                true => warnings.push(format!(
                    "{owner}: the attribute {} is left out, because Zarr uses the name itself",
                    attribute.name
                )),
                false => members.push((attribute.name.clone(), value)),
            }
            continue;
        }
        let written = attributes::write(std::slice::from_ref(&plain), Flavor::Zarr, owner, warnings);
        for (name, mut value) in written.map_err(Error::Usage)?.members {
            if plain.length == 0 && plain.ty != Type::Char {
                value = Json::Array(Vec::new());
            }
            if schema.is_boolean(attribute.ty) {
                attributes::as_booleans(&mut value);
            }
            if let Some(json) = kept_json(all, attribute) {
                value = json;
            }
            name_numbers(&mut value);
            members.push((name, value));
        }
    }
    Ok(members)
}

/// The attribute with the integers of an enum as its type.
fn of_integers(schema: &Schema, attribute: &Attribute) -> Attribute {
    let mut plain = attribute.clone();
    if let Type::User(id) = attribute.ty
        && let TypeClass::Enum { base, .. } = &schema.user_type(id).class
    {
        plain.ty = *base;
    }
    plain
}

/// True if a `_FillValue` is not one value of its variable's type. netCDF refuses to make such an attribute, but a file of the
/// classic formats can have it.
pub fn is_foreign_fill(fill: &Attribute, variable: Type) -> bool {
    fill.ty != variable || fill.length != 1
}

/// The spelling of `_FillValue`; `None` if it is no number.
fn fill_value(attribute: &Attribute) -> Option<Json> {
    if !attribute.ty.is_number() {
        return None;
    }
    let number = numbers(&attribute.values.bytes, attribute.ty).pop()?;
    match attribute.ty {
        Type::Float | Type::Double => {
            let value = match <[u8; 4]>::try_from(&attribute.values.bytes[..]) {
                // This keeps the bits of a NaN, which JSON does not.
                Ok(bytes) => f64::from(f32::from_le_bytes(bytes)).to_le_bytes().to_vec(),
                Err(_) => attribute.values.bytes.clone(),
            };
            Some(base64::encode(&value).into())
        }
        _ => Some(number),
    }
}
