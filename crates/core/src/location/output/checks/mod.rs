//! What must hold before an output is written.
//!
//! ```text
//! containment      the output is not the input, nor within it        sources         it is no file that the input leads to
//! replaced_files   the same of several inputs and outputs            bound_files     no other file leads to what grows
//! open_elsewhere   no other program writes it                        size            a disk can hold it
//! zarr_folder, parquet_folder   a folder that goes holds nothing else
//! ```

mod bound_files;
pub(in crate::location) mod containment;
mod open_elsewhere;
pub(super) mod parquet_folder;
pub(in crate::location) mod replaced_files;
pub(in crate::location) mod size;
mod sources;
pub(in crate::location) mod zarr_folder;
