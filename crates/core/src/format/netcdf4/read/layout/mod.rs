//! The storage of each variable.
//!
//! ```text
//! Dataset ─► storage: shape of chunks, encoding, filters ─► VariableLayout
//!              └─ fill: fill value, fill time
//! ```

pub mod external;
mod fill;
pub mod storage;
