//! A dataset whose stored bytes become references of another one.
//!
//! ```text
//! Reader ─► Referable ─┬─► cut: contiguous variables and records as chunks, each one run of bytes
//!                      └─► places: each chunk's place, with the name of its object for other programs, by name_form
//! ```
//!
//! Variables in one piece have chunks here, so that a copy passes them as it passes any chunks.

mod cut;
mod name_form;
mod reader;
mod shape_request;

pub use name_form::{NameForm, ReferenceNames};
pub use reader::Referable;
pub use shape_request::ChunkShapeRequest;
