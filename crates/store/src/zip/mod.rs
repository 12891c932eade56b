//! Keys as entries of a zip file.
//!
//! ```text
//! zip_keys ◄─ zip_directory (or zip_scan, without one) ◄─ zip_records ◄─ any Object
//! zip_names: names in the directory and in local headers, compared
//! zip_output ─► zip_value, zip_growing: entries ─► zip_archive ─► any Output
//! ```

pub mod zip_archive;
pub mod zip_directory;
pub mod zip_growing;
pub mod zip_keys;
pub mod zip_names;
pub mod zip_output;
pub mod zip_records;
pub mod zip_scan;
pub mod zip_value;
