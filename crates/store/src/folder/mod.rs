//! Keys as files of a folder.
//!
//! ```text
//! directory_keys: folder ─► KeyStore         KeyOutput: directory_output ─ stage ─ publish: rename ─► folder
//!                                                             └─ owner: stages that were left behind
//! shared_stage: what several processes have made of an output that is one file
//! ```

pub mod directory_keys;
pub mod directory_output;
pub(crate) mod owner;
pub mod shared_stage;
