//! A map as one page of HTML, without scripts and without other resources.
//!
//! ```text
//! DatasetMap ─┬─► treemap: squarify ─► rectangles ─► SVG
//!             ├─► chunks: cells by class ─► SVG       ─► page: head, style, sections
//!             └─► variable: facts, table of alternatives
//! ```
//!
//! Names come from a file that may be hostile: all text passes `escape`.

mod chunks;
mod escape;
mod legend;
mod sections;
mod squarify;
mod treemap;
mod variable;

pub use sections::page;
