//! The keys of `.zattrs` that are no attributes.

use super::super::keys::{ARRAY_DIMENSIONS, NC_PROPERTIES, OWN_FACTS};

/// Attributes that a user sets, though they begin as NCZarr's keys.
const USERS: [&str; 2] = ["_nczarr_maxstrlen", "_nczarr_default_maxstrlen"];

/// True for a key that Zarr's conventions use. It is no attribute, and an attribute cannot have its name.
pub fn is_reserved(name: &str) -> bool {
    [ARRAY_DIMENSIONS, NC_PROPERTIES, OWN_FACTS].contains(&name) || is_nczarr(name)
}

/// True for a key in which NCZarr keeps its metadata.
pub fn is_nczarr(name: &str) -> bool {
    (name.starts_with("_nczarr_") || name.starts_with("_NCZARR_")) && !USERS.contains(&name)
}
