//! The kinds of datasets, and one table of what each can hold and do.
//!
//! Code outside of the formats asks the table, and never compares kinds:
//!
//! ```text
//! kind.can() ─► Capabilities { names, types, chunks, codecs, … }
//! ```

mod capabilities;
#[expect(
    clippy::module_inception,
    reason = "a folder's main file has the folder's name"
)]
mod kind;

pub use capabilities::{Capabilities, CodecNames, Growth, UnlimitedDimensions};
pub use kind::{ArchiveStep, Kind};
