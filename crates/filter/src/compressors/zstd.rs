//! Zstandard, HDF5 filter 32015: one zstd frame (RFC 8878) that states the length of its content.
//!
//! Parameters: the level, as a signed 32-bit number; 3 if there is none. Levels outside zstd's range are clamped. The
//! registered plugin ignores further parameters. As in the plugin, a frame longer than the chunk is stored all the
//! same. Frames without a content length, which streaming writers make, can be decoded too.
//!
//! HDF5 registered filters, id 32015.

use std::borrow::Cow;
use std::cell::RefCell;

use ::zstd::bulk::{Compressor, Decompressor};
use ::zstd::compression_level_range;
use ::zstd::zstd_safe::{self, WriteBuf};

use crate::codec::codec::{generous_bound, stored_parameters};
use crate::codec::encoded_test::{ContentLength, EncodedTest, check_zeros};
use crate::codec::facts::CodecFacts;
use crate::codec::netcdf_c_spelling::integer;
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, Member, Outcome, Program, StoredParameters, ZarrForm};
use ncutils_model::{CodecNames, CodecSpec, Configuration, ZarrVersion};

/// The id registered with HDF5.
pub const ID: u32 = 32015;

/// The Zstandard codec.
#[derive(Debug, Clone, Copy)]
pub struct Zstd;

/// The level without a parameter.
const DEFAULT_LEVEL: i32 = 3;

/// Maximum expansion of zstd, in output bytes per input byte: 128 KiB for a run-length block of four bytes.
pub(crate) const EXPANSION: usize = 32 << 10;

/// First guess at the size of a frame without a content length, as a multiple of the input's size.
const GUESS: usize = 8;

thread_local! {
    static COMPRESSOR: RefCell<Option<((i32, bool), Compressor<'static>)>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// The level in stored parameters. The plugin reads only the first.
pub(crate) fn level(parameters: &[u32]) -> i32 {
    // The plugin casts the parameter to a signed number. zstd itself takes 0 as its default.
    let level = match parameters.first().map_or(0, |level| *level as i32) {
        0 => DEFAULT_LEVEL,
        level => level,
    };
    let levels = compression_level_range();
    level.clamp(*levels.start(), *levels.end())
}

impl Codec for Zstd {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            hdf5_id: Some(ID),
            // numcodecs and Zarr's own codec make one frame with a content length.
            zarr2: Some("zstd"),
            zarr3: Some("zstd"),
            parameters_help: "level, -131072 to 22",
            members: const {
                &[
                    Member::new("level", "-131072 to 22"),
                    Member::new("checksum", "true or false; only Zarr has true"),
                ]
            },
            zarr3_aliases: &["numcodecs.zstd"],
            in_netcdf_c: true,
            known_to: &Program::ALL,
            stored_parameters: Some(self),
            zarr_form: Some(self),
            canonical_parameters: Some(|stored| Cow::Owned(vec![level(stored) as u32])),
            same_configuration: Some(same_configuration),
            is_odd_spelling: Some(says_no_checksum),
            equivalent: Some(equivalent),
            serves: Some(serves),
            self_describing: true,
            // The plugin fails without the content's length, and reads the first of several frames alone.
            hdf5_check: Some(is_one_frame_with_its_size),
            ..CodecFacts::named("zstd")
        }
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        let (level, checksum) = match spec.configuration().and_then(parse) {
            Some((parsed, checksum)) => (level(&[parsed as u32]), checksum),
            None => (level(&stored_parameters(self, spec, chunk)?), false),
        };
        Ok(Box::new(Bound { level, checksum }))
    }
}

/// HDF5 has no parameter for frames with a checksum, and its plugin verifies it.
fn equivalent(spec: &CodecSpec, names: CodecNames) -> Option<CodecSpec> {
    let (given, _) = parse(spec.configuration()?)?;
    (names == CodecNames::Hdf5)
        .then(|| CodecSpec::hdf5(ID, [level(&[given as u32]) as u32]).with_name(Zstd.facts().name))
}

/// A frame with a checksum, in HDF5.
fn serves(from: &CodecSpec, to: &CodecSpec) -> bool {
    let given = from.configuration().and_then(parse);
    to.hdf5_id().is_some() && given.is_some_and(|(given, _)| level(&[given as u32]) == level(to.parameters()))
}

fn same_configuration(a: &CodecSpec, b: &CodecSpec) -> bool {
    let parsed = |spec: &CodecSpec| {
        let (parsed, checksum) = parse(spec.configuration()?)?;
        Some((level(&[parsed as u32]), checksum))
    };
    parsed(a).is_some() && parsed(a) == parsed(b)
}

