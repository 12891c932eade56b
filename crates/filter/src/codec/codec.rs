//! The traits of a codec: [`Codec`], and [`BoundCodec`] for the chunks of one variable.

use std::borrow::Cow;

use crate::codec::chunk_type::{ChunkShape, ChunkType};
use crate::codec::members::{Member, refusal};
use crate::codec::netcdf_c_spelling::has_numbers_as_strings;
use crate::deflate::deflate_wrapper::DeflateWrapper;
use ncutils_model::{CodecNames, CodecSpec, Configuration, ZarrVersion};

/// The result of a codec. An error is the reason in words; the caller adds the codec's name.
pub type Outcome<T = ()> = Result<T, String>;

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

/// A codec, with all its names.
///
/// A codec that HDF5 knows is described by parameter words, under a Zarr name too: [`Codec::parameters`] translates a
/// Zarr configuration to words. A codec that only Zarr knows reads its configuration in [`Codec::bind`].
pub trait Codec: Send + Sync {
    /// The codec's name for messages: HDF5's name if it has one.
    fn name(&self) -> &str;

    /// The id registered with HDF5.
    fn hdf5_id(&self) -> Option<u32> {
        None
    }

    /// The name to write in the metadata of a version of Zarr.
    fn zarr_name(&self, version: ZarrVersion) -> Option<&str> {
        let _ = version;
        None
    }

    /// The parameters that a user gives, in a few words, for the list of filters; empty if they are not known.
    fn parameters_help(&self) -> &str {
        ""
    }

    /// The named parameters that a user can give in place of numbers.
    fn members(&self) -> &'static [Member] {
        &[]
    }

    /// The parameters that a user gives as numbers, made of named ones. `None` if the names are those of the Zarr
    /// configuration alone, which [`Codec::parameters`] translates.
    fn visible_parameters(&self, members: &Configuration) -> Option<Outcome<Vec<u32>>> {
        let _ = members;
        None
    }

    /// Further names that a version of Zarr accepts for it.
    fn zarr_aliases(&self, version: ZarrVersion) -> &[&str] {
        let _ = version;
        &[]
    }

    /// True if netCDF-C 4.10 has the codec in NCZarr.
    fn is_in_netcdf_c(&self) -> bool {
        false
    }

    /// True if numcodecs, and so zarr-python, has the codec under its name in version 2 of Zarr.
    fn is_in_numcodecs(&self) -> bool {
        true
    }

    /// True if the codec must be among the `filters` of version 2 of Zarr, not its `compressor`. zarr-python 2 fails where
    /// it decodes a whole chunk by such a compressor.
    fn is_filter_in_zarr2(&self) -> bool {
        false
    }

    /// True if the codec only puts the elements of a chunk into another order. A format that lacks it stores them in its
    /// own order.
    fn only_reorders(&self) -> bool {
        false
    }

    /// True if the codec can only work on the elements of the array, not on what another codec makes of them. A new
    /// pipeline begins with such codecs.
    fn needs_elements(&self) -> bool {
        self.is_array_to_array()
    }

    /// True if the codec makes an array of an array in a chain of version 3 of Zarr. There it comes before the codec that makes
    /// bytes of the array. Other codecs make bytes of bytes.
    fn is_array_to_array(&self) -> bool {
        self.is_elementwise()
    }

    /// True if the codec changes each element alone, whatever elements are around it in its chunk. A chain of version 3 of
    /// Zarr may have such a codec before a shard: it makes the same of the shard as of each chunk in it.
    fn is_elementwise(&self) -> bool {
        false
    }

    /// True if decoding compares a checksum of the data, so that a damaged stream is noticed.
    fn verifies(&self) -> bool {
        self.is_checksum()
    }

    /// True if decoding may give other values than were encoded, as the codec rounds or cuts them.
    fn is_lossy(&self) -> bool {
        false
    }

    /// True if the codec adds a checksum to its input, and changes nothing else. Taking it off verifies the input.
    fn is_checksum(&self) -> bool {
        false
    }

    /// The wrapper and zlib's level of a codec that makes a deflate stream; `None` for any other codec.
    fn deflate_wrapper(&self, spec: &CodecSpec, chunk: &ChunkType) -> Option<(DeflateWrapper, u32)> {
        let _ = (spec, chunk);
        None
    }

    /// True if a program has the codec under the name that [`Codec::zarr_name`] gives. See
    /// [`Registry::known_to`](crate::Registry::known_to) for a spec, which may have another name.
    fn known_to(&self, program: Program) -> bool {
        let _ = program;
        false
    }

    /// True if what reads streams of `to` reads those of `from` as well, and nobody misses anything in them, though an encoder
    /// of `to` makes others. Both specs name this codec.
    fn serves(&self, from: &CodecSpec, to: &CodecSpec) -> bool {
        let _ = (from, to);
        false
    }

    /// A check of streams that were stored under a Zarr name: true if HDF5's plugins decode the stream. `None` if they
    /// decode all that this codec does.
    fn hdf5_check(&self) -> Option<fn(&[u8]) -> bool> {
        None
    }

    /// Prepares the codec for chunks of type `chunk`. `spec` names this codec, and has its parameters.
    ///
    /// # Errors
    /// Parameters that allow neither encoding nor decoding.
    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>>;

    /// The type of this codec's output, for the next codec of a pipeline. It is `chunk`, unless the codec changes the
    /// element or shape (a transposition, a type conversion). A pipeline with such a codec neither encodes nor decodes
    /// clipped chunks.
    fn encoded_type(&self, spec: &CodecSpec, chunk: &ChunkType) -> ChunkType {
        let _ = spec;
        chunk.clone()
    }

    /// The parameters that libhdf5 stores if a user gives the `visible` ones. Invalid parameters are rejected.
    ///
    /// # Errors
    /// Parameters out of range, or chunks that the codec cannot be applied to. The text continues "filter 1 (deflate)
    /// …".
    fn working_parameters(&self, visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        let _ = chunk;
        Ok(visible.to_vec())
    }

    /// The parameters for chunks of type `chunk`, given the parameters that a file stores for other chunks. Unusual
    /// parameters that this codec can decode are kept.
    ///
    /// # Errors
    /// Chunks that the codec cannot be applied to. The text is as for [`Codec::working_parameters`].
    fn adapted_parameters(&self, stored: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        let _ = chunk;
        Ok(stored.to_vec())
    }

    /// Like [`Codec::adapted_parameters`], given also the type of the chunks that `stored` was made for.
    ///
    /// # Errors
    /// The same.
    fn moved_parameters(&self, stored: &[u32], from: &ChunkType, to: &ChunkType) -> Outcome<Vec<u32>> {
        let _ = from;
        self.adapted_parameters(stored, to)
    }

    /// The canonical form of stored parameters: equal for all parameters with the same meaning.
    fn canonical_parameters<'a>(&self, stored: &'a [u32]) -> Cow<'a, [u32]> {
        Cow::Borrowed(stored)
    }

    /// The stored parameters that make the same stream as a Zarr configuration; `None` if there are none, or if any
    /// part of the configuration is not understood.
    fn parameters(
        &self,
        version: ZarrVersion,
        configuration: &Configuration,
        chunk: &ChunkType,
    ) -> Option<Vec<u32>> {
        let _ = (version, configuration, chunk);
        None
    }

    /// True if only netCDF-C is sure to take a Zarr configuration as it is meant. [`Registry::in_zarr`] then makes another
    /// of its parameters.
    ///
    /// [`Registry::in_zarr`]: crate::Registry::in_zarr
    fn is_netcdf_c_spelling(&self, version: ZarrVersion, configuration: &Configuration) -> bool {
        let _ = version;
        has_numbers_as_strings(configuration)
    }

    /// True if two configurations make the same stream. Both name this codec, and at least one has no stored
    /// parameters.
    fn same_configuration(&self, a: &CodecSpec, b: &CodecSpec) -> bool {
        a == b
    }

    /// The configuration that goes with the codec's name in version `to` of Zarr, given that of a spec without stored
    /// parameters in the other version. The registry checks that both make the same stream.
    fn renamed_configuration(&self, configuration: &Configuration, to: ZarrVersion) -> Configuration {
        let _ = to;
        configuration.clone()
    }

    /// A codec that compresses as this one does with the parameters of `spec`, though into another stream, where `spec`
    /// itself has no form among `names`. `None` if there is none.
    fn equivalent(&self, spec: &CodecSpec, names: CodecNames) -> Option<CodecSpec> {
        let _ = (spec, names);
        None
    }

    /// The Zarr configuration that makes the same stream as stored parameters; `None` if there is none.
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

