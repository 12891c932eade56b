//! Planning a copy: the input's schema and the user's options give the output's schema and layouts, and these the route
//! of each variable. Every error that can be foreseen is found here, before the output is touched.
//!
//! ```text
//! request: options ─┬─► select ─► which variables and groups
//!                   ├─► output ─► kind, schema, pages                          ◄─ programs: limits that these two keep
//!                   └─► layout ─► storage, shards and filters of each variable ◄─┘
//!                          │
//!                          ▼
//!       dataset: plan ─► CopyPlan, notices ─► prepare ─► Prepared: routes, chunks to write, sequence numbers
//!       joined: the same of a join ─► grown: what a join adds to its first input
//!
//! CopyPlan, a dataset ─► stored_as (`--update`): is it stored so already?  fill_in_place: does it have data?
//! ```
//!
//! `dataset::plan` calls all of these in order: begin there.

mod copy_plan;
mod dataset;
mod fill_in_place;
mod grown;
mod joined;
mod layout;
mod notices;
mod output;
mod prepare;
mod programs;
mod request;
mod select;
mod stored_as;

pub use copy_plan::{CopyPlan, VariableCopy};
pub use dataset::{plan, plan_subset};
pub use grown::{added_records, plan_grown};
pub use joined::{join_source, plan_joined};
pub use layout::{
    AutoChoice, DEFAULT_CHUNK_BYTES, DEFAULT_STRING_LENGTH, MAX_CHUNK_BYTES, MAX_COMPACT_BYTES, chunk_bytes,
    netcdf_c_chunk_shape,
};
pub(crate) use layout::{
    ChosenFor, access_chunk_shape, auto_shard, char_length, choose_filters, default_chunk_shape,
    deflate_codec, fit_strings, one_chunk, possible_storage, samples, whole_chunks,
};
pub use notices::Notices;
pub use output::kind::{Unheld, unheld};
pub(crate) use output::normalized_names::normalized as normalized_name;
pub use prepare::{Prepared, ShareOf, Unreferenced, prepare};
pub use programs::{Limits, ReadingProgram, UserTypes};
pub use request::{
    Access, AskedLayout, ChunkSpec, CopyOptions, Listed, QuantizeRequest, ShardSpec, StringLength,
    named_variables,
};
pub use select::{Use, copied, for_selected, select_objects};

#[cfg(test)]
mod tests;
