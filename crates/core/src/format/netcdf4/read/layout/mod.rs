//! The storage of each variable.
//!
//! ```text
//! Dataset ─► storage: shape of chunks, encoding, filters ─► VariableLayout
//!              └─ fill: fill value, fill time
//! ```

mod fill;
pub mod storage;
