//! Gzip, a codec of Zarr: a gzip file (RFC 1952).
//!
//! Configuration: `level`, zlib's, 0 to 9; 1 if missing, as in numcodecs. It only affects the encoder's effort.
//!
//! Zarr version 3, the codec `gzip`; numcodecs, `GZip`.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use libdeflater::crc32;

use crate::codec::codec::generous_bound;
use crate::codec::encoded_test::{ContentLength, EncodedTest};
use crate::codec::facts::CodecFacts;
use crate::deflate::decode::decoder::{decode_ours, with_libdeflate};
use crate::deflate::deflate;
use crate::deflate::deflate_check::{EXPANSION, check_stream};
use crate::deflate::deflate_stream::encode_stream;
use crate::deflate::deflate_wrapper::GZIP_HEADER;
use crate::deflate::runs::Planes;
use crate::zarr_only::zarr_configuration::{configuration, integer, same};
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, DeflateWrapper, Outcome, Program};
use ncutils_model::{CodecNames, CodecSpec, Configuration, ZarrVersion};

/// The gzip codec.
#[derive(Debug, Clone, Copy)]
pub struct Gzip;

/// Its name in Zarr.
pub const NAME: &str = "gzip";

/// numcodecs' level where a configuration has none.
const DEFAULT_LEVEL: i64 = 1;

/// The level of a spec.
fn level(spec: &CodecSpec) -> Outcome<i64> {
    let (_, configuration) = configuration(spec, &["level"])?;
    integer(configuration, "level", 0..=9, Some(DEFAULT_LEVEL))
}

impl Codec for Gzip {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            zarr2: Some("gzip"),
            zarr3: Some("gzip"),
            parameters_help: "level",
            zarr3_aliases: &["numcodecs.gzip"],
            // A gzip member ends with the CRC-32 of its content.
            verifies: true,
            known_to: &Program::ALL,
            same_configuration: Some(|a, b| same(level(a), level(b))),
            renamed_configuration: Some(renamed),
            equivalent: Some(equivalent),
            self_describing: true,
            deflate_wrapper: Some(|spec, _| Some((DeflateWrapper::Gzip, word(spec)?))),
            ..CodecFacts::named(NAME)
        }
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        Ok(Box::new(Bound {
            level: level(spec),
            planes: Planes::of(chunk),
        }))
    }
}

/// The level as HDF5 stores it.
fn word(spec: &CodecSpec) -> Option<u32> {
    u32::try_from(level(spec).ok()?).ok()
}

/// Readers of version 3 have another default level.
fn renamed(configuration: &Configuration, _: ZarrVersion) -> Configuration {
    let mut renamed = configuration.clone();
    renamed.entry("level").or_insert(DEFAULT_LEVEL.into());
    renamed
}

/// Deflate, which HDF5's programs call gzip.
fn equivalent(spec: &CodecSpec, names: CodecNames) -> Option<CodecSpec> {
    let level = word(spec)?;
    (names == CodecNames::Hdf5)
        .then(|| CodecSpec::hdf5(deflate::ID, [level]).with_name(deflate::Deflate.facts().name))
}

/// Gzip with its level.
struct Bound {
    /// The level for encoding, or the reason that there is none.
    level: Outcome<i64>,
    planes: Planes,
}

/// Decodes a member that begins with blocks of ours, and returns the length of the content. `None` if it does not, or if something is
/// wrong.
fn decode_ours_in_gzip(input: &[u8], out: &mut [u8]) -> Option<usize> {
    let header = DeflateWrapper::Gzip.header(input)?;
    let (body, _) = input.get(header..)?.split_last_chunk::<4>()?;
    let (stream, checksum) = body.split_last_chunk::<4>()?;
    let size = decode_ours(stream, out)?;
    (crc32(out.get(..size)?) == u32::from_le_bytes(*checksum)).then_some(size)
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        encode_stream(
            self.level.clone()? as usize,
            self.planes,
            input,
            &GZIP_HEADER,
            out,
        )?;
        out.extend_from_slice(&crc32(input).to_le_bytes());
        out.extend_from_slice(&(input.len() as u32).to_le_bytes());
        Ok(())
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        // The last four bytes tell the length of the last member. Usually it is the only one, and as long as expected.
        let told = input
            .last_chunk::<4>()
            .map(|bytes| u32::from_le_bytes(*bytes) as usize);
        let likely = limit <= input.len().saturating_mul(EXPANSION);
        if told == Some(limit) && likely {
            out.resize(limit, 0);
            if decode_ours_in_gzip(input, out) == Some(limit)
                || with_libdeflate(|decompressor| decompressor.gzip_decompress(input, out)) == Ok(limit)
            {
                return Ok(());
            }
        }
        out.clear();
        let most = (limit as u64).saturating_add(1);
        MultiGzDecoder::new(input)
            .take(most)
            .read_to_end(out)
            .map_err(|error| format!("damaged gzip stream: {error}"))?;
        match out.len() <= limit {
            true => Ok(()),
            false => Err(format!("more than the {limit} bytes expected")),
        }
    }

    fn test_encoded<'a>(&self, input: &'a [u8], content: ContentLength) -> Outcome<EncodedTest<'a>> {
        let ends = || "the gzip stream ends too early".to_owned();
        let header = DeflateWrapper::Gzip.header(input).ok_or("no gzip header")?;
        let (body, length) = input[header..].split_last_chunk::<4>().ok_or_else(ends)?;
        let (stream, _) = body.split_last_chunk::<4>().ok_or_else(ends)?;
        let length = u32::from_le_bytes(*length);
        match content.most > u32::MAX as usize {
            // The length is modulo 2^32.
            true => {}
            false => content.check(length.into())?,
        }
        check_stream(stream, content)?;
        Ok(EncodedTest::Structure)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        generous_bound(input_len)
    }
}
