//! The memory of copies and checks (`-m`). A job waits in `MemoryBudget::admit`; uploads wait in `remote::write`.
//!
//! ```text
//! available: bytes asked for, or a quarter of the machine's ─► budget: admits jobs while their memory fits
//! ```

mod available;
mod budget;

pub use available::{decode_limit, default_budget, parse_memory};
pub(crate) use budget::{JobMemory, MemoryBudget};
