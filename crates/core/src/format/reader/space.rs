//! [`Space`]: how the bytes of a dataset divide among its variables, its metadata, and what nothing uses.

use crate::error::Result;
use crate::model::VarId;

/// A dataset that tells how its bytes are used.
pub trait SpaceSurvey: Send + Sync {
    /// Counts the bytes of each variable and of the rest. Reads metadata and chunk indexes, or lists keys. Reads no data, except
    /// elements of a local file that hold the addresses of other bytes.
    ///
    /// # Errors
    /// If metadata or a chunk index cannot be read or is damaged.
    fn space(&self) -> Result<Space>;
}

/// How the bytes of a dataset are used. Counts that the store cannot tell are `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Space {
    /// Bytes of the file, or of the values of all keys.
    pub total: Option<u64>,
    /// Bytes of the header or of all structures, or of the documents of metadata. In HDF5, elements of variable length are in them.
    pub metadata: Option<u64>,
    /// Bytes of data that is no variable's: datasets of HDF5 and arrays of Zarr that netCDF cannot hold.
    pub others: Option<u64>,
    /// Bytes of padding between variables and records.
    pub padding: u64,
    /// Bytes that nothing refers to, or that are listed as free.
    pub unused: Option<u64>,
    /// One entry for each variable of the schema.
    pub variables: Vec<VariableSpace>,
}

/// The bytes of a variable's data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VariableSpace {
    /// Bytes in the file or in keys, without padding; `None` if the store cannot list its keys.
    pub stored: Option<u64>,
    /// Number of chunks or blocks that are stored; `None` if the variable has none, or if their number is not known.
    pub chunks: Option<u64>,
    /// Number of shards that are stored; `None` without shards.
    pub shards: Option<u64>,
    /// True if its data lies in other files. `stored` is then 0.
    pub is_elsewhere: bool,
    /// An earlier variable with the same data, by another link. The bytes count once.
    pub same_as: Option<VarId>,
}

impl VariableSpace {
    /// Data of this many bytes in one piece.
    pub fn one_piece(bytes: u64) -> Self {
        Self {
            stored: Some(bytes),
            ..Self::default()
        }
    }
}

impl Space {
    /// Bytes of the data of all variables, each once; `None` if those of one are not known.
    pub fn data(&self) -> Option<u64> {
        let counted = self.variables.iter().filter(|of| of.same_as.is_none());
        counted
            .map(|of| of.stored)
            .try_fold(0u64, |sum, stored| Some(sum.saturating_add(stored?)))
    }
}
