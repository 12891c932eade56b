//! What a codec must do.

use std::borrow::Cow;

use super::chunk_type::{ChunkShape, ChunkType};
use crate::model::{CodecSpec, Configuration, ZarrVersion};

/// The result of a codec: an error says why, in words. Whoever called the codec adds its name.
pub type Outcome<T = ()> = Result<T, String>;

/// One codec, under all its names.
///
/// A codec that HDF5 knows is described by parameter words, under a Zarr name, too: [`Codec::parameters`] translates. A codec
/// that only Zarr knows reads the configuration in [`Codec::bind`].
pub trait Codec: Send + Sync {
    /// The name for messages: HDF5's where there is one.
    fn name(&self) -> &str;

    /// The id registered with HDF5.
    fn hdf5_id(&self) -> Option<u32> {
        None
    }

    /// The name of this codec in a version of Zarr: the one to write.
    fn zarr_name(&self, version: ZarrVersion) -> Option<&str> {
        let _ = version;
        None
    }

    /// Other names by which a version of Zarr calls it.
    fn zarr_aliases(&self, version: ZarrVersion) -> &[&str] {
        let _ = version;
        &[]
    }

    /// Prepares for chunks of `chunk`, with the parameters of `spec`, which names this codec.
    ///
    /// # Errors
    /// Parameters with which chunks can be neither encoded nor decoded.
    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>>;

    /// The chunks that the next codec of a pipeline gets: those of `chunk`, unless this codec changes their element or shape
    /// (a transposition, a conversion of type). A pipeline with such a codec takes no clipped chunks.
    fn encoded_type(&self, spec: &CodecSpec, chunk: &ChunkType) -> ChunkType {
        let _ = spec;
        chunk.clone()
    }

    /// The parameters that libhdf5 stores when a user gives `visible` ones. Strict.
    ///
    /// # Errors
    /// Parameters out of range, or chunks to which the codec cannot be applied: in words for the user that continue
    /// "filter 1 (deflate) …".
    fn working_parameters(&self, visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        let _ = chunk;
        Ok(visible.to_vec())
    }

    /// The parameters for chunks of `chunk` in place of those that a file stores with other chunks. Lenient: keeps whatever
    /// this codec can decode.
    ///
    /// # Errors
    /// Chunks to which the codec cannot be applied, in words as those of [`Codec::working_parameters`].
    fn adapted_parameters(&self, stored: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        let _ = chunk;
        Ok(stored.to_vec())
    }

    /// The form of stored parameters that is the same for all which mean the same.
    fn canonical_parameters<'a>(&self, stored: &'a [u32]) -> Cow<'a, [u32]> {
        Cow::Borrowed(stored)
    }

    /// The stored parameters that make the same stream as a Zarr configuration; `None` where there are none, or the
    /// configuration is not understood in all its parts.
    fn parameters(
        &self,
        version: ZarrVersion,
        configuration: &Configuration,
        chunk: &ChunkType,
    ) -> Option<Vec<u32>> {
        let _ = (version, configuration, chunk);
        None
    }

    /// Whether two configurations, of which one at least has no stored parameters, make the same stream. Both name this codec.
    fn same_configuration(&self, a: &CodecSpec, b: &CodecSpec) -> bool {
        a == b
    }

    /// The Zarr configuration that makes the same stream as stored parameters; `None` where there is none.
    fn configuration(
        &self,
        version: ZarrVersion,
        parameters: &[u32],
        chunk: &ChunkType,
    ) -> Option<Configuration> {
        let _ = (version, parameters, chunk);
        None
    }
}

/// A codec with its parameters, bound to the chunks of one variable. Called from many threads at once.
pub trait BoundCodec: Send + Sync {
    /// Encodes `input` into `out`, whose earlier content is lost. `shape` is that of the decoded chunk.
    ///
    /// # Errors
    /// Bad parameters, or input that this codec cannot encode: a pipeline leaves the codec out then where it is optional.
    fn encode(&self, input: &[u8], shape: ChunkShape, out: &mut Vec<u8>) -> Outcome;

    /// Decodes `input` into `out`, whose earlier content is lost. Never gives, or allocates, more than `limit` bytes and a
    /// little. `shape` is that of the decoded chunk.
    ///
    /// # Errors
    /// Bad parameters, damaged input, or more output than `limit`.
    fn decode(&self, input: &[u8], shape: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome;

    /// The longest output, in bytes, that any encoder of this codec makes of an input of `input_len` bytes. More is taken for
    /// damage. Compressors of which there are many encoders state a generous bound.
    fn max_encoded_size(&self, input_len: usize) -> usize;
}

/// The stored parameters of a spec, whichever way it is named.
///
/// # Errors
/// A Zarr configuration that has no such parameters.
pub(super) fn stored_parameters<'a>(
    codec: &dyn Codec,
    spec: &'a CodecSpec,
    chunk: &ChunkType,
) -> Outcome<Cow<'a, [u32]>> {
    match spec {
        CodecSpec::Hdf5 { parameters, .. } => Ok(Cow::Borrowed(parameters)),
        CodecSpec::Zarr {
            version,
            configuration,
            ..
        } => codec
            .parameters(*version, configuration, chunk)
            .map(Cow::Owned)
            .ok_or_else(|| {
                let text = serde_json::to_string(configuration).unwrap_or_default();
                format!("its configuration {text} is not understood")
            }),
    }
}

/// More than any compressor's output for an input of this length, whoever's encoder it is: an eighth and 4 KiB more.
pub(super) fn generous_bound(input_len: usize) -> usize {
    input_len.saturating_add(input_len / 8).saturating_add(4096)
}

/// The only member of a configuration, which has this name and is a number of 32 bits.
pub(super) fn only(configuration: &Configuration, member: &str) -> Option<u32> {
    let mut members = configuration.iter();
    match (members.next(), members.next()) {
        (Some((name, value)), None) if name == member => u32::try_from(value.as_u64()?).ok(),
        _ => None,
    }
}
