//! Datatypes: HDF5 types become netCDF types, and their elements become values.
//!
//! ```text
//! Datatype ─► presented ─► types (anonymous_type: names for those that have none) ─► Type
//! bytes ────► convert ─► number, float: one number ─► Values
//! ```

mod anonymous_type;
pub mod convert;
mod float;
pub mod number;
pub mod presented;
pub mod types;
