//! Virtual datasets: datasets whose elements lie in others (HDF5 specification section III.F).
//!
//! ```text
//! mapping block ─► mappings: Elements of each source and of the dataset, lengths without an end resolved
//!                     └─► VirtualData: index over their boxes ─► SourceReader ◄─ SourceFiles, the lately used ones
//! ```
//!
//! Sources are opened when a part of the data needs them. A source may be virtual itself.
//!
//! A source that is missing: `SourceFiles::find` gives `None`, `VirtualData::source` notes it, and its elements stay fill.

mod batch;
mod lost;
mod mapped_boxes;
mod mappings;
pub(super) mod mappings_of_file;
mod misfit;
mod pieces;
mod presented;
mod selection;
mod source;
mod source_apart;
mod virtual_data;

pub use mappings::set_lengths;
pub use presented::VirtualVariable;
pub use source::cast::is_number;
pub use source::find_source::{SourceFiles, Trail};
pub use source::source_reader::SourceReader;
pub use source::virtual_storage::VirtualStorage;
pub use virtual_data::{SourceDataset, Sources, VirtualData};
