//! Blosc2, HDF5 filter 32026: a contiguous frame of C-Blosc2, which holds one compressed chunk or an array of them.
//!
//! Stored parameters: 1, the version of the filter; bytes of a block, 0 for automatic; bytes of an element; bytes of a
//! chunk; level, 5 if absent; filter (0 none, 1 byte shuffle, 2 bit shuffle, 3 delta, 4 cut of precision), 1 if absent;
//! compressor (0 blosclz, 1 lz4, 2 lz4hc, 4 zlib, 5 zstd), 0 if absent; for 2 to 16 dimensions their number, and the shape
//! of a chunk. Decoding needs none of them, because the frame tells everything.
//!
//! ```text
//! frame    header with metalayers │ chunk … │ chunk of offsets │ trailer          frame
//! array    the metalayer `b2nd`: shapes of array, chunks and blocks               array
//! chunk    header │ start of each block … │ streams of each block …               chunk, encode
//! block    elements through a pipeline of filters                                 transform
//! stream   a run of one byte, plain bytes, or what a compressor made of them      `ncutils_blosc`
//! ```
//!
//! All but the streams is read and written here, so that nothing of a hostile frame reaches C code unchecked. The streams
//! are those of Blosc 1, so its C library serves for both. Codecs and filters that a user registers with C-Blosc2 are
//! refused.
//!
//! No codec of Zarr stores such frames. imagecodecs' `imagecodecs_blosc2` stores single chunks without a frame.
//!
//! HDF5 registered filters, id 32026; C-Blosc2, README_CFRAME_FORMAT.rst, README_CHUNK_FORMAT.rst,
//! README_B2ND_METALAYER.rst.

mod array;
mod block_size;
mod chunk;
mod damage;
mod decode;
mod encode;
mod frame;
mod parameters;
mod transform;

use std::borrow::Cow;

use crate::blosc2::parameters::Settings;
use crate::codec::codec::{generous_bound, stored_parameters};
use crate::codec::encoded_test::{ContentLength, EncodedTest, check_zeros};
use crate::codec::facts::CodecFacts;
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, Member, Outcome, StoredParameters, listed_members};
use ncutils_model::{CodecSpec, Configuration};

/// The id registered with HDF5.
pub const ID: u32 = 32026;

/// The Blosc2 codec.
#[derive(Debug, Clone, Copy)]
pub struct Blosc2;

impl Codec for Blosc2 {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            hdf5_id: Some(ID),
            parameters_help: "0,0,0,0; level, 0 to 9; filter, 0 to 3; compressor, 0 to 5 but 3",
            members: const {
                &[
                    Member::new("cname", "blosclz, lz4, lz4hc, zlib or zstd"),
                    Member::new("clevel", "0 to 9"),
                    Member::new("shuffle", "no, byte, bit or delta; 0 to 3"),
                    Member::new("blocksize", "bytes of a block, 0 to choose"),
                ]
            },
            stored_parameters: Some(self),
            visible_parameters: Some(visible_parameters),
            canonical_parameters: Some(|stored| Cow::Owned(parameters::canonical(stored))),
            ..CodecFacts::named("blosc2")
        }
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        let settings = parameters::settings(&stored_parameters(self, spec, chunk)?);
        Ok(Box::new(Bound { settings }))
    }
}

fn visible_parameters(members: &Configuration) -> Outcome<Vec<u32>> {
    let takes = || format!("takes {}", listed_members(Blosc2.facts().members));
    parameters::visible(members).ok_or_else(takes)
}

impl StoredParameters for Blosc2 {
    fn working_parameters(&self, visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        parameters::working(visible, chunk)
    }

    fn adapted_parameters(&self, stored: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        parameters::adapted(stored, chunk)
    }
}

/// Blosc2 with its settings.
struct Bound {
    /// The settings for encoding, or the reason that there are none.
    settings: Outcome<Settings>,
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        encode::frame(self.settings.as_ref().map_err(Clone::clone)?, input, out)
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        decode::frame(input, limit, out)
    }

    fn test_encoded<'a>(&self, input: &'a [u8], _: ContentLength) -> Outcome<EncodedTest<'a>> {
        frame::check_lengths(input).ok_or_else(|| damage::damaged("its header or trailer"))?;
        check_zeros(input)?;
        Ok(EncodedTest::Structure)
    }

    /// Blocks at the edges of an array are stored whole.
    fn max_encoded_size(&self, input_len: usize) -> usize {
        let array = self.settings.as_ref().ok().and_then(Settings::array);
        let padded = array.and_then(|(array, size)| array.chunk_bytes(size));
        generous_bound(padded.unwrap_or(0).max(input_len))
    }
}

#[cfg(test)]
mod tests;
