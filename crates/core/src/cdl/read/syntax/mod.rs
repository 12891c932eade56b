//! The text, and how the grammar reads it.
//!
//! ```text
//! Object ─► text: bytes, lines ─► statements: one at a time ─► grammar (cdl.pest): parsed ─► names, as they are meant
//!                                      └─► unclosed, similar: what a message suggests
//! ```

pub mod dataset_name;
pub mod grammar;
pub mod names;
pub mod similar;
pub mod statements;
pub mod text;
pub mod unclosed;
