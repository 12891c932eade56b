//! The memory of copies and checks (`-m`). The scheduler of a copy admits jobs and releases them, and `integrity::work` does so for
//! checks. Uploads have a share of their own, which `Location::memory_of_output` cuts off and `remote::write` waits in.
//!
//! ```text
//! available: bytes asked for, or a quarter of the machine's ─► budget: admits jobs while their memory fits
//! ```

mod available;
mod budget;

pub use available::{decode_limit, default_budget, parse_memory};
pub(crate) use budget::{JobMemory, MemoryBudget};
