//! Virtual datasets: datasets whose elements lie in others (HDF5 specification section III.F).
//!
//! ```text
//! mapping block ─► mappings: Elements of each source and of the dataset, lengths without an end resolved
//!                     └─► VirtualData: index over their boxes ─► SourceReader ◄─ SourceFiles, the lately used ones
//! ```
//!
//! Sources are opened when a part of the data needs them. A source may be virtual itself.

mod batch;
mod box_index;
mod box_union;
mod cast;
mod elements;
mod index_tree;
mod lost;
mod mappings;
mod missing;
mod presented;
mod recent;
mod source_facts;
mod source_files;
mod source_name;
mod source_reader;
mod target;
mod unlimited;
mod virtual_data;

pub use cast::is_number;
pub use presented::VirtualVariable;
pub use source_files::{SourceFiles, Trail};
pub use source_reader::SourceReader;
pub use target::Target;
pub use virtual_data::{Source, Sources, VirtualData, set_lengths};
