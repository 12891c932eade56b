//! The structure of a dataset: groups, dimensions, types, variables and attributes.
//!
//! ```text
//! Schema ── lookup: names of users and of messages ─► ids
//!        ── visible_names: names within a dataset: of a group, else of the nearest parent that has it
//!        ── referring: attributes that name variables
//!        ── sizes_in_c: how C lays out a compound
//!        ── unfinished: a dataset that was not closed
//! ```
//!
//! Items are in flat lists and refer to each other by ids. `name` and `name_pattern` tell which names netCDF allows, and what a glob
//! means. `fill_value` has netCDF's defaults. `item` names a part of a schema in an error. `move_heap` moves strings and sequences from one
//! heap to another. Types and values are in `types`, how variables are stored in `layout`.

mod attributes;
mod fill_value;
mod item;
mod lookup;
mod move_heap;
mod name;
mod name_pattern;
mod referring;
#[expect(
    clippy::module_inception,
    reason = "a folder's main file has the folder's name"
)]
mod schema;
mod sizes_in_c;
mod unclosed;
mod visible_names;

pub use attributes::{Attribute, Attributes};
pub use fill_value::{
    FILL_DOUBLE, FILL_FLOAT, FILL_VALUE_ATTRIBUTE, default_fill_value, fill_value_attribute,
};
pub use item::Item;
pub use move_heap::move_heap;
pub use name::{MAX_NAME, name_fault, unescape};
pub use name_pattern::NamePattern;
pub use referring::Referring;
pub use schema::{ArchiveOrigin, Dimension, Group, Provenance, Schema, Variable};
pub use sizes_in_c::SizesInC;
pub use unclosed::Unclosed;
pub use visible_names::VisibleNames;
