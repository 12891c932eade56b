//! Packs: what a part of a job has made of an output that is one file.
//!
//! ```text
//! engine ─► PackWriter ─┬─► N.pack    encoded chunks and ranges of bytes, back to back
//!                       └─► N.index   an entry for each: variable, chunk or place, length, checksum
//!
//! all packs ─► Packs, in the order of parts ─► Writer of the output
//! ```

mod index;
mod pack_writer;
mod packs;

pub use pack_writer::PackWriter;
pub use packs::Packs;
