//! Whose conventions a hierarchy follows.

/// The conventions of a group or array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flavor {
    /// Pure Zarr, as zarr-python and xarray write it.
    Zarr,
    /// NCZarr with keys in lower case, `_nczarr_array`. This is what netCDF-C writes since 4.9.3.
    Nczarr,
    /// NCZarr with keys in upper case, `_NCZARR_ARRAY`, or of version 1. It is only read.
    OldNczarr,
}

impl Flavor {
    /// True for NCZarr of any age.
    pub fn is_nczarr(self) -> bool {
        self != Self::Zarr
    }
}
