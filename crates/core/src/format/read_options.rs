//! [`ReadOptions`]: how a dataset is read, where its format leaves a choice.

use super::dap::DapOptions;
use super::references::SnapshotName;
use super::zarr::ZarrOptions;

/// How a dataset is read. A format ignores what is not for it.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// How a Zarr hierarchy is read.
    pub zarr: ZarrOptions,
    /// True if references of HDF5 are strings: the paths of the objects that they refer to. Else they are left out.
    pub reference_paths: bool,
    /// The snapshot of an Icechunk repository; `None` if the user named none.
    pub snapshot: Option<SnapshotName>,
    /// How a server of OPeNDAP is read.
    pub dap: DapOptions,
}

impl ReadOptions {
    /// What is read without a choice.
    pub const DEFAULT: Self = Self {
        zarr: ZarrOptions::READ,
        reference_paths: false,
        snapshot: None,
        dap: DapOptions {
            version: None,
            string_length: None,
        },
    };
}
