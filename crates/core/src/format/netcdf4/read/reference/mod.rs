//! References to objects and regions, shown as text on demand.
//!
//! ```text
//! hierarchy ─► object_names: address ─► path ─┐
//! element: an address or a heap id ───────────┴─► reference_text: "/group/dataset", "/dataset[0:3,2:5]"
//!                                                      └─ region_text: the selection of a region
//! ```
//!
//! An address in an element comes from the file and may be anything. It is only looked up, and never read.

pub mod object_names;
pub mod reference_text;
mod region_text;