/// A codec with its parameters, bound to the chunks of one variable. It is called from many threads at once.
pub trait BoundCodec: Send + Sync {
    /// Encodes `input` into `out`, replacing its content. `shape` is the shape of the decoded chunk.
    ///
    /// # Errors
    /// Bad parameters, or input that this codec cannot encode. A pipeline then skips the codec if it is optional.
    fn encode(&self, input: &[u8], shape: ChunkShape, out: &mut Vec<u8>) -> Outcome;

    /// Encodes like [`BoundCodec::encode`], but keeps a stream that is longer than `input`. For chunks that must pass
    /// all codecs.
    ///
    /// # Errors
    /// Bad parameters, or input that this codec has no stream for.
    fn encode_always(&self, input: &[u8], shape: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        self.encode(input, shape, out)
    }

    /// Decodes `input` into `out`, replacing its content. At most slightly more than `limit` bytes are made or
    /// allocated. `shape` is the shape of the decoded chunk.
    ///
    /// # Errors
    /// Bad parameters, damaged input, or more output than `limit`.
    fn decode(&self, input: &[u8], shape: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome;

    /// Decodes like [`BoundCodec::decode`], but does not compare checksums in the stream. For data that is to be saved
    /// although a checksum disagrees.
    ///
    /// # Errors
    /// Those of [`BoundCodec::decode`], but for checksums.
    fn decode_unverified(&self, input: &[u8], shape: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        self.decode(input, shape, limit, out)
    }

    /// Maximum length, in bytes, of what any encoder makes of `input_len` bytes. A longer stream is treated as damaged.
    /// Compressors with many different encoders return a generous bound.
    fn max_encoded_size(&self, input_len: usize) -> usize;
}

/// The stored parameters of a spec, which may name the codec by its HDF5 id or by a Zarr name.
///
/// # Errors
/// A Zarr configuration without such parameters.
pub(crate) fn stored_parameters<'a>(
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
            .ok_or_else(|| refusal(codec, configuration)),
    }
}

/// A bound above the output of any compressor for this input length: 1/8 more, and 4 KiB.
pub(crate) fn generous_bound(input_len: usize) -> usize {
    input_len.saturating_add(input_len / 8).saturating_add(4096)
}
