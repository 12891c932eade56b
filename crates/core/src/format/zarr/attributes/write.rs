//! Writes attributes.

use super::super::dtype::Dtype;
use super::super::flavor::Flavor;
use super::super::json::Json;
use super::super::number::numbers;
use super::elements::Elements;
use super::names::is_reserved;
use super::typed;
use crate::model::{Attribute, Endian, SLOT_SIZE, Type};

/// Least length in the type of strings, in bytes. netCDF-C's default for a variable of strings.
const LEAST_STRING: usize = 128;

/// Attributes as members of `.zattrs`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WrittenAttributes {
    /// The values, in order.
    pub members: Vec<(String, Json)>,
    /// The type of each, in order; none in pure Zarr.
    pub types: Vec<(String, String)>,
}

/// Converts the attributes of a group or variable. `owner` names it in warnings and errors: "variable t".
///
/// Attributes that have the name of a key of Zarr's conventions are left out, with a warning: the writer makes these keys
/// itself.
///
/// # Errors
/// An attribute of a user-defined type, as a clause that names it.
pub fn write(
    attributes: &[Attribute],
    flavor: Flavor,
    owner: &str,
    warnings: &mut Vec<String>,
) -> Result<WrittenAttributes, String> {
    let mut written = WrittenAttributes::default();
    for attribute in attributes {
        let name = &attribute.name;
        if is_reserved(name) {
            warnings.push(format!(
                "{owner}: the attribute {name} is left out, because Zarr uses the name itself"
            ));
            continue;
        }
        let mut latin = false;
        let Some((value, ty)) = value_and_type(attribute, flavor, &mut latin) else {
            return Err(format!(
                "attribute {name} of {owner} has a user-defined type, which Zarr cannot hold"
            ));
        };
        if latin {
            warnings.push(format!(
                "{owner}: the text of attribute {name} is not UTF-8; it is taken as Latin-1"
            ));
        }
        if flavor.is_nczarr() {
            written.types.push((name.clone(), ty.text(flavor)));
        }
        written.members.push((name.clone(), value));
    }
    Ok(written)
}

/// The value of an attribute; `None` for one of a user-defined type.
pub fn value(attribute: &Attribute, flavor: Flavor) -> Option<Json> {
    value_and_type(attribute, flavor, &mut false).map(|(value, _)| value)
}

/// The value of an attribute, and its type in NCZarr; `None` for one of a user-defined type. Sets `latin` for text that is not
/// UTF-8.
fn value_and_type(attribute: &Attribute, flavor: Flavor, latin: &mut bool) -> Option<(Json, Dtype)> {
    Some(match attribute.ty {
        Type::User(_) => return None,
        Type::Char => {
            let text = utf8(without_nuls(&attribute.values.bytes), latin);
            let value = match flavor.is_nczarr() {
                true => chars_of_nczarr(text),
                false => Json::String(text),
            };
            (value, Dtype::number(Type::Char, Endian::Little))
        }
        Type::String => {
            let strings = strings(attribute, latin);
            let longest = strings.iter().map(String::len).max().unwrap_or(0);
            let strings = strings.into_iter().map(Json::String).collect();
            (list(strings, flavor), Dtype::string(longest.max(LEAST_STRING)))
        }
        ty => (
            list(numbers(&attribute.values.bytes, ty), flavor),
            Dtype::number(ty, Endian::Little),
        ),
    })
}

/// The strings of an attribute. NIL becomes the empty string.
fn strings(attribute: &Attribute, latin: &mut bool) -> Vec<String> {
    let places = (0..attribute.values.bytes.len() / SLOT_SIZE).map(|at| at * SLOT_SIZE);
    places
        .map(|at| utf8(attribute.values.string(at).unwrap_or_default(), latin))
        .collect()
}

/// Text without the NULs at its end, so that an empty text and one NUL are written alike. netCDF-C reads `[]` as two letters, reads `\u0000` as letters, and programs write an empty text as one NUL.
fn without_nuls(text: &[u8]) -> &[u8] {
    let length = text
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(0, |last| last + 1);
    &text[..length]
}

/// Text as UTF-8. If it is none, each byte is a character of Latin-1, and `latin` is set.
fn utf8(bytes: &[u8], latin: &mut bool) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => {
            *latin = true;
            bytes.iter().map(|byte| char::from(*byte)).collect()
        }
    }
}

/// One element bare, others in an array. In pure Zarr no elements are `""`, because netCDF-C reads no type from `[]`.
fn list(mut elements: Vec<Json>, flavor: Flavor) -> Json {
    match elements.len() {
        0 if !flavor.is_nczarr() => "".into(),
        1 => elements.remove(0),
        _ => Json::Array(elements),
    }
}

/// Text as a string, or as JSON if every reader of NCZarr makes the same text of that: so an object is still one after a way
/// through netCDF. In pure Zarr text is a string always, because programs make an object of an object, and `None` of `null`.
fn chars_of_nczarr(text: String) -> Json {
    // netCDF-C knows no escapes \uXXXX. Outside of objects it would take them wrong as well, but only once. It joins an array of
    // strings or numbers to one text if its type is char.
    if text.starts_with(['{', '['])
        && !text.contains("\\u")
        && let Ok(json) = Json::parse_strict(text.as_bytes())
        && is_nested(&json)
        && typed::elements(&json, Type::Char) == Some(Elements::chars(&text))
    {
        return json;
    }
    Json::String(text)
}

/// True for an object, and for an array that contains an object or array.
fn is_nested(json: &Json) -> bool {
    match json {
        Json::Object(_) => true,
        Json::Array(elements) => elements
            .iter()
            .any(|e| matches!(e, Json::Object(_) | Json::Array(_))),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
