//! The header of a classic file: the dataset's description, and where each variable lies.
//!
//! ```text
//! bytes ─► decode ─► Schema, positions of variables       version: sizes of offsets and counts in CDF-1, 2 and 5
//! Schema ─► write_check ─► encode ─► bytes                variable_position: slabs and records
//! ```

pub(super) mod decode;
pub(super) mod encode;
pub(super) mod variable_position;
pub(super) mod version;
pub mod write_check;

/// Most dimensions of a variable: netCDF's limit.
const MAX_VARIABLE_RANK: usize = 1024;
