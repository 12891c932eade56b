//! One element of a pipeline, named as its file names it.
//!
//! ```text
//! HDF5:     id 1, parameters [5]
//! Zarr v2:  {"id": "zlib", "level": 5}
//! Zarr v3:  {"name": "numcodecs.zlib", "configuration": {"level": 5}}
//! ```
//!
//! A spec says nothing about whether anyone knows the codec: see [`Registry`](crate::filter::Registry).

use std::fmt;

use serde_json::{Map, Value};

/// The parameters of a codec that has a Zarr name.
pub type Configuration = Map<String, Value>;

/// A version of Zarr, each of which has names of its own for codecs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ZarrVersion {
    /// Version 2: numcodecs' ids, and a configuration beside the id.
    V2,
    /// Version 3: names, and a configuration of its own.
    V3,
}

/// One codec of a pipeline and its parameters. Pipelines list them in the order in which writing applies them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CodecSpec {
    /// Named by an id that is registered with HDF5.
    #[non_exhaustive]
    Hdf5 {
        /// The registered id.
        id: u32,
        /// Whether a chunk may be stored without it when it fails.
        optional: bool,
        /// Parameters as stored (working parameters).
        parameters: Vec<u32>,
        /// The name that the file gives; may be empty. It does not change what the codec does.
        name: String,
    },
    /// Named as Zarr does.
    #[non_exhaustive]
    Zarr {
        /// The version of Zarr that this name and configuration belong to.
        version: ZarrVersion,
        /// The name: in version 2 the value of `id`.
        name: String,
        /// The configuration: in version 2 without `id`.
        configuration: Box<Configuration>,
    },
}

impl CodecSpec {
    /// A codec by its HDF5 id, optional, without a name, with parameters as stored.
    pub fn hdf5(id: u32, parameters: impl Into<Vec<u32>>) -> Self {
        Self::Hdf5 {
            id,
            optional: true,
            parameters: parameters.into(),
            name: String::new(),
        }
    }

    /// A codec by its Zarr name.
    pub fn zarr(version: ZarrVersion, name: impl Into<String>, configuration: Configuration) -> Self {
        Self::Zarr {
            version,
            name: name.into(),
            configuration: Box::new(configuration),
        }
    }

    /// The same, with HDF5's flag that a chunk may be stored without it. Does nothing to a Zarr name.
    #[must_use]
    pub fn with_optional(mut self, may_be_skipped: bool) -> Self {
        if let Self::Hdf5 { optional, .. } = &mut self {
            *optional = may_be_skipped;
        }
        self
    }

    /// The same, with the name that an HDF5 file gives. Does nothing to a Zarr name.
    #[must_use]
    pub fn with_name(mut self, given: impl Into<String>) -> Self {
        if let Self::Hdf5 { name, .. } = &mut self {
            *name = given.into();
        }
        self
    }

    /// The HDF5 id; `None` for a Zarr name.
    pub fn hdf5_id(&self) -> Option<u32> {
        match self {
            Self::Hdf5 { id, .. } => Some(*id),
            Self::Zarr { .. } => None,
        }
    }

    /// HDF5's stored parameters; empty for a Zarr name.
    pub fn parameters(&self) -> &[u32] {
        match self {
            Self::Hdf5 { parameters, .. } => parameters,
            Self::Zarr { .. } => &[],
        }
    }

    /// Whether a chunk may be stored without it when it fails. Zarr has no such codecs.
    pub fn is_optional(&self) -> bool {
        matches!(self, Self::Hdf5 { optional: true, .. })
    }

    /// The name that the file gives: in HDF5 it may be empty.
    pub fn name(&self) -> &str {
        match self {
            Self::Hdf5 { name, .. } | Self::Zarr { name, .. } => name,
        }
    }

    /// The Zarr name and its version; `None` for an HDF5 id.
    pub fn zarr_name(&self) -> Option<(ZarrVersion, &str)> {
        match self {
            Self::Hdf5 { .. } => None,
            Self::Zarr { version, name, .. } => Some((*version, name)),
        }
    }

    /// The configuration of a Zarr name; `None` for an HDF5 id.
    pub fn configuration(&self) -> Option<&Configuration> {
        match self {
            Self::Hdf5 { .. } => None,
            Self::Zarr { configuration, .. } => Some(configuration),
        }
    }
}

/// As messages name it: `filter 307 (bzip2)`, `codec blosc`.
impl fmt::Display for CodecSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hdf5 { id, name, .. } if name.is_empty() => write!(f, "filter {id}"),
            Self::Hdf5 { id, name, .. } => write!(f, "filter {id} ({name})"),
            Self::Zarr { name, .. } => write!(f, "codec {name}"),
        }
    }
}
