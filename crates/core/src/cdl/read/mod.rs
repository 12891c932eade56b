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
//! | `syntax` | the text, cut into statements, and what the grammar (`cdl.pest`) makes of each |
//! | `constant` | numbers, strings, characters and names of enum members |
//! | `declaration` | sections, names and scopes, types, attributes: the schema |
//! | `values` | data lists: counted in the first pass, read in the second |
//! | `storage` | the attributes that `ncdump -s` prints, the kind of the file, the layout of each variable |
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
