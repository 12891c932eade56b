//! Kind and storage of the file that a text is made into.
//!
//! ```text
//! attributes (_Storage, _ChunkSizes, …) ─┬─► inferred_kind ─► Kind
//! Schema ────────────────────────────────┴─► plan: layout of each variable ─► CopyPlan
//! ```

pub mod attributes;
pub mod inferred_kind;
pub mod plan;
