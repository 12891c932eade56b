//! Formats a variable's values as text, in C order. Values are read band by band and formatted piece by piece
//! on all cores. Memory stays bounded, however large the variable and however long its rows.
//!
//! ```text
//! bands ─► read (the file, or a layer spilled to disk) ─► pieces ─► Format ─► in order ─► emit
//!   └──── unwritten: what no byte stands for in the file ────────────┘
//! ```
//!
//! A [`Format`] decides how a piece looks: CDL and JSON are two.

mod bands;
mod format;
mod pieces;
mod slabs;
mod spilled;
mod unwritten;
mod variable;

pub use format::Format;
pub use slabs::slabs;
pub use variable::{is_large, position, values};
