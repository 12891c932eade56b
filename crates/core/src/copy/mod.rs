//! The copy engine: from any reader to any writer, on all cores.
//!
//! ```text
//! Reader ─► plan: CopyPlan ─► prepare: which chunks will be written ─► format::create ─► Writer
//!   │                                                                                     ▲
//!   └── encoded chunks, ranges, values ──► run: pass through │ refilter │ rechunk ────────┘
//! ```

mod memory;
pub mod plan;
mod progress;

pub use memory::{default_budget, parse_memory};
pub use progress::Progress;

use crate::model::{Schema, VarId, VariableLayout};

/// What a copy is to produce: the output's schema, and for each of its variables where the data comes from.
#[derive(Debug, Clone)]
pub struct CopyPlan {
    /// The schema of the output.
    pub schema: Schema,
    /// One entry for each of `schema.vars`, in order.
    pub variables: Vec<VariableCopy>,
}

/// One variable of a copy.
#[derive(Debug, Clone, PartialEq)]
pub struct VariableCopy {
    /// The input's variable; `None` where the output's is defined and never written, so that it reads as fill.
    pub source: Option<VarId>,
    /// How the output stores it.
    pub layout: VariableLayout,
}
