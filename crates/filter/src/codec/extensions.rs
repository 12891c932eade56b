//! The traits of what only some codecs have. None of their methods has a default. [`CodecFacts`] tells which codec has them.
//!
//! [`CodecFacts`]: crate::CodecFacts

use crate::codec::chunk_type::ChunkType;
use crate::codec::outcome::Outcome;
use ncutils_model::{Configuration, ZarrVersion};

/// The parameter words that HDF5 stores, made of those that a user gives or that a file stores for other chunks.
pub trait StoredParameters {
    /// The parameters that libhdf5 stores if a user gives the `visible` ones. Invalid parameters are rejected.
    ///
    /// # Errors
    /// Parameters out of range, or chunks that the codec cannot be applied to. The text continues "filter 1 (deflate)
    /// …".
    fn working_parameters(&self, visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>>;

    /// The parameters for chunks of type `chunk`, given the parameters that a file stores for other chunks. Unusual
    /// parameters that this codec can decode are kept.
    ///
    /// # Errors
    /// Chunks that the codec cannot be applied to. The text is as for [`StoredParameters::working_parameters`].
    fn adapted_parameters(&self, stored: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>>;
}

/// Stored parameters that depend on the chunks that they were made for.
pub trait MovedParameters {
    /// Like [`StoredParameters::adapted_parameters`], given also the type of the chunks that `stored` was made for.
    ///
    /// # Errors
    /// The same.
    fn moved_parameters(&self, stored: &[u32], from: &ChunkType, to: &ChunkType) -> Outcome<Vec<u32>>;
}

/// A Zarr configuration that makes the same stream as stored parameters.
pub trait ZarrForm {
    /// The stored parameters that make the same stream as a Zarr configuration; `None` if there are none, or if any
    /// part of the configuration is not understood.
    fn parameters(
        &self,
        version: ZarrVersion,
        configuration: &Configuration,
        chunk: &ChunkType,
    ) -> Option<Vec<u32>>;

    /// The Zarr configuration that makes the same stream as stored parameters; `None` if there is none.
    fn configuration(
        &self,
        version: ZarrVersion,
        parameters: &[u32],
        chunk: &ChunkType,
    ) -> Option<Configuration>;
}
