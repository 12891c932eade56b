//! The text, its segments, and the grammar.
//!
//! ```text
//! Object ─► text ─► dataset_name ─► statements: segments ─► grammar (cdl.pest) ─► names, without escapes
//! ```
//!
//! `skip` passes over comments. `unclosed` finds the string without an end, for messages. `errors` collects all messages.

pub mod dataset_name;
pub mod errors;
pub mod grammar;
pub mod names;
mod skip;
pub mod statements;
pub mod text;
pub mod unclosed;

pub(crate) use crate::model::similar;
