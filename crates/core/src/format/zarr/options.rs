//! The choices that a Zarr hierarchy leaves to whoever writes or reads it.

use crate::model::{KeySeparator, Kind, ZarrVersion};

/// The options of a Zarr hierarchy. A name's fragment sets them, as in `#mode=nczarr,noxarray`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZarrOptions {
    /// Writing version 2: each array gets the attribute `_ARRAY_DIMENSIONS`, from which xarray takes the names of its
    /// dimensions. Version 3 has a member for them. Reading ignores this option.
    pub xarray: bool,
    /// Writing: consolidated metadata repeats that of all groups and arrays, in the key `.zmetadata` of version 2, or in
    /// the root's `zarr.json` of version 3. Reading: the metadata is taken from there, and the store is not listed.
    pub consolidated: bool,
    /// Writing version 2: the character between the coordinates in a chunk's key.
    pub separator: KeySeparator,
    /// Reading: the version that counts where the keys of both lie in one folder. `None` means version 3.
    pub version: Option<ZarrVersion>,
    /// Reading: the fill value of an array of version 3 becomes its attribute `_FillValue`.
    pub fill_is_missing: bool,
    /// Writing version 3: each shard is an HDF5 file too, and a netCDF-4 file has all of them as its variables.
    pub shards_as_hdf5: bool,
}

impl ZarrOptions {
    /// The options for reading without a fragment.
    pub const READ: Self = Self {
        xarray: true,
        consolidated: false,
        separator: KeySeparator::Dot,
        version: None,
        fill_is_missing: false,
        shards_as_hdf5: false,
    };

    /// The options for writing a dataset of this kind without a fragment. Pure Zarr is consolidated, as xarray writes
    /// it.
    pub fn write(kind: Kind) -> Self {
        Self {
            xarray: true,
            consolidated: matches!(kind, Kind::Zarr2 | Kind::Zarr3),
            ..Self::READ
        }
    }
}
