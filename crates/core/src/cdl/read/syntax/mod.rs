//! The text, its segments, and the grammar.
//!
//! ```text
//! Object ─► text ─► dataset_name ─► statements: segments ─► grammar (cdl.pest) ─► names, without escapes
//! ```
//!
//! `unclosed` finds the string without an end, and `similar` the name that a misspelt one means, both for messages.

pub mod dataset_name;
pub mod grammar;
pub mod names;
pub mod similar;
pub mod statements;
pub mod text;
pub mod unclosed;
