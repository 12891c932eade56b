//! Attributes: the members of `.zattrs`.
//!
//! ```text
//! {"units": "K", "valid_range": [0.0,400.0],            the values
//!  "_nczarr_attr": {"types": {"units": ">S1", …}}}       their types, in NCZarr
//!
//! read:   members, types ─► typed (infer where no type fits) ─► Attribute
//! write:  Attribute ─► members, types
//! ```
//!
//! | netCDF | JSON | type in NCZarr |
//! | --- | --- | --- |
//! | one number | `1.5` | `<f4` |
//! | numbers | `[1,2]` | `<i4` |
//! | booleans, as h5py has them | `true`, in pure Zarr | |
//! | `_FillValue` of floats, as xarray has it | `"AAAAAAAA+H8="` | |
//! | chars | `"text"`; in NCZarr also an object or array that prints as this text | `>S1` |
//! | strings | `"text"` or `["a","b"]` | `\|S128` |
//!
//! Without types, a single string is read as chars, and an array of strings as the text of that array. From pure Zarr to pure
//! Zarr the JSON stays as it is: see `kept_json`.

mod booleans;
mod elements;
mod fill_attribute;
mod infer;
mod kept_json;
mod names;
mod read;
#[cfg(test)]
mod round_trip;
mod typed;
mod warnings;
mod write;

pub use booleans::{as_booleans, booleans_as_integers};
pub use fill_attribute::read as read_fill_value;
pub use kept_json::{json as kept_json, restore as restore_json};
pub use names::is_reserved;
pub use read::{ReadAttributes, read};
pub use warnings::{each_attribute, rounded_numbers};
pub use write::{WrittenAttributes, value, write};

use super::json::Json;
use crate::model::Type;

/// The type that an attribute with this value has if none is given beside it.
pub fn inferred_type(json: &Json) -> Type {
    infer::infer(json).ty
}

/// The types of attributes, as `.zattrs` of NCZarr gives them.
#[cfg(test)]
fn type_map(members: &[(String, Json)]) -> Option<&Json> {
    members
        .iter()
        .find(|(name, _)| name == "_nczarr_attr")?
        .1
        .get("types")
}
