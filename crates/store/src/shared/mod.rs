//! What several processes write together.
//!
//! ```text
//! shared_stage: a folder beside the output ─┬─► notes, packs, keys
//!                                           └─► shared_file: one file, written at known places ─► the output
//! ```

pub mod shared_file;
pub mod shared_stage;
