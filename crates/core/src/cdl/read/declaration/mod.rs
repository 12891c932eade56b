//! Declarations: the first pass over a text, which makes the schema.
//!
//! ```text
//! walk: headings, groups ─┬─► section: statements of each section ─► types ─► type_order ┐
//!                         └─► attributes ─► attribute_values ────────────────────────────┴─► Declared
//! ```
//!
//! `recovery` goes on after an error, so that all errors are told. `scopes` resolves a name within a group. `positions` keeps
//! the position of each declaration, for messages. `foreign_names` warns of names that netCDF's library refuses.

pub mod attribute_values;
pub mod attributes;
pub mod declared;
pub mod foreign_names;
mod known_attributes;
pub mod positions;
mod recovery;
pub mod scopes;
pub mod section;
pub mod type_order;
pub mod types;
pub mod walk;
