//! [`Elements`]: the elements of an attribute, with their type.

use crate::format::zarr::json::Json;
use crate::model::{Attribute, Type, Values};

/// The elements of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Elements {
    pub(super) ty: Type,
    pub(super) length: usize,
    pub(super) values: Values,
}

impl Elements {
    /// Text as chars.
    pub(super) fn chars(text: &str) -> Self {
        Self {
            ty: Type::Char,
            length: text.len(),
            values: Values::from_text(text),
        }
    }

    /// JSON as text, spaced as netCDF-C spaces it.
    pub(super) fn json(json: &Json) -> Self {
        Self::chars(&json.to_string())
    }

    /// The attribute with this name.
    pub(super) fn named(self, name: &str) -> Attribute {
        Attribute {
            name: name.to_owned(),
            ty: self.ty,
            length: self.length,
            values: self.values,
        }
    }
}
