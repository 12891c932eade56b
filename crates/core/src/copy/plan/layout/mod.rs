//! How each variable of the output is stored.
//!
//! ```text
//! kept_filters: the input's ┐
//! asked_filters: new ones   ├─► pipeline: filters of each variable ┐
//! auto: chosen by samples   ┘                                      │
//! chunking ──────► storage, by netcdf_c_chunks where nobody says,   │
//!                  by access_chunks for how the data is read        │
//! sharding ──────► shards                                          ├─► output_variable: VariableLayout
//! string_length ─► bytes of each string                            │
//! external ──────► other files that hold the raw data              │
//! inlined ───────► what is no reference, of an output of these     ┘
//! ```

mod access_chunks;
mod asked_filters;
mod auto;
mod chunking;
mod dimension_lengths;
mod external;
mod inlined;
mod kept_filters;
mod netcdf_c_chunks;
mod output_variable;
mod pipeline;
mod samples;
mod sharding;
mod string_length;

pub use access_chunks::access_chunk_shape;
pub use asked_filters::deflate_codec;
pub use auto::{AutoChoice, ChosenFor, choose as choose_filters};
pub use chunking::{
    Chunking, MAX_COMPACT_BYTES, chunk_bytes, default_chunk_shape, one_chunk, possible_storage,
};
pub use external::placed;
pub use inlined::{are_few, is_referenced};
pub use netcdf_c_chunks::{DEFAULT_CHUNK_BYTES, MAX_CHUNK_BYTES, netcdf_c_chunk_shape};
pub use output_variable::OutputVariable;
pub use pipeline::FilterRequests;
pub use samples::samples;
pub use sharding::{Sharding, auto_shard, whole_chunks};
pub use string_length::{DEFAULT_STRING_LENGTH, char_length, fit_strings};
