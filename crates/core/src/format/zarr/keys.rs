//! The names of Zarr's metadata keys, and of netCDF's own keys in them, old and new.

use crate::error::{Error, Result};
use crate::store::check_key;

/// Metadata of a group.
pub const GROUP: &str = ".zgroup";
/// Metadata of an array.
pub const ARRAY: &str = ".zarray";
/// Attributes of a group or array.
pub const ATTRIBUTES: &str = ".zattrs";
/// Metadata of a group or array of version 3.
pub const NODE: &str = "zarr.json";
/// All metadata in one document.
pub const CONSOLIDATED: &str = ".zmetadata";
/// The member of a document of version 3 that has all documents below it.
pub const CONSOLIDATED_METADATA: &str = "consolidated_metadata";
/// In version 1 of NCZarr: the superblock.
pub const OLD_SUPERBLOCK: &str = ".nczarr";
/// In version 1 of NCZarr: dimensions, arrays and groups of a group.
pub const OLD_GROUP: &str = ".nczgroup";
/// In version 1 of NCZarr: the dimensions of an array.
pub const OLD_ARRAY: &str = ".nczarray";
/// In version 1 of NCZarr: the types of attributes.
pub const OLD_TYPES: &str = ".nczattr";

/// The keys that mark a Zarr hierarchy: it has at least one of them at its root.
pub const MARKS: [&str; 5] = [GROUP, ARRAY, CONSOLIDATED, OLD_SUPERBLOCK, NODE];

/// The key that exists until a writer ends, in a store that cannot rename.
pub(crate) use crate::store::PARTIAL;

/// The names of an array's dimensions, by xarray's convention.
pub const ARRAY_DIMENSIONS: &str = "_ARRAY_DIMENSIONS";

/// The attribute of the root group that says which library wrote a dataset.
pub const NC_PROPERTIES: &str = "_NCProperties";

/// In version 3: the attribute of the root group with netCDF's own facts.
pub const OWN_FACTS: &str = "_nc_facts";

/// The name in [`ARRAY_DIMENSIONS`] by which netCDF-C marks a scalar in an array of one element.
pub const SCALAR: &str = "_scalar_";

/// A member of netCDF's own, with the spellings of all versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Own {
    /// The version of NCZarr, in the root group.
    Superblock,
    /// The dimensions, arrays and groups of a group.
    Group,
    /// The dimensions of an array by their paths.
    Array,
    /// The types of attributes.
    Types,
}

impl Own {
    /// The spellings: that of version 2.0.0 as written since netCDF-C 4.9.3, and the one before.
    pub fn spellings(self) -> [&'static str; 2] {
        match self {
            Self::Superblock => ["_nczarr_superblock", "_NCZARR_SUPERBLOCK"],
            Self::Group => ["_nczarr_group", "_NCZARR_GROUP"],
            Self::Array => ["_nczarr_array", "_NCZARR_ARRAY"],
            Self::Types => ["_nczarr_attr", "_NCZARR_ATTR"],
        }
    }

    /// The spelling that is written.
    pub fn name(self) -> &'static str {
        self.spellings()[0]
    }

    /// The key of its own that version 1 of NCZarr has for it.
    pub fn old_key(self) -> &'static str {
        match self {
            Self::Superblock => OLD_SUPERBLOCK,
            Self::Group => OLD_GROUP,
            Self::Array => OLD_ARRAY,
            Self::Types => OLD_TYPES,
        }
    }
}

/// The key `name` below the group or array at `path`, which is empty for the root.
pub fn below(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        _ => format!("{path}/{name}"),
    }
}

/// Checks that a store can have the key of a document of a group or array.
pub(super) fn check_node(what: &str, path: &str, document: &str) -> Result<()> {
    check_key(&below(path.trim_start_matches('/'), document))
        .map_err(|why| Error::can_be_left_out(format!("{what} {path} cannot be stored: {why}")))
}
