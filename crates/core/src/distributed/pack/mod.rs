//! Packs: what a part of a job has made of an output that is one file.
//!
//! ```text
//! engine ─► PackWriter ─┬─► N.pack    encoded chunks and ranges of bytes, back to back
//!                       └─► N.index   an entry for each: variable, chunk or place, length, checksum
//!
//! engine ─► PlacedWriter ─► the same for what a part cannot write at its place in the file itself
//!
//! all packs ─► Packs, in the order of parts ─► Writer of the output
//! ```

mod index;
mod pack;
mod pack_writer;
mod packs;
mod placed_writer;

pub use pack_writer::PackWriter;
pub use packs::Packs;
pub use placed_writer::PlacedWriter;
