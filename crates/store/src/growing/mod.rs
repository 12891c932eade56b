//! Local outputs that exist and grow where they are.
//!
//! ```text
//! growing_file:   bytes behind the end ─ sync ─ the writer of the format switches ─ commit
//! growing_folder: mark ─ values ─ sync ─ metadata ─ publish: the mark goes
//! ```

mod growing_file;
mod growing_folder;

pub use growing_file::GrowingFile;
pub use growing_folder::GrowingFolder;
