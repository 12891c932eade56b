//! Views of a dataset: the same data without groups, or without strings, for kinds that have neither; and with dimensions as long
//! as the variables, for kinds whose arrays have shapes of their own.
//!
//! ```text
//! ViewRequest ─┬─► flatten ────────► names joined, one group; referring_names: attributes follow
//!              ├─► own_dimensions ─► variables longer than their dimensions are whole
//!              └─► char_strings ───► strings become characters, with one more dimension
//!                        │
//! Reader ────────────────┴──► View: a Reader with another schema ─► parts, copies
//! ```
//!
//! Variables keep their numbers, so that their chunks pass through a view as they are.

mod char_strings;
mod flatten;
mod own_dimensions;
mod referring_names;
mod request;
mod view;

pub use request::ViewRequest;
pub use view::View;

#[cfg(test)]
mod tests;
