//! JSON of attributes that netCDF holds as something else: `true` is 1 there, `[1]` is 1, `[]` is empty text, an object is text,
//! and a whole number of more than 64 bits is a double.
//!
//! ```text
//! reader: members ─► read ─► Attribute ──────────────────────► Attributes ─► write ─► members
//!            └─────► spelling, if write makes another member ──────┘  └──► json: the member again
//! ```

use std::borrow::Cow;

use super::super::flavor::Flavor;
use super::super::json::Json;
use super::{infer, write};
use crate::model::{Attribute, Attributes, Type};

/// The text of a member, if the attribute that was read of it would be written as another one in pure Zarr.
pub fn spelling(value: &Json, attribute: &Attribute) -> Option<String> {
    // Texts are compared, as NaN is not equal to itself.
    let written = write::value(attribute, Flavor::Zarr).map(|json| json.to_string());
    (written != Some(without_words(value.clone()).to_string())).then(|| value.to_string())
}

/// The member that an attribute was read of, if it was kept and still has the attribute's values. `None` if the member alone has
/// another type, such as `"NaN"` of version 3, whose type stands beside it.
pub fn json(attributes: &Attributes, attribute: &Attribute) -> Option<Json> {
    let json = Json::parse_spelled(attributes.json(&attribute.name)?.as_bytes()).ok()?;
    let found = infer::infer(&json);
    let is_same =
        found.ty == attribute.ty && found.length == attribute.length && found.values == attribute.values;
    is_same.then(|| without_words(json))
}

/// Puts the members that attributes were read of in place of those that are written of them.
pub fn restore(attributes: &Attributes, members: &mut [(String, Json)]) {
    // Members have the order of the attributes. Some attributes have none.
    let mut attributes_left = attributes.iter();
    for (name, value) in members {
        if let Some(attribute) = attributes_left.find(|attribute| attribute.name == *name)
            && let Some(json) = json(attributes, attribute)
        {
            *value = json;
        }
    }
}

/// True for an attribute of which a whole number was rounded to a double.
pub fn is_rounded(attributes: &Attributes, attribute: &Attribute) -> bool {
    let is_wide = |json: &Json| match json {
        Json::Array(elements) => elements.iter().any(Json::is_wide),
        other => other.is_wide(),
    };
    attribute.ty == Type::Double && json(attributes, attribute).is_some_and(|json| is_wide(&json))
}

/// The value with all words replaced by what they mean, as not all of them are JSON. Whole numbers are.
fn without_words(json: Json) -> Json {
    match json {
        Json::Word(_) if json.is_wide() => json,
        Json::Array(elements) => Json::Array(elements.into_iter().map(without_words).collect()),
        Json::Object(members) => {
            let members = members.into_iter();
            Json::Object(members.map(|(key, value)| (key, without_words(value))).collect())
        }
        other => match other.plain() {
            Cow::Owned(plain) => plain,
            Cow::Borrowed(_) => other,
        },
    }
}
