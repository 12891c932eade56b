//! One codec of a pipeline, with the name and parameters that the file gives.
//!
//! ```text
//! HDF5:     id 1, parameters [5]
//! Zarr v2:  {"id": "zlib", "level": 5}
//! Zarr v3:  {"name": "numcodecs.zlib", "configuration": {"level": 5}}
//! ```
//!
//! A spec does not say whether the codec is available: see [`Registry`](crate::filter::Registry).

use std::fmt;

use serde_json::{Map, Value};

/// The parameters of a codec that has a Zarr name.
pub type Configuration = Map<String, Value>;

/// A version of Zarr. Each version has its own names for codecs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ZarrVersion {
    /// Version 2: numcodecs' ids. The configuration is next to the id.
    V2,
    /// Version 3: names. The configuration is an object of its own.
    V3,
}

/// One codec of a pipeline and its parameters. A pipeline lists codecs in the order in which writing applies
/// them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CodecSpec {
    /// A codec with an id that is registered with HDF5.
    Hdf5 {
        /// The registered id.
        id: u32,
        /// True if a chunk may be stored without the codec when it fails.
        optional: bool,
        /// Parameters as stored in the file (working parameters).
        parameters: Vec<u32>,
        /// The name in the file; may be empty. It does not change the codec's effect.
        name: String,
    },
    /// A codec with a Zarr name.
    Zarr {
        /// The Zarr version of this name and configuration.
        version: ZarrVersion,
        /// The name; in version 2 the value of `id`.
        name: String,
        /// The configuration; in version 2 without `id`.
        configuration: Box<Configuration>,
    },
}

impl CodecSpec {
    /// An optional codec by its HDF5 id, without a name. `parameters` are as stored.
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

    /// Sets HDF5's flag that a chunk may be stored without the codec. Has no effect on a Zarr codec.
    #[must_use]
    pub fn with_optional(mut self, may_be_skipped: bool) -> Self {
        if let Self::Hdf5 { optional, .. } = &mut self {
            *optional = may_be_skipped;
        }
        self
    }

    /// Sets the name in an HDF5 file. Has no effect on a Zarr codec.
    #[must_use]
    pub fn with_name(mut self, given: impl Into<String>) -> Self {
        if let Self::Hdf5 { name, .. } = &mut self {
            *name = given.into();
        }
        self
    }

    /// The HDF5 id; `None` for a Zarr codec.
    pub fn hdf5_id(&self) -> Option<u32> {
        match self {
            Self::Hdf5 { id, .. } => Some(*id),
            Self::Zarr { .. } => None,
        }
    }

    /// HDF5's stored parameters; empty for a Zarr codec.
    pub fn parameters(&self) -> &[u32] {
        match self {
            Self::Hdf5 { parameters, .. } => parameters,
            Self::Zarr { .. } => &[],
        }
    }

    /// True if a chunk may be stored without the codec when it fails. Never true for a Zarr codec.
    pub fn is_optional(&self) -> bool {
        matches!(self, Self::Hdf5 { optional: true, .. })
    }

    /// The name in the file. In HDF5 it may be empty.
    pub fn name(&self) -> &str {
        match self {
            Self::Hdf5 { name, .. } | Self::Zarr { name, .. } => name,
        }
    }

    /// The Zarr version and name; `None` for an HDF5 codec.
    pub fn zarr_name(&self) -> Option<(ZarrVersion, &str)> {
        match self {
            Self::Hdf5 { .. } => None,
            Self::Zarr { version, name, .. } => Some((*version, name)),
        }
    }

    /// The configuration of a Zarr codec; `None` for an HDF5 codec.
    pub fn configuration(&self) -> Option<&Configuration> {
        match self {
            Self::Hdf5 { .. } => None,
            Self::Zarr { configuration, .. } => Some(configuration),
        }
    }
}

/// The codec's name in messages: `filter 307 (bzip2)`, `codec blosc`.
impl fmt::Display for CodecSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hdf5 { id, name, .. } if name.is_empty() => write!(f, "filter {id}"),
            Self::Hdf5 { id, name, .. } => write!(f, "filter {id} ({name})"),
            Self::Zarr { name, .. } => write!(f, "codec {name}"),
        }
    }
}
