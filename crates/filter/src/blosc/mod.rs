//! Blosc, HDF5 filter 32001: a Blosc 1 buffer, which is a header of 16 bytes and compressed blocks.
//!
//! Stored parameters: 2, the version of the filter; 2, the version of Blosc's format; bytes of an element, 1 for
//! elements above 255 bytes; bytes of a chunk; level, 5 if absent; shuffle (0 none, 1 bytes, 2 bits), 1 if absent;
//! compressor (0 blosclz, 1 lz4, 2 lz4hc, 3 snappy, 4 zlib, 5 zstd), 0 if absent. The first four are computed. Decoding
//! needs none of them, because the buffer's own header tells everything.
//!
//! As in the plugin, a buffer longer than the chunk is not stored: the filter fails on such a chunk. Zarr has no other
//! form for such a chunk, so there the buffer is up to 16 bytes longer than the chunk.
//!
//! HDF5 registered filters, id 32001; C-Blosc, README_CHUNK_FORMAT.rst; Zarr version 3, codec `blosc`.

mod parameters;

use std::borrow::Cow;

use ncutils_blosc::{HEADER_LENGTH, Settings, check, compress, decompress};

use crate::codec::codec::{generous_bound, stored_parameters};
use crate::codec::encoded_test::{ContentLength, EncodedTest, check_zeros};
use crate::codec::facts::CodecFacts;
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, Member, Outcome, Program, StoredParameters, ZarrForm};
use ncutils_model::{CodecSpec, Configuration, ZarrVersion};

/// The id registered with HDF5.
pub const ID: u32 = 32001;

/// The Blosc codec.
#[derive(Debug, Clone, Copy)]
pub struct Blosc;

impl Codec for Blosc {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            hdf5_id: Some(ID),
            // numcodecs and Zarr's own codec make the same buffers.
            zarr2: Some("blosc"),
            zarr3: Some("blosc"),
            parameters_help: "0,0,0,0; level, 0 to 9; shuffle, 0 to 2; compressor, 0 to 5",
            members: const {
                &[
                    Member::new("cname", "blosclz, lz4, lz4hc, snappy, zlib or zstd"),
                    Member::new("clevel", "0 to 9"),
                    Member::new(
                        "shuffle",
                        "no, byte or bit; 0, 1, 2, or -1 for bit with elements of a byte, else byte",
                    ),
                    Member::new("typesize", "bytes of an element"),
                    Member::new("blocksize", "bytes of a block, 0 to choose"),
                ]
            },
            zarr3_aliases: &["numcodecs.blosc"],
            in_netcdf_c: true,
            known_to: &Program::ALL,
            unsaid_members: &["blocksize"],
            netcdf_c_numbers: Some(parameters::numbers_of_netcdf_c),
            stored_parameters: Some(self),
            zarr_form: Some(self),
            canonical_parameters: Some(|stored| Cow::Owned(parameters::canonical(stored))),
            self_describing: true,
            ..CodecFacts::named("blosc")
        }
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        let parsed = spec
            .configuration()
            .and_then(|given| parameters::parse(given, chunk));
        let (settings, overhead) = match parsed {
            Some(settings) => (Ok(settings), HEADER_LENGTH),
            None => (parameters::settings(&stored_parameters(self, spec, chunk)?), 0),
        };
        Ok(Box::new(Bound { settings, overhead }))
    }
}

impl StoredParameters for Blosc {
    fn working_parameters(&self, visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        parameters::working(visible, chunk)
    }

    fn adapted_parameters(&self, stored: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        parameters::adapted(stored, chunk)
    }
}

impl ZarrForm for Blosc {
    /// `{"cname", "clevel", "shuffle", "blocksize"}`, in version 3 with `"typesize"`. The size of blocks is lost: it is
    /// a hint to encoders.
    fn parameters(
        &self,
        _: ZarrVersion,
        configuration: &Configuration,
        chunk: &ChunkType,
    ) -> Option<Vec<u32>> {
        parameters::words(&parameters::parse(configuration, chunk)?, chunk)
    }

    fn configuration(
        &self,
        version: ZarrVersion,
        parameters: &[u32],
        _: &ChunkType,
    ) -> Option<Configuration> {
        parameters::configuration(version, parameters)
    }
}

/// Blosc with its settings.
struct Bound {
    /// The settings for encoding, or the reason that there are none.
    settings: Outcome<Settings>,
    /// Number of bytes that a buffer may be longer than its chunk.
    overhead: usize,
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        let settings = self.settings.as_ref().map_err(Clone::clone)?;
        encode(settings, input, self.overhead, out)
    }

    /// Blosc copies what does not shrink, behind its header.
    fn encode_always(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        let settings = self.settings.as_ref().map_err(Clone::clone)?;
        encode(settings, input, HEADER_LENGTH, out)
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        decompress(input, limit, out).map_err(|error| error.to_string())
    }

    fn test_encoded<'a>(&self, input: &'a [u8], content: ContentLength) -> Outcome<EncodedTest<'a>> {
        let Some(header) = check(input).map_err(|error| error.to_string())? else {
            return Ok(EncodedTest::Nothing);
        };
        content.check(header.decoded_size as u64)?;
        check_zeros(input)?;
        Ok(EncodedTest::Structure)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        generous_bound(input_len)
    }
}

/// Encodes a chunk into a buffer of at most `overhead` bytes more.
fn encode(settings: &Settings, input: &[u8], overhead: usize, out: &mut Vec<u8>) -> Outcome {
    let most = input.len().saturating_add(overhead);
    compress(settings, input, most, out).map_err(|error| match error {
        ncutils_blosc::Error::OutputTooLong(_) => "the chunk does not become smaller".to_owned(),
        error => error.to_string(),
    })
}

#[cfg(test)]
mod tests;
