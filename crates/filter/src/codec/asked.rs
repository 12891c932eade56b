//! The methods of any [`Codec`] that look at its facts: a single one, or an extension with the answer of codecs that lack it.

use std::borrow::Cow;

use crate::codec::chunk_type::ChunkType;
use crate::codec::codec::Codec;
use crate::codec::members;
use crate::codec::outcome::Outcome;
use ncutils_model::{CodecSpec, Configuration, ZarrVersion};

impl dyn Codec + '_ {
    /// The name for messages.
    pub fn name(&self) -> &str {
        self.facts().name
    }

    /// The id registered with HDF5.
    pub fn hdf5_id(&self) -> Option<u32> {
        self.facts().hdf5_id
    }

    /// The name to write in the metadata of a version of Zarr.
    pub fn zarr_name(&self, version: ZarrVersion) -> Option<&str> {
        self.facts().zarr_name(version)
    }

    /// Why the codec refuses the named parameters `given`, and which ones it takes.
    pub(crate) fn refusal(&self, given: &Configuration) -> String {
        let facts = self.facts();
        members::refusal(facts.members, facts.parameters_help, given)
    }

    /// The parameters that are stored if a user gives the `visible` ones.
    ///
    /// # Errors
    /// Those of [`StoredParameters::working_parameters`](crate::StoredParameters::working_parameters).
    pub fn working_parameters(&self, visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        match self.facts().stored_parameters {
            Some(stored) => stored.working_parameters(visible, chunk),
            None => Ok(visible.to_vec()),
        }
    }

    /// The stored parameters for chunks of another type.
    ///
    /// # Errors
    /// Those of [`StoredParameters::adapted_parameters`](crate::StoredParameters::adapted_parameters).
    pub fn adapted_parameters(&self, stored: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        match self.facts().stored_parameters {
            Some(parameters) => parameters.adapted_parameters(stored, chunk),
            None => Ok(stored.to_vec()),
        }
    }

    /// The stored parameters for chunks of type `to`, given those for chunks of type `from`.
    ///
    /// # Errors
    /// Those of [`StoredParameters::adapted_parameters`](crate::StoredParameters::adapted_parameters).
    pub fn moved_parameters(&self, stored: &[u32], from: &ChunkType, to: &ChunkType) -> Outcome<Vec<u32>> {
        match self.facts().moved_parameters {
            Some(moved) => moved.moved_parameters(stored, from, to),
            None => self.adapted_parameters(stored, to),
        }
    }

    /// The canonical form of stored parameters: equal for all parameters with the same meaning.
    pub fn canonical_parameters<'a>(&self, stored: &'a [u32]) -> Cow<'a, [u32]> {
        match self.facts().canonical_parameters {
            Some(canonical) => canonical(stored),
            None => Cow::Borrowed(stored),
        }
    }

    /// The stored parameters that make the same stream as a Zarr configuration, if there are any.
    pub fn parameters(
        &self,
        version: ZarrVersion,
        configuration: &Configuration,
        chunk: &ChunkType,
    ) -> Option<Vec<u32>> {
        self.facts().zarr_form?.parameters(version, configuration, chunk)
    }

    /// The Zarr configuration that makes the same stream as stored parameters, if there is one.
    pub fn configuration(
        &self,
        version: ZarrVersion,
        parameters: &[u32],
        chunk: &ChunkType,
    ) -> Option<Configuration> {
        self.facts().zarr_form?.configuration(version, parameters, chunk)
    }

    /// True if two configurations make the same stream. Both name this codec, and at least one has no stored
    /// parameters.
    pub fn same_configuration(&self, a: &CodecSpec, b: &CodecSpec) -> bool {
        self.facts().same_configuration.map_or(a == b, |same| same(a, b))
    }

    /// The type of this codec's output, for the next codec of a pipeline.
    pub fn encoded_type(&self, spec: &CodecSpec, chunk: &ChunkType) -> ChunkType {
        match self.facts().encoded_type {
            Some(encoded) => encoded(spec, chunk),
            None => chunk.clone(),
        }
    }
}
