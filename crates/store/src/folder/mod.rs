//! Keys as files of a folder.
//!
//! ```text
//! directory_keys: folder ─► KeyStore         KeyOutput: directory_output ─ stage ─ publish: rename ─► folder
//!                                                             ├─ owner: stages that were left behind
//!                                                             └─ replace: the folder gets its name
//! late_listing: does a folder tell at once what another machine wrote?
//! ```

pub mod directory_keys;
pub mod directory_output;
pub mod late_listing;
pub(crate) mod owner;
mod replace;
