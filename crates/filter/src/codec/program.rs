//! [`Program`]: programs that may lack codecs.

use ncutils_model::ZarrVersion;

/// A program that reads Zarr, and may lack codecs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Program {
    /// TensorStore, as far as it reads version 3 of Zarr.
    Tensorstore,
}

impl Program {
    /// The version of Zarr that the program is asked for.
    pub(crate) fn version(self) -> ZarrVersion {
        match self {
            Self::Tensorstore => ZarrVersion::V3,
        }
    }
}
