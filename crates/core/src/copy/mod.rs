//! The copy engine: from any reader to any writer, on all cores.
//!
//! ```text
//! Reader ─► plan: CopyPlan ─► prepare: which chunks will be written ─► format::create ─► Writer
//!   │                                                                                     ▲
//!   └── encoded chunks, ranges, values ──► run: raw │ refilter │ ranges │ blocks │ … ─────┘
//! ```
//!
//! Each stage is a folder, and knows only the stages before it:
//!
//! | stage | what it knows |
//! | --- | --- |
//! | `geometry` | orders of chunks, tiles, sources, byte order |
//! | `task` | the route of each variable, as plain data |
//! | [`plan`] | options become layouts; routes, chunks to write, parts |
//! | `jobs` | pieces of work of bounded memory, in sequence order |
//! | `run` | threads, fetching ahead, the steps of each route |
//! | `report` | what a copy will do, and what it did |
//!
//! Below the stages are `readers`, `memory`, [`quantization`] and `strings`. [`archive`] finds the copies that need no engine.

pub mod archive;
mod geometry;
mod jobs;
mod memory;
pub mod plan;
pub mod quantization;
mod readers;
mod report;
mod run;
pub(crate) mod strings;
mod task;

pub use geometry::{SourcePart, Sources};
pub(crate) use memory::{JobMemory, MemoryBudget};
pub use memory::{decode_limit, default_budget, parse_memory};
pub use plan::{CopyPlan, Prepared, ShareOf, VariableCopy, prepare};
pub use readers::{OpenReader, ReaderId, Readers};
pub use report::{
    CountWritten, Description, Estimate, Packed, Report, Routes, VariableDescription, VariableReport,
    complete, estimates, ratio, run,
};
pub use run::{Passed, Progress, RunOptions};
pub use task::RouteName;

#[cfg(test)]
mod tests;
