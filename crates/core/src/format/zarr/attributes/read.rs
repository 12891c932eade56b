//! Reads attributes.

use std::collections::{BTreeMap, HashMap};

use super::super::json::Json;
use super::super::keys::NC_PROPERTIES;
use super::elements::Elements;
use super::names::is_reserved;
use super::{fill_attribute, infer, kept_json, typed};
use crate::model::{Attribute, FILL_VALUE_ATTRIBUTE, MAX_NAME, Type, Values};

/// What the members of `.zattrs` hold for netCDF.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadAttributes {
    /// The attributes, in order, without the keys of Zarr's conventions.
    pub attributes: Vec<Attribute>,
    /// The JSON of attributes that pure Zarr spells in another way than they would be written: see
    /// [`Attributes::json`](crate::model::Attributes::json).
    pub json: BTreeMap<String, String>,
    /// The text of `_NCProperties`.
    pub nc_properties: Option<String>,
}

/// Reads the attributes of a group or variable.
///
/// - `members` are those of `.zattrs`, best from [`Json::parse_spelled`]: so the text `1.10`, which netCDF-C stores without
///   quotes, keeps its zero.
/// - `types` is NCZarr's map from names to types: the member `types` of `_nczarr_attr`. An attribute that is not in
///   it, or whose value does not fit, has the type that its value suggests.
/// - `variable` is the type of the variable. `_FillValue` has it, unless `types` says another.
/// - `owner` names the group or variable in warnings: "variable t".
pub fn read(
    members: &[(String, Json)],
    types: Option<&Json>,
    variable: Option<Type>,
    owner: &str,
    warnings: &mut Vec<String>,
) -> ReadAttributes {
    let types = type_names(types, owner, warnings);
    let mut found = ReadAttributes::default();
    for (name, value) in members {
        if name == NC_PROPERTIES {
            found.nc_properties = Some(match value {
                Json::String(text) => text.clone(),
                other => other.to_string(),
            });
        } else if name.is_empty() || name.len() > MAX_NAME {
            warnings.push(format!(
                "an attribute of {owner} is left out: its name has {} bytes, and netCDF takes 1 to {MAX_NAME}",
                name.len()
            ));
        } else if name.contains('\0') {
            warnings.push(format!(
                "an attribute of {owner} is left out: its name {name:?} contains a NUL, which netCDF cannot hold"
            ));
        } else if !is_reserved(name) {
            let context = Context { name, owner };
            let elements = context.elements(value, types.get(name.as_str()).copied(), variable, warnings);
            found.attributes.push(elements.named(name));
        }
    }
    found
}

impl ReadAttributes {
    /// Keeps the JSON of the members that the attributes were read of.
    #[must_use]
    pub fn with_json(mut self, members: &[(String, Json)]) -> Self {
        // Attributes have the order of the members. Some members are no attributes.
        let mut members = members.iter();
        for attribute in &self.attributes {
            if let Some((name, value)) = members.find(|(name, _)| *name == attribute.name)
                && name != FILL_VALUE_ATTRIBUTE
                && let Some(json) = kept_json::spelling(value, attribute)
            {
                self.json.insert(name.clone(), json);
            }
        }
        self
    }

    /// Gives text the bytes that it has in a document that is no UTF-8.
    pub fn restore_bytes(&mut self) {
        self.json.clear();
        for attribute in self
            .attributes
            .iter_mut()
            .filter(|attribute| attribute.ty == Type::Char)
        {
            let text = String::from_utf8_lossy(&attribute.values.bytes);
            let bytes = ncutils_hdf5::bytes_of_text(&text).into_owned();
            attribute.length = bytes.len();
            attribute.values = Values::from_bytes(bytes);
        }
    }
}

/// The types by name.
fn type_names<'a>(
    types: Option<&'a Json>,
    owner: &str,
    warnings: &mut Vec<String>,
) -> HashMap<&'a str, &'a Json> {
    match types {
        None => HashMap::new(),
        Some(Json::Object(members)) => members.iter().map(|(name, ty)| (name.as_str(), ty)).collect(),
        Some(other) => {
            warnings.push(format!(
                "{owner}: the types of its attributes are {}, not an object; they are taken from the values",
                other.sort()
            ));
            HashMap::new()
        }
    }
}

/// The names that a warning needs.
struct Context<'a> {
    name: &'a str,
    owner: &'a str,
}

impl Context<'_> {
    fn elements(
        &self,
        value: &Json,
        ty: Option<&Json>,
        variable: Option<Type>,
        warnings: &mut Vec<String>,
    ) -> Elements {
        let (expected, spelled) = match ty {
            Some(Json::String(text)) => (typed::parse(text), text.as_str()),
            Some(other) => (None, other.sort()),
            None if self.name == FILL_VALUE_ATTRIBUTE => (variable, "of the variable"),
            None => return infer::infer(value),
        };
        if let Some(elements) = expected.and_then(|ty| typed::elements(value, ty)) {
            return elements;
        }
        if ty.is_none()
            && let Some(ty) = variable
            && let Some(values) = fill_attribute::read(value, ty)
        {
            return Elements {
                ty,
                length: 1,
                values,
            };
        }
        let elements = infer::infer(value);
        if ty.is_some() || variable.is_some() {
            let Self { name, owner } = self;
            warnings.push(format!(
                "{owner}: the value of attribute {name} does not fit the type {spelled}; it is read as {}",
                elements.ty.cdl_name().unwrap_or_default()
            ));
        }
        elements
    }
}

#[cfg(test)]
mod tests;
