//! The copy engine: from any reader to any writer, on all cores.
//!
//! ```text
//! Reader ─► plan: CopyPlan ─► prepare: which chunks will be written ─► format::create ─► Writer
//!   │                                                                                     ▲
//!   └── encoded chunks, ranges, values ──► run: pass through │ refilter │ rechunk ────────┘
//! ```

pub mod archive;
mod bands;
mod block;
mod block_jobs;
mod chunk_data;
mod describe;
mod execute;
mod fetch;
mod job;
mod ledger;
mod memory;
mod order;
mod part;
mod places;
pub mod plan;
mod prepare;
mod progress;
pub mod quantization;
mod rechunk;
mod records;
mod report;
mod route;
mod run;
mod same_chunks;
mod scatter;
mod sink;
mod skip_fill;
mod sources;
mod spill;
mod tiling;
mod values;

pub use describe::{Description, VariableDescription};
pub(crate) use ledger::{Cost, Ledger};
pub use memory::{default_budget, parse_memory};
pub use prepare::{Prepared, prepare};
pub use progress::Progress;
pub use report::{Report, RouteName, VariableReport, ratio};
pub use run::{RunOptions, run};
pub use sources::{SourcePart, Sources};

use std::sync::Arc;

use crate::filter::Registry;
use crate::model::{ExternalPart, Schema, SharedLayout};
use quantization::Quantization;

/// What a copy is to produce: the output's schema, and for each of its variables where the data comes from.
#[derive(Debug, Clone)]
pub struct CopyPlan {
    /// The schema of the output.
    pub schema: Schema,
    /// One entry for each of `schema.vars`, in order.
    pub variables: Vec<VariableCopy>,
    /// The codecs that the layouts were made for, which the copy encodes with.
    pub registry: Registry,
    /// The filters that were chosen by the data, for those who asked for it.
    pub choices: Vec<plan::AutoChoice>,
}

/// One variable of a copy.
#[derive(Debug, Clone, PartialEq)]
pub struct VariableCopy {
    /// Where its data comes from.
    pub sources: Sources,
    /// How the output stores it.
    pub layout: SharedLayout,
    /// Whether it stays in no-fill mode, if it is in that: see
    /// [`VariablePlan::keeps_no_fill`](crate::format::VariablePlan::keeps_no_fill). What the source does not have is written
    /// as fill then, unless that is very much.
    pub keeps_no_fill: bool,
    /// True if strings longer than the layout's [`string_length`](crate::model::VariableLayout::string_length) are cut.
    /// If false, such a string is an error.
    pub cuts_strings: bool,
    /// True if chunks that hold only fill values are left out. Has an effect where the kind
    /// [can leave chunks out](crate::model::Capabilities::skips_chunks) and the variable has a fill value.
    pub skips_fill: bool,
    /// The parts of other files that hold its raw data; `None` if the output holds it.
    pub external: Option<Arc<[ExternalPart]>>,
    /// How its values are quantized, if they are.
    pub quantization: Option<Quantization>,
}

#[cfg(test)]
mod tests;
