//! Deflate, HDF5 filter 1: a zlib stream (RFC 1950).
//!
//! Parameters: zlib's level, 0 to 9. The level only affects the encoder's effort, not the format of the stream. So the
//! user's level is stored, and libdeflate's level follows from it (`encoder.rs`).
//!
//! As in libhdf5, a stream longer than the chunk is stored all the same.
//!
//! Blocks of several kinds make the stream, all of which any decoder reads (`runs.rs`):
//!
//! ```text
//! │ 78 9c │ one byte repeated │ stored blocks │ blocks of literals │ blocks of libdeflate or zlib-rs │ Adler-32 │
//! ```
//!
//! HDF5 file format specification, IV.A.2.l, filter 1.

use libdeflater::{DecompressionError, adler32};

use crate::codec::codec::{generous_bound, stored_parameters};
use crate::codec::encoded_test::{ContentLength, EncodedTest, PAGE};
use crate::codec::facts::CodecFacts;
use crate::codec::netcdf_c_spelling::only;
use crate::codec::program::Program;
use crate::deflate::decode::decoder::{decode_ours, with_libdeflate};
use crate::deflate::deflate_check::{EXPANSION, check_adler, check_stream};
use crate::deflate::deflate_stream::encode_stream;
use crate::deflate::deflate_wrapper::ZLIB_HEADER;
use crate::deflate::runs::Planes;
use crate::{
    BoundCodec, ChunkShape, ChunkType, Codec, DeflateWrapper, Member, Outcome, StoredParameters, ZarrForm,
};
use ncutils_model::{CodecSpec, Configuration, ZarrVersion};

/// The id registered with HDF5.
pub const ID: u32 = 1;

/// The deflate codec.
#[derive(Debug, Clone, Copy)]
pub struct Deflate;

/// zlib's default level.
const USUAL_LEVEL: u32 = 6;

impl Codec for Deflate {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            hdf5_id: Some(ID),
            // numcodecs compresses chunks with Python's `zlib.compress`, which makes the same stream.
            zarr2: Some("zlib"),
            zarr3: Some("numcodecs.zlib"),
            parameters_help: "level, 0 to 9",
            members: const { &[Member::new("level", "0 to 9")] },
            in_netcdf_c: true,
            known_to: &[Program::ZarrPython, Program::Zarrs],
            // A zlib stream ends with the Adler-32 of its content.
            verifies: true,
            stored_parameters: Some(self),
            zarr_form: Some(self),
            self_describing: true,
            deflate_wrapper: Some(deflate_wrapper),
            ..CodecFacts::named("deflate")
        }
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        let parameters = stored_parameters(self, spec, chunk)?;
        let level = match *parameters {
            [level @ 0..=9] => Ok(level as usize),
            _ => Err(format!(
                "its parameters are {parameters:?} instead of a level from 0 to 9"
            )),
        };
        Ok(Box::new(Bound {
            level,
            planes: Planes::of(chunk),
        }))
    }
}

fn deflate_wrapper(spec: &CodecSpec, chunk: &ChunkType) -> Option<(DeflateWrapper, u32)> {
    match *stored_parameters(&Deflate, spec, chunk).ok()? {
        [level @ 0..=9] => Some((DeflateWrapper::Zlib, level)),
        _ => None,
    }
}

impl StoredParameters for Deflate {
    fn working_parameters(&self, visible: &[u32], _: &ChunkType) -> Outcome<Vec<u32>> {
        match visible {
            [0..=9] => Ok(visible.to_vec()),
            _ => Err("takes one parameter: the level, 0 to 9".to_owned()),
        }
    }

    /// Decoding needs no parameter, but libhdf5 requires a level.
    fn adapted_parameters(&self, stored: &[u32], _: &ChunkType) -> Outcome<Vec<u32>> {
        Ok(vec![stored.first().map_or(USUAL_LEVEL, |level| *level.min(&9))])
    }
}

