//! Whether a variable of an input goes on with that of the first input.

use super::same_type::same_type;
use crate::error::{Alternative, Error, Result};
use crate::model::{Attribute, DimId, Schema, Type, VarId, Variable};
use crate::subset::value::attribute_number;

/// Beginning of the names that dimensions without a scale get in netCDF-C.
const NAMELESS: &str = "phony_dim_";

/// Attributes that say what stored numbers mean: joined variables share them.
const MEANING: [&str; 8] = [
    "scale_factor",
    "add_offset",
    "_FillValue",
    "missing_value",
    "_Unsigned",
    "flag_values",
    "flag_masks",
    "flag_meanings",
];

/// A variable of the first input and the same variable of another one.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    pub first: (&'a Schema, VarId),
    pub other: (&'a Schema, VarId),
    /// The name of the first input.
    pub first_name: &'a str,
}

impl Pair<'_> {
    /// The variable in the first input, and in the other.
    pub fn variables(&self) -> (&Variable, &Variable) {
        (self.first.0.var(self.first.1), self.other.0.var(self.other.1))
    }

    /// Checks that types are the same.
    ///
    /// # Errors
    /// Both types.
    pub fn check_type(&self) -> Result<()> {
        let (first, other) = self.variables();
        let (ours, theirs) = (self.first.0, self.other.0);
        match same_type((ours, first.ty), (theirs, other.ty)) {
            true => Ok(()),
            false => Err(self.differs(
                "type",
                &type_name(theirs, other.ty),
                &type_name(ours, first.ty),
                Alternative::Unpacked,
            )),
        }
    }

    /// Checks that dimensions agree, but for the length along `joined`, an axis of the first input's variable.
    ///
    /// # Errors
    /// What differs, with both values.
    pub fn check_shape(&self, joined: Option<usize>) -> Result<()> {
        let (first, other) = self.variables();
        let types = (self.first.0, self.other.0);
        let names = |schema: &Schema, dims: &[DimId]| {
            let names: Vec<_> = dims.iter().map(|dim| schema.dim(*dim).name.as_str()).collect();
            format!("({})", names.join(", "))
        };
        let (ours, theirs) = (names(types.0, &first.dims), names(types.1, &other.dims));
        let same = |(a, b): (&DimId, &DimId)| {
            let (a, b) = (&types.0.dim(*a).name, &types.1.dim(*b).name);
            // Dimensions that HDF5 has no name for are numbered as they are found, and a dataset more changes the numbers.
            a == b || a.starts_with(NAMELESS) && b.starts_with(NAMELESS)
        };
        if first.dims.len() != other.dims.len() || !first.dims.iter().zip(&other.dims).all(same) {
            return Err(self.differs("dimensions", &theirs, &ours, Alternative::OtherVariables));
        }
        for (axis, (a, b)) in first.dims.iter().zip(&other.dims).enumerate() {
            let (a, b) = (types.0.dim(*a), types.1.dim(*b));
            if Some(axis) != joined && a.length != b.length {
                let what = format!("length along {}", a.name);
                return Err(self.differs(
                    &what,
                    &b.length.to_string(),
                    &a.length.to_string(),
                    Alternative::OtherVariables,
                ));
            }
        }
        Ok(())
    }

    /// Checks that stored numbers mean the same, but for their units.
    ///
    /// # Errors
    /// Packing, fill values or flags that differ, with both values.
    pub fn check_meaning(&self) -> Result<()> {
        let (first, other) = self.variables();
        let of =
            |variable: &Variable, name: &str| variable.attributes.iter().find(|a| a.name == name).cloned();
        for name in MEANING {
            let (ours, theirs) = (of(first, name), of(other, name));
            if !same_attribute(ours.as_ref(), theirs.as_ref()) {
                return Err(self.differs(
                    name,
                    &shown(theirs.as_ref()),
                    &shown(ours.as_ref()),
                    alternative(name),
                ));
            }
        }
        Ok(())
    }

    /// The error for a property of a variable, with both values.
    pub fn differs(&self, what: &str, theirs: &str, ours: &str, alternative: Alternative) -> Error {
        let path = self.first.0.var_path(self.first.1);
        Error::Alternative {
            why: format!("{what} is {theirs}, and {ours} in {}", self.first_name),
            alternative,
        }
        .in_variable(&path)
    }
}

/// What a user can do where an attribute differs. Flags cannot be unpacked.
fn alternative(attribute: &str) -> Alternative {
    match attribute.starts_with("flag_") {
        true => Alternative::OtherVariables,
        false => Alternative::Unpacked,
    }
}

/// Text in quotes, for a message; empty text is not given.
pub fn quoted(units: &str) -> String {
    match units {
        "" => "not given".to_owned(),
        units => format!("'{}'", units.escape_debug()),
    }
}

fn type_name(schema: &Schema, ty: Type) -> String {
    match ty {
        Type::User(id) => format!("'{}' of this file", schema.user_type(id).name),
        ty => format!("{ty:?}").to_lowercase(),
    }
}

/// True if two attributes have the same numbers, also of different types, or the same text.
pub fn same_attribute(a: Option<&Attribute>, b: Option<&Attribute>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => {
            let same_bytes = a.ty == b.ty && a.values == b.values;
            same_bytes || attribute_number(a).is_some() && attribute_number(a) == attribute_number(b)
        }
        _ => false,
    }
}

/// The value of an attribute, for a message.
fn shown(attribute: Option<&Attribute>) -> String {
    let Some(attribute) = attribute else {
        return "not given".to_owned();
    };
    match (attribute_number(attribute), attribute.ty) {
        (Some(number), _) => number.to_string(),
        (None, Type::Char) => quoted(&String::from_utf8_lossy(&attribute.values.bytes)),
        (None, Type::Float | Type::Double) if attribute.length == 1 => "NaN".to_owned(),
        (None, _) => format!("a list of {} values", attribute.length),
    }
}
