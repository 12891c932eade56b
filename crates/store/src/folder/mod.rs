//! Keys as files of a folder.
//!
//! ```text
//! directory_keys: folder ─► KeyStore         KeyOutput: directory_output ─ stage ─ publish: rename ─► folder
//!                                                             └─ owner: stages that were left behind
//! growing_folder: values are added where the folder is
//! ```

pub mod directory_keys;
pub mod directory_output;
pub mod growing_folder;
mod owner;
