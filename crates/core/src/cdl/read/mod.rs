//! Reads CDL: a text becomes a [`Reader`](crate::format::Reader) like any other format.
//!
//! ```text
//!  Text ─► statements ─► grammar (cdl.pest) ─► declarations ─► Schema, storage attributes ┐
//!    │        └─ `data:` lists ─► measure: counts, and where in the text every 4 KiB of    ├─► CdlReader
//!    │                            a list stands                                            ┘
//!    └──────────── read_range, read_region: constants ─► elements, from any thread ◄── copy engine
//! ```
//!
//! The text is read twice. The first pass makes the schema, which is complete only at the text's end (groups follow data,
//! the lengths of unlimited dimensions follow the values), and an index of each data list. The second pass is the copy
//! engine's: it asks for elements by their place, and only these are parsed, by as many threads as there are. So memory is
//! bounded by the header and the index, not by the data.

pub mod attribute_values;
mod attributes;
mod char_array;
mod constants;
mod convert;
pub mod data_list;
mod dataset_name;
mod declarations;
pub mod declared;
mod elements;
mod enum_constants;
mod escapes;
mod foreign_names;
mod given;
mod grammar;
mod integer;
pub mod kind;
mod list_reader;
mod measure;
pub(crate) mod names;
mod number;
pub mod places;
pub mod plan;
pub mod reader;
pub(super) mod scopes;
mod similar;
mod statements;
pub mod storage_attributes;
pub mod text;
mod time_constant;
mod type_order;
mod types;
mod unclosed;
mod walk;

#[cfg(test)]
mod reader_tests;
#[cfg(test)]
mod tests;
