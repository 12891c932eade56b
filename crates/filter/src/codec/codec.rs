//! The traits of a codec: [`Codec`], and [`BoundCodec`] for the chunks of one variable.

use std::borrow::Cow;

use crate::codec::chunk_type::{ChunkShape, ChunkType};
use crate::codec::encoded_test::{ContentLength, EncodedTest};
use crate::codec::facts::CodecFacts;
use crate::codec::outcome::Outcome;
use ncutils_model::CodecSpec;

/// A codec, with all its names.
///
/// A codec that HDF5 knows is described by parameter words, under a Zarr name too: the extension
/// [`ZarrForm`](crate::ZarrForm) translates a Zarr configuration to words. A codec that only Zarr knows reads its
/// configuration in [`Codec::bind`].
pub trait Codec: Send + Sync {
    /// Its names, what is known of it without its parameters, and what it has that only some codecs have.
    fn facts(&self) -> CodecFacts<'_>;

    /// Prepares the codec for chunks of type `chunk`. `spec` names this codec, and has its parameters.
    ///
    /// # Errors
    /// Parameters that allow neither encoding nor decoding.
    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>>;
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

    /// Tests encoded bytes, which decode to `content`, without decoding them. It costs much less than decoding.
    ///
    /// # Errors
    /// Why the bytes may be damaged. They are then decoded, which decides. So bytes that [`BoundCodec::decode`] refuses for
    /// another reason than damage must not be suspected.
    fn test_encoded<'a>(&self, _input: &'a [u8], _content: ContentLength) -> Outcome<EncodedTest<'a>> {
        Ok(EncodedTest::Nothing)
    }

    /// The length, in bytes, of what every encoder makes of `input_len` bytes. `None` if it differs between inputs.
    fn exact_encoded_size(&self, _input_len: usize) -> Option<usize> {
        None
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
            .ok_or_else(|| codec.refusal(configuration)),
    }
}

/// A bound above the output of any compressor for this input length: 1/8 more, and 4 KiB.
pub(crate) fn generous_bound(input_len: usize) -> usize {
    input_len.saturating_add(input_len / 8).saturating_add(4096)
}