impl StoredParameters for Zstd {
    /// A level is stored in any case: netCDF-C's plugin decodes nothing without.
    fn working_parameters(&self, visible: &[u32], _: &ChunkType) -> Outcome<Vec<u32>> {
        match visible {
            [] => Ok(vec![DEFAULT_LEVEL as u32]),
            [level] if compression_level_range().contains(&(*level as i32)) => Ok(visible.to_vec()),
            [level] => {
                let levels = compression_level_range();
                let (least, most) = (levels.start(), levels.end());
                Err(format!(
                    "takes a level from {least} to {most}, not {}",
                    *level as i32
                ))
            }
            _ => Err("takes one parameter: the level (3 where none is given)".to_owned()),
        }
    }

    /// Keeps only the first parameter. netCDF-C's plugin, unlike the registered one, refuses to decode with more.
    fn adapted_parameters(&self, stored: &[u32], _: &ChunkType) -> Outcome<Vec<u32>> {
        Ok(stored.iter().take(1).copied().collect())
    }
}

impl ZarrForm for Zstd {
    /// `{"level": number, "checksum": false}`, in version 2 `{"level": number}`. HDF5 has no parameters for a frame with a checksum.
    fn parameters(&self, _: ZarrVersion, configuration: &Configuration, _: &ChunkType) -> Option<Vec<u32>> {
        match parse(configuration)? {
            (level, false) => Some(vec![level as u32]),
            (_, true) => None,
        }
    }

    fn configuration(
        &self,
        version: ZarrVersion,
        parameters: &[u32],
        _: &ChunkType,
    ) -> Option<Configuration> {
        let mut configuration = Configuration::from_iter([("level".to_owned(), level(parameters).into())]);
        if version == ZarrVersion::V3 {
            configuration.insert("checksum".to_owned(), false.into());
        }
        Some(configuration)
    }
}

/// True if a configuration of version 2 says that there is no checksum, as numcodecs writes it. tensorstore refuses the member in
/// version 2, where `false` is the default of all others.
fn says_no_checksum(version: ZarrVersion, configuration: &Configuration) -> bool {
    version == ZarrVersion::V2
        && configuration.get("checksum").and_then(|value| value.as_bool()) == Some(false)
}

/// The level of a Zarr configuration, and true if frames have a checksum; `None` if it is not understood. Members that are
/// absent have the defaults of numcodecs.
fn parse(configuration: &Configuration) -> Option<(i32, bool)> {
    let (mut level, mut checksum) = (0, false);
    for (member, value) in configuration {
        match member.as_str() {
            "level" => level = i32::try_from(integer(value)?).ok()?,
            "checksum" => checksum = value.as_bool()?,
            _ => return None,
        }
    }
    Some((level, checksum))
}

/// True if a stream is one frame that states the length of its content.
fn is_one_frame_with_its_size(stream: &[u8]) -> bool {
    matches!(zstd_safe::get_frame_content_size(stream), Ok(Some(_)))
        && zstd_safe::find_frame_compressed_size(stream) == Ok(stream.len())
}

/// Zstandard with its level.
struct Bound {
    level: i32,
    /// True if frames end with a checksum of their content.
    checksum: bool,
}

/// Compresses `input` to one frame at the beginning of `out`, which has room for [`zstd_safe::compress_bound`] bytes.
/// Returns the frame's length.
pub(crate) fn compress(
    level: i32,
    checksum: bool,
    input: &[u8],
    out: &mut (impl WriteBuf + ?Sized),
) -> Outcome<usize> {
    COMPRESSOR.with_borrow_mut(|slot| {
        let compressor = match slot {
            Some((of, compressor)) if *of == (level, checksum) => compressor,
            _ => {
                let mut new = Compressor::new(level).map_err(|error| error.to_string())?;
                new.include_checksum(checksum)
                    .map_err(|error| error.to_string())?;
                &mut slot.insert(((level, checksum), new)).1
            }
        };
        compressor
            .compress_to_buffer(input, out)
            .map_err(|error| error.to_string())
    })
}

/// Decodes frames into the capacity of `out`. Returns the number of bytes.
pub(crate) fn decompress(input: &[u8], out: &mut (impl WriteBuf + ?Sized)) -> Outcome<usize> {
    DECOMPRESSOR.with_borrow_mut(|slot| {
        let decompressor = match slot {
            Some(decompressor) => decompressor,
            None => slot.insert(Decompressor::new().map_err(|error| error.to_string())?),
        };
        decompressor
            .decompress_to_buffer(input, out)
            .map_err(|error| format!("damaged zstd frame: {error}"))
    })
}

