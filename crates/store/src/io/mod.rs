//! Where a dataset is read from and written to.
//!
//! ```text
//! Input: object or store of keys, with the name that the user typed, and neighbours that it may refer to
//! Destination: Output or KeyOutput ─► staged: read back before it takes its name ─► commit or publish
//! ```
//!
//! `incomplete_outputs` lists outputs that a signal ends, and `end_of_process` ends them. `raw_files` are files of raw data
//! that appear with an output. `query` is a server that answers questions. `run_name` names runs. `sequential_output` writes an output from its beginning to its end.
//! `sought` is a place that the content of an input may lead to, and `sought_files` compares the files there with it.

pub mod destination;
pub mod end_of_process;
pub mod incomplete_outputs;
pub mod input;
pub mod output;
pub mod query;
pub mod raw_files;
pub mod run_name;
pub mod sequential_output;
pub mod sought;
mod sought_files;
pub mod staged;
pub mod written_bytes;
