//! The text, and how the grammar reads it.
//!
//! ```text
//! Object ─► text ─► dataset_name ─► statements: segments ─► grammar (cdl.pest) ─► names, without escapes
//! ```
//!
//! `unclosed` finds the string that has no end, and `similar` the name that was meant, for messages.

pub mod dataset_name;
pub mod grammar;
pub mod names;
pub mod similar;
pub mod statements;
pub mod text;
pub mod unclosed;
