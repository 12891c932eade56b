//! File formats. Each stores a schema and chunks in its own way.
//!
//! The rest of the program sees only [`Reader`] and [`Writer`]. Nothing outside this folder and `location/`
//! knows which format is behind them.
//!
//! ```text
//! dispatch ─► a format: archive, classic, dap, hdf5_shards, netcdf4, references, zarr
//!     Reader (reader/): schema, layouts, ranges, chunks     read by read_ranges, read_region; range_list, interleaved: where
//!     Writer (writer): variable_plan ─► pieces              written: what has values; promise, received: is all there?
//!     Referable (referable/): where chunks lie              source_file: other files that a dataset refers to
//! ```
//!
//! `fault` is one thing that is wrong in a dataset. `read_options` has the choices of reading.

pub mod archive;
pub mod classic;
pub mod dap;
mod dispatch;
mod fault;
mod hdf5_shards;
#[cfg(test)]
pub(crate) mod in_memory;
mod interleaved;
pub mod netcdf4;
mod promise;
pub mod range_list;
mod read_options;
mod read_ranges;
pub mod read_region;
mod reader;
mod received;
mod referable;
mod references;
mod source_file;
mod variable_plan;
mod writer;
mod written;
pub mod zarr;

pub use crate::chunk::Region;
pub use crate::filter::EncodedChunk;
pub use crate::store::ReorderWindow;
pub use dispatch::{
    Growing, check, check_plans, check_plans_with, create, create_with, grow, open, open_damaged,
    open_salvaged, open_with, unheld, warnings,
};
pub(crate) use dispatch::{has_magic, is_read_as_it_comes};
pub use fault::{CheckLimits, Fault, OwnCheck, ReadValues};
pub use hdf5_shards::{
    DATASET_FILE_ENDING, DatasetSide, check as check_hdf5_shards, filters_of_hdf5_shards, has_hdf5_shards,
    is_dataset_file,
};
pub use interleaved::{RecordBlock, RecordLayout, RecordSlab};
pub use promise::Promised;
pub use read_options::ReadOptions;
pub(crate) use read_ranges::{read_ranges, read_some_records};
pub use reader::{
    ChangingSource, ChunkPlace, ChunkReader, DecodedCache, ElementCodecs, Extensions, Fetcher, KnownVariable,
    Needs, OtherFiles, OverSources, PlaceObject, PooledReader, Reader, ReaderPool, RecordReader, Space,
    SpaceSurvey, SteppedReader, StoredPlace, StoredPlaces, StructureCheck, VariableSpace, VirtualSources,
};
pub use received::Received;
pub use referable::{ChunkShapeRequest, NameForm, Referable, ReferenceNames};
pub use references::SnapshotName;
pub(crate) use references::{kind_of as kind_of_references, open_icechunk};
pub use source_file::SourceFile;
pub use variable_plan::VariablePlan;
pub use writer::Writer;
pub(crate) use written::between_holes;
pub use written::{Written, WrittenChunks};
pub use zarr::{ShardGrid, Warning, ZarrProgram, rounded_numbers};