impl ZarrForm for Deflate {
    /// `{"level": 0 to 9}`. Without a level it is numcodecs' 1.
    fn parameters(&self, _: ZarrVersion, configuration: &Configuration, _: &ChunkType) -> Option<Vec<u32>> {
        let level = match configuration.is_empty() {
            true => 1,
            false => only(configuration, "level")?,
        };
        (level <= 9).then(|| vec![level])
    }

    fn configuration(&self, _: ZarrVersion, parameters: &[u32], _: &ChunkType) -> Option<Configuration> {
        match parameters {
            [level @ 0..=9] => Some(Configuration::from_iter([("level".to_owned(), (*level).into())])),
            _ => None,
        }
    }
}

/// Deflate with its level.
struct Bound {
    /// The level for encoding, or the reason that there is none.
    level: Outcome<usize>,
    planes: Planes,
}

/// Encodes bytes to a zlib stream of a level from 1 to 9.
pub fn encode_plain(level: usize, input: &[u8], out: &mut Vec<u8>) -> Outcome {
    let bound = Bound {
        level: Ok(level.clamp(1, 9)),
        planes: Planes::of(&ChunkType::of_bytes(input.len())),
    };
    bound.encode(input, ChunkShape::Full, out)
}

/// Decodes a zlib stream of at most `limit` bytes of content.
pub fn decode_plain(input: &[u8], limit: usize, out: &mut Vec<u8>) -> Outcome {
    let bound = Bound {
        level: Ok(1),
        planes: Planes::of(&ChunkType::of_bytes(0)),
    };
    bound.decode(input, ChunkShape::Full, limit, out)
}

/// Decodes a zlib stream that begins with blocks of ours, and returns the length of the content. `None` if it does not, or if something
/// is wrong.
fn decode_ours_in_zlib(input: &[u8], out: &mut [u8]) -> Option<usize> {
    let header = DeflateWrapper::Zlib.header(input)?;
    let (stream, trailer) = input.get(header..)?.split_last_chunk::<4>()?;
    let size = decode_ours(stream, out)?;
    (adler32(out.get(..size)?) == u32::from_be_bytes(*trailer)).then_some(size)
}

fn reason(error: DecompressionError, limit: usize) -> String {
    match error {
        DecompressionError::BadData => "damaged zlib stream".to_owned(),
        DecompressionError::InsufficientSpace => format!("more than the {limit} bytes expected"),
    }
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        encode_stream(self.level.clone()?, self.planes, input, &ZLIB_HEADER, out)?;
        out.extend_from_slice(&adler32(input).to_be_bytes());
        Ok(())
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        let most = limit.min(input.len().saturating_mul(EXPANSION));
        out.resize(most, 0);
        let size = match decode_ours_in_zlib(input, out) {
            Some(size) => size,
            None => with_libdeflate(|decompressor| decompressor.zlib_decompress(input, out))
                .map_err(|error| reason(error, limit))?,
        };
        out.truncate(size);
        Ok(())
    }

    fn decode_unverified(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        let stream = input.get(ZLIB_HEADER.len()..).ok_or("shorter than its header")?;
        out.resize(limit.min(input.len().saturating_mul(EXPANSION)), 0);
        let size = with_libdeflate(|decompressor| decompressor.deflate_decompress(stream, out));
        out.truncate(size.map_err(|_| "damaged deflate stream".to_owned())?);
        Ok(())
    }

    fn test_encoded<'a>(&self, input: &'a [u8], content: ContentLength) -> Outcome<EncodedTest<'a>> {
        let header = DeflateWrapper::Zlib.header(input).ok_or("no zlib header")?;
        let parts = input[header..].split_last_chunk::<4>();
        let (stream, trailer) = parts.ok_or("the zlib stream ends too early")?;
        check_adler(u32::from_be_bytes(*trailer))?;
        // Nothing else tells of a stream that was cut, as by a disk that was full.
        if input.len().is_multiple_of(PAGE) {
            return Err(format!("it ends after whole pages of {PAGE} bytes"));
        }
        check_stream(stream, content)?;
        Ok(EncodedTest::Structure)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        generous_bound(input_len)
    }
}

#[cfg(test)]
mod tests;
