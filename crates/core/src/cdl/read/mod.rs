//! Reads CDL: a text becomes a [`Reader`](crate::format::Reader) like any other format.
//!
//! ```text
//! first pass:   syntax: text, statements, grammar ─► declaration ─► Schema ──────────────────┐
//!                                                    ├─► storage: attributes ─► kind, layout ├─► CdlReader
//!                                                    └─► values: measure, index of each list ┘
//! second pass:  copy engine ─► CdlReader ─► values: list_reader ─► constant ─► elements, from any thread
//! ```
//!
//! | folder | what |
//! | --- | --- |
//! | `syntax` | the text, its segments, and the grammar (`cdl.pest`) that parses each segment |
//! | `constant` | numbers, strings, characters and names of enum members |
//! | `declaration` | sections, scopes of names, types, attributes: the schema |
//! | `values` | data lists: counted in the first pass, read in the second |
//! | `storage` | storage attributes (as `ncdump -s` prints them), the kind of the file, the layout of each variable |
//!
//! The text is read twice. The first pass makes the schema and an index of each data list. The schema is complete only
//! at the end of the text, because groups follow data, and the lengths of unlimited dimensions depend on the values.
//! The second pass is driven by the copy engine: it asks for elements by position, and only these are parsed, on all
//! threads. Memory is therefore bounded by the header and the index, not by the data.

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
pub use declaration::positions::Positions;
pub use reader::CdlReader;
pub use storage::inferred_kind::infer;
pub use storage::plan::{PlanOptions, plan};
pub use syntax::text::Text;