/// Encodes bytes to one frame that states their length.
pub fn encode_plain(level: i32, input: &[u8], out: &mut Vec<u8>) -> Outcome {
    out.clear();
    out.reserve(zstd_safe::compress_bound(input.len()));
    compress(level, false, input, out).map(drop)
}

/// Decodes frames of at most `limit` bytes of content.
pub fn decode_plain(input: &[u8], limit: usize, out: &mut Vec<u8>) -> Outcome {
    let bound = Bound {
        level: DEFAULT_LEVEL,
        checksum: false,
    };
    bound.decode(input, ChunkShape::Full, limit, out)
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        out.clear();
        out.reserve(zstd_safe::compress_bound(input.len()));
        compress(self.level, self.checksum, input, out).map(drop)
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        let expected = limit;
        let limit = limit.min(input.len().saturating_mul(EXPANSION));
        let too_long = || format!("more than the {expected} bytes expected");
        let content = zstd_safe::get_frame_content_size(input)
            .map_err(|_| "the input is not a zstd frame".to_owned())?;
        out.clear();
        if let Some(size) = content {
            let size = usize::try_from(size)
                .ok()
                .filter(|size| *size <= limit)
                .ok_or_else(too_long)?;
            if zstd_safe::find_frame_compressed_size(input) == Ok(input.len()) {
                out.reserve(size);
                decompress(input, out)?;
                return if out.len() <= limit {
                    Ok(())
                } else {
                    Err(too_long())
                };
            }
        }
        // The size is not known, or more frames follow the first. Try with more and more room, up to one byte above the limit to detect what is too
        // long.
        let most = limit.saturating_add(1);
        let mut room = most.min(input.len().saturating_mul(GUESS).max(out.capacity()));
        loop {
            out.reserve(room);
            match decompress(input, out) {
                Ok(_) if out.len() > limit => return Err(too_long()),
                Ok(_) => return Ok(()),
                Err(error) if room >= most => return Err(error),
                Err(_) => room = most.min(room.saturating_mul(4)),
            }
            out.clear();
        }
    }

    fn test_encoded<'a>(&self, input: &'a [u8], content: ContentLength) -> Outcome<EncodedTest<'a>> {
        let damaged = || "the input is not a zstd frame".to_owned();
        let (mut rest, mut sum) = (input, Some(0u64));
        loop {
            let length = zstd_safe::find_frame_compressed_size(rest).map_err(|_| damaged())?;
            let stated = zstd_safe::get_frame_content_size(rest).map_err(|_| damaged())?;
            sum = sum.zip(stated).and_then(|(sum, stated)| sum.checked_add(stated));
            rest = rest.get(length..).filter(|_| length > 0).ok_or_else(damaged)?;
            if rest.is_empty() {
                break;
            }
        }
        if let Some(sum) = sum {
            content.check(sum)?;
        }
        check_zeros(input)?;
        Ok(EncodedTest::Structure)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        generous_bound(input_len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_codec::{decoded, encoded};
    use proptest::prelude::*;
    use std::io::Write;

    #[test]
    fn frames_carry_their_size() {
        let out = encoded(&Zstd, &[3], &[5; 1000]).unwrap();
        assert_eq!(zstd_safe::get_frame_content_size(&out).unwrap(), Some(1000));
    }

    #[test]
    fn frame_of_numcodecs() {
        // `Zstd(3).encode(b"hello hello hello")`
        let stored = [
            0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x11, 0x65, 0x00, 0x00, 0x30, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x20,
            0x01, 0x00, 0x31, 0x4a, 0x11,
        ];
        assert_eq!(decoded(&Zstd, &[3], &stored, 17).unwrap(), b"hello hello hello");
    }

    #[test]
    fn frames_with_a_checksum() {
        let chunk = ChunkType::of_bytes(1000);
        for (checksum, sum) in [(false, 0), (true, 4)] {
            let configuration = Configuration::from_iter([
                ("level".to_owned(), 3.into()),
                ("checksum".to_owned(), checksum.into()),
            ]);
            let spec = CodecSpec::zarr(ZarrVersion::V3, "zstd", configuration);
            let codec = Zstd.bind(&spec, &chunk).unwrap();
            let mut stored = Vec::new();
            codec.encode(&[5; 1000], ChunkShape::Full, &mut stored).unwrap();
            let plain = encoded(&Zstd, &[3], &[5; 1000]).unwrap();
            assert_eq!(stored.len(), plain.len() + sum);
            assert_eq!(decoded(&Zstd, &[3], &stored, 1000).unwrap(), [5; 1000]);
        }
        let registry = crate::Registry::builtin();
        for (checksum, is_kept) in [(false, false), (true, true)] {
            let configuration = Configuration::from_iter([
                ("level".to_owned(), 3.into()),
                ("checksum".to_owned(), checksum.into()),
            ]);
            let spec = CodecSpec::zarr(ZarrVersion::V2, "zstd", configuration);
            let written = registry.in_zarr(&spec, ZarrVersion::V2, &chunk).unwrap();
            let members = written.configuration().unwrap();
            assert_eq!(members.contains_key("checksum"), is_kept);
            assert!(registry.same_stream(&spec, &written, &chunk));
        }
        let odd = Configuration::from_iter([("levels".to_owned(), 3.into())]);
        let spec = CodecSpec::zarr(ZarrVersion::V3, "zstd", odd);
        assert!(Zstd.bind(&spec, &chunk).is_err());
    }

    #[test]
    fn frames_without_size() {
        let data: Vec<u8> = (0..300_000u32).flat_map(|i| (i / 7).to_le_bytes()).collect();
        for data in [&data[..], &[0; 500_000], b"x"] {
            let mut encoder = ::zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
            encoder.write_all(data).unwrap();
            let frame = encoder.finish().unwrap();
            assert_eq!(zstd_safe::get_frame_content_size(&frame).unwrap(), None);
            assert_eq!(decoded(&Zstd, &[], &frame, data.len()).unwrap(), data);
            assert!(decoded(&Zstd, &[], &frame, data.len() - 1).is_err());
        }
    }

    #[test]
    fn several_frames() {
        let data: Vec<u8> = (0..300_000u32).flat_map(|i| (i / 7).to_le_bytes()).collect();
        let (first, second) = data.split_at(1000);
        let frames = [first, second]
            .map(|part| encoded(&Zstd, &[3], part).unwrap())
            .concat();
        assert_eq!(decoded(&Zstd, &[3], &frames, data.len()).unwrap(), data);
        assert!(decoded(&Zstd, &[3], &frames, data.len() - 1).is_err());
        assert!(decoded(&Zstd, &[3], &frames[..frames.len() - 1], data.len()).is_err());
    }

    #[test]
    fn negative_levels_and_levels_out_of_range() {
        for level in [-5i32 as u32, i32::MIN as u32, 22, 1000] {
            let stored = encoded(&Zstd, &[level], b"hello hello hello").unwrap();
            assert_eq!(
                decoded(&Zstd, &[level], &stored, 17).unwrap(),
                b"hello hello hello"
            );
        }
    }

    #[test]
    fn further_parameters_are_ignored() {
        let chunk = ChunkType::of_bytes(5);
        assert_eq!(
            encoded(&Zstd, &[3, 0], b"hello").unwrap(),
            encoded(&Zstd, &[3], b"hello").unwrap()
        );
        assert_eq!(Zstd.adapted_parameters(&[3, 0], &chunk).unwrap(), [3]);
        assert!(Zstd.working_parameters(&[3, 0], &chunk).is_err());
        let zstd: &dyn Codec = &Zstd;
        assert_eq!(zstd.canonical_parameters(&[]), zstd.canonical_parameters(&[3, 0]));
    }

    #[test]
    fn a_false_size_makes_no_large_buffer() {
        let frame = encoded(&Zstd, &[3], &[5; 100_000]).unwrap();
        assert!(decoded(&Zstd, &[3], &frame, 99_999).is_err());
        let mut out = Vec::new();
        let codec = Bound {
            level: 3,
            checksum: false,
        };
        assert!(
            codec
                .decode(&frame[..8], ChunkShape::Full, usize::MAX, &mut out)
                .is_err()
        );
        assert!(out.capacity() < 1_000_000);
    }

    proptest! {
        #[test]
        fn round_trip(data in proptest::collection::vec(0u8..50, 0..3000), level in -5i32..9) {
            let stored = encoded(&Zstd, &[level as u32], &data).unwrap();
            prop_assert_eq!(decoded(&Zstd, &[], &stored, data.len()).unwrap(), data);
        }

        #[test]
        fn garbage_is_an_error_or_small(data in proptest::collection::vec(any::<u8>(), 0..300), header in any::<u8>()) {
            let framed = [&[0x28, 0xb5, 0x2f, 0xfd, header][..], &data].concat();
            for input in [&data, &framed] {
                if let Ok(out) = decoded(&Zstd, &[], input, 1000) {
                    prop_assert!(out.len() <= 1000);
                }
            }
        }
    }
}
