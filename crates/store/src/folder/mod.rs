//! Keys as files of a folder.
//!
//! ```text
//! directory_keys: folder ─► KeyStore         KeyOutput: directory_output ─ stage ─ publish: rename ─► folder
//!                                                             └─ owner: stages that were left behind
//! ```

pub mod directory_keys;
pub mod directory_output;
pub(crate) mod owner;
