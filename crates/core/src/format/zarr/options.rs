//! The choices that a Zarr hierarchy leaves to whoever writes or reads it.

use crate::model::Kind;

/// The options of a Zarr hierarchy. A name's fragment sets them, as in `#mode=nczarr,noxarray`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZarrOptions {
    /// Writing: each array gets the attribute `_ARRAY_DIMENSIONS`, from which xarray takes the names of its
    /// dimensions. Reading ignores this option.
    pub xarray: bool,
    /// Writing: the key `.zmetadata` repeats the metadata of all groups and arrays. Reading: the metadata is taken
    /// from that key, and the store is not listed.
    pub consolidated: bool,
}

impl ZarrOptions {
    /// The options for reading without a fragment.
    pub const READ: Self = Self {
        xarray: true,
        consolidated: false,
    };

    /// The options for writing a dataset of this kind without a fragment. Pure Zarr is consolidated, as xarray writes
    /// it.
    pub fn write(kind: Kind) -> Self {
        Self {
            xarray: true,
            consolidated: kind == Kind::Zarr2,
        }
    }
}
