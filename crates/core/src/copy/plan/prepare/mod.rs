//! Preparing a copy: which route each variable takes, and which of its chunks will be written.
//!
//! ```text
//! further_sources: each further reader is opened once
//!                 │
//!                 ▼
//! CopyPlan ─► choose_route ─► bands ─► numbering ─┬─► VariablePlan   what the writer must know before the first byte
//!               │      ▲                          └─► Variable       what the engine will do
//!               ▼      │                                 └─► process_share: that of one of several processes
//!             kept_chunks: which chunks pass
//! ```
//!
//! `bands` makes routes of interleaved variables into the route of records.

mod bands;
mod check_source;
mod choose_route;
mod each;
mod fill_values;
mod further_sources;
mod kept_chunks;
mod numbering;
mod prepared;
mod process_share;
mod routed;
mod source;
mod unreferenced;
mod variables;

pub(super) use fill_values::can_skip;
pub use prepared::Prepared;
pub use process_share::ShareOf;
pub use unreferenced::Unreferenced;
pub use variables::prepare;
