//! Declarations: the first pass over a text, which makes the schema.
//!
//! ```text
//! walk: sections and groups ─┬─► section: types, dimensions, variables, data ┐
//!                            ├─► attributes, attribute_values ───────────────┼─► declared: Schema and data lists
//!                            └─► places: lines, for messages ────────────────┘
//!                        scopes: what a name means    types, type_order: user-defined types
//! ```

pub mod attribute_values;
pub mod attributes;
pub mod declared;
pub mod foreign_names;
pub mod places;
pub mod scopes;
pub mod section;
pub mod type_order;
pub mod types;
pub mod walk;
