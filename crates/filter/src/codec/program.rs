//! [`Program`]: programs that may lack codecs.

use ncutils_model::ZarrVersion;

/// A program that reads Zarr, and may lack codecs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Program {
    /// zarr-python 3, as far as it reads version 3 of Zarr. It has every codec of numcodecs besides those that say so.
    ZarrPython,
    /// The crate zarrs, with the codecs of its wheel for Python.
    Zarrs,
    /// TensorStore, as far as it reads version 3 of Zarr.
    Tensorstore,
}

impl Program {
    /// All, in the order in which warnings name them.
    pub const ALL: [Self; 3] = [Self::ZarrPython, Self::Zarrs, Self::Tensorstore];

    /// The name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::ZarrPython => "zarr-python",
            Self::Zarrs => "zarrs",
            Self::Tensorstore => "tensorstore",
        }
    }

    /// The version of Zarr that the program is asked for.
    pub(crate) fn version(self) -> ZarrVersion {
        match self {
            Self::ZarrPython | Self::Zarrs | Self::Tensorstore => ZarrVersion::V3,
        }
    }
}
