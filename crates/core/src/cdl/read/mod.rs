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

mod constant;
mod declaration;
mod reader;
mod storage;
mod syntax;
mod values;

#[cfg(test)]
mod reader_tests;
#[cfg(test)]
mod tests;

pub use declaration::declared::{Declared, declare};
pub use declaration::places::Places;
pub use reader::CdlReader;
pub use storage::inferred_kind::infer;
pub use storage::plan::{PlanOptions, plan};
pub use syntax::text::Text;
