//! Deflate, HDF5 filter 1: a zlib stream (RFC 1950).
//!
//! Parameters: zlib's level, 0 to 9. The level only affects the encoder's effort, not the format of the stream. So the
//! user's level is stored, and libdeflate's level follows from [`LEVELS`].
//!
//! As in libhdf5, a stream longer than the chunk is stored all the same.
//!
//! Planes of a shuffled chunk that are only noise go into stored blocks, which any decoder reads (`noise.rs`):
//!
//! ```text
//! │ 78 9c │ stored blocks │ blocks of libdeflate or zlib-rs │ stored blocks │ Adler-32 │
//! ```
//!
//! The planes of a small chunk whose first plane misleads libdeflate are compressed one by one, and their blocks joined.
//!
//! HDF5 file format specification, IV.A.2.l, filter 1.

use std::cell::RefCell;

use flate2::{Compress, FlushCompress, Status};
use libdeflater::{DecompressionError, Decompressor, adler32};

use crate::codec::codec::{generous_bound, stored_parameters};
use crate::codec::encoded_test::{ContentLength, EncodedTest, PAGE};
use crate::codec::facts::CodecFacts;
use crate::codec::netcdf_c_spelling::only;
use crate::codec::program::Program;
use crate::codec::room::room;
use crate::deflate::deflate_blocks::{append, store};
use crate::deflate::deflate_by_planes;
use crate::deflate::deflate_check::{EXPANSION, check_adler, check_stream};
use crate::deflate::deflate_wrapper::ZLIB_HEADER;
use crate::deflate::libdeflate::libdeflate;
use crate::deflate::noise::Planes;
use crate::{
    BoundCodec, ChunkShape, ChunkType, Codec, DeflateWrapper, Member, Outcome, StoredParameters, ZarrForm,
};
use ncutils_model::{CodecSpec, Configuration, ZarrVersion};

/// The id registered with HDF5.
pub const ID: u32 = 1;

/// The deflate codec.
#[derive(Debug, Clone, Copy)]
pub struct Deflate;

/// The libdeflate level for each zlib level.
///
/// Measured on 15 fields (float32 smooth, turbulent, masked, mostly zero, rounded to 12 bits, noise; float64; packed
/// int16; times; class numbers; text) cut to 16 KiB, 64 KiB, 256 KiB and 1 MiB, shuffled; libdeflate 1.26 against
/// zlib 1.3. Mean size against zlib's, and the libdeflate level's time for all of it (level 1: 157 ms):
///
/// | zlib level | libdeflate level | size | time |
/// | --- | --- | --- | --- |
/// | 0 | 0 | = | 13 ms |
/// | 1 | 3 | −5.9 % | 218 ms |
/// | 2 | 5 | −9.5 % | 243 ms |
/// | 3 | 5 | −8.2 % | 243 ms |
/// | 4 | 5 | −3.3 % | 243 ms |
/// | 5 | 5 | −2.1 % | 243 ms |
/// | 6 | 7 | −1.2 % | 335 ms |
/// | 7 | 7 | −0.9 % | 335 ms |
///
/// Levels 8 and 9 were measured on 20 arrays (fields as above; steps, saws, patterns, random walks), cut to the same
/// lengths, shuffled and not, against zlib 1.2.13:
///
/// | zlib level | libdeflate level | mean size | largest | zlib's time / libdeflate's |
/// | --- | --- | --- | --- | --- |
/// | 8 | 9 | −0.7 % | +3 % | 3.5 |
/// | 9 | 9 | −0.3 % | +5 % | 6.5 |
/// | 9 | 10 | −2.0 % | +15 % | 2.6; on shuffled fields of full precision 0.7 |
///
/// Level 6 would be half a percent smaller than 5, and take a fifth more time. Level 4 takes a tenth less time, but
/// lacks a lazy search. On 420 structured arrays (ramps, saws, waves, steps, patterns, random walks; shuffled and not),
/// level 4 is more than 2 % larger than zlib 4 on 53, level 5 on 34, level 6 on 35. Level 10 is slower than zlib 9 on
/// the fields that are copied most, so no level has it. See also `MISLED_LEVELS`.
pub const LEVELS: [i32; 10] = [0, 3, 5, 5, 5, 5, 7, 7, 9, 9];

/// The libdeflate level for the rest of a chunk whose planes of noise are stored, where `LEVELS` has `LAZY`.
///
/// Measured on 100 fields of 361 x 720 numbers with noise in the last 15 of 32 bits and 40 of 64: the copy takes 6 % and
/// 11 % less time than with the lazy search of level 5, and the file is 0.2 % and 0.3 % larger.
const BESIDE_NOISE: i32 = 4;

/// The lowest libdeflate level that searches lazily.
const LAZY: i32 = 5;

/// Maximum length, in bytes, of an input whose beginning is checked by [`encoder`].
const SMALL: usize = 128 << 10;

/// Maximum length, in bytes, of an input for the near-optimal level. That level takes four times zlib's time. But if
/// the input begins with equal bytes, only it is never larger than zlib.
const TINY: usize = 16 << 10;

/// The zlib-rs level for each zlib level, for inputs that mislead libdeflate and are not planes of a shuffled chunk.
///
/// Measured on 60 shuffled fields of numbers rounded to 7 to 12 bits of mantissa and on packed time series, in 16 to
/// 128 KiB: on average 1 to 12 % smaller than zlib at levels up to 5, equal at 6 and 7, and as fast or faster. libdeflate at
/// level 6 is up to 25 % larger on these, and at its near-optimal level takes four times zlib's time. At levels 8 and 9,
/// it is up to 18 % larger than zlib, and zlib-rs at level 9 is smaller.
const MISLED_LEVELS: [u32; 10] = [0, 4, 7, 7, 7, 7, 7, 8, 9, 9];

/// The first libdeflate level that searches matches without guessing their minimum length.
const NEAR_OPTIMAL: i32 = 10;

thread_local! {
    static MISLED: RefCell<[Option<Compress>; 10]> = const { RefCell::new([const { None }; 10]) };
    static DECOMPRESSOR: RefCell<Option<Decompressor>> = const { RefCell::new(None) };
}

/// Number of different bytes.
fn variety(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    for byte in bytes {
        seen[usize::from(*byte)] = true;
    }
    seen.iter().filter(|seen| **seen).count()
}

/// True if there are more than `most` different bytes.
fn is_more_various(bytes: &[u8], most: usize) -> bool {
    /// Bytes after which to count again.
    const STEP: usize = 1024;
    let mut seen = [false; 256];
    bytes.chunks(STEP).any(|part| {
        for byte in part {
            seen[usize::from(*byte)] = true;
        }
        seen.iter().filter(|seen| **seen).count() > most
    })
}

/// The encoder for an input, and its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoder {
    Libdeflate(i32),
    /// libdeflate for each plane by itself, of this many bytes.
    ByPlanes(i32, usize),
    ZlibRs(u32),
}

/// Selects the encoder for `input` at a zlib level.
///
/// libdeflate's faster levels estimate the minimum useful match length from the number of different bytes in the first
/// 4 KiB. If these belong to a plane of few different bytes (numbers rounded, then shuffled), short matches are missed
/// in the whole first block. In a small input, that is most of it.
///
/// Such planes are compressed one by one, where `plane` gives their length in bytes. Measured on 168 shuffled arrays of
/// 16 to 128 KiB (rounded to 7 to 12 bits of mantissa: noise, random walks, waves, steps, mostly zero, masked), at level 4:
/// on average 9 % smaller than zlib 4, where zlib 6 is 7 % smaller and takes three times as long. Outputs of a few hundred
/// bytes are up to 90 bytes larger.
fn encoder(level: usize, input: &[u8], plane: Option<usize>, is_beside_noise: bool) -> Encoder {
    const GUESSED_FROM: usize = 4096;
    // With 46 different bytes, libdeflate searches for matches of 4 bytes in any case, and with 80 for matches of 3.
    const RICH: usize = 46;
    let usual = match LEVELS[level] {
        LAZY if is_beside_noise => Encoder::Libdeflate(BESIDE_NOISE),
        level => Encoder::Libdeflate(level),
    };
    if !(1..NEAR_OPTIMAL).contains(&LEVELS[level]) || !(GUESSED_FROM + 1..=SMALL).contains(&input.len()) {
        return usual;
    }
    let (beginning, rest) = input.split_at(GUESSED_FROM);
    match variety(beginning) {
        n if n >= RICH || !is_more_various(rest, 2 * n) => usual,
        1 if input.len() <= TINY => Encoder::Libdeflate(NEAR_OPTIMAL),
        n if let Some(plane) = plane
            && (GUESSED_FROM..input.len()).contains(&plane)
            && !is_more_various(&input[..plane], 2 * n) =>
        {
            Encoder::ByPlanes(LEVELS[level], plane)
        }
        _ => Encoder::ZlibRs(MISLED_LEVELS[level]),
    }
}

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

/// Puts a deflate stream of `input` into `out`, from byte `start` to the end. What is behind `start` is lost.
fn deflate(encoder: Encoder, input: &[u8], start: usize, out: &mut Vec<u8>) -> Outcome {
    match encoder {
        Encoder::Libdeflate(level) => libdeflate(level, input, start, out),
        Encoder::ByPlanes(level, plane) => deflate_by_planes::encode(level, plane, input, start, out),
        Encoder::ZlibRs(level) => MISLED.with_borrow_mut(|compressors| {
            // Stored blocks add five bytes per 16 KiB.
            out.resize(start + input.len() + input.len() / 1024 + 64, 0);
            let slot = compressors.get_mut(level as usize);
            let slot = slot.ok_or_else(|| format!("no level {level}"))?;
            let compressor =
                slot.get_or_insert_with(|| Compress::new(flate2::Compression::new(level), false));
            compressor.reset();
            let status = compressor
                .compress(input, &mut out[start..], FlushCompress::Finish)
                .map_err(|error| error.to_string())?;
            if status != Status::StreamEnd {
                return Err("an output larger than its bound".to_owned());
            }
            out.truncate(start + compressor.total_out() as usize);
            Ok(())
        }),
    }
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

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        let level = self.level.clone()?;
        let middle = match level {
            0 => 0..input.len(),
            _ => self.planes.worth_compressing(input),
        };
        let (front, back) = (&input[..middle.start], &input[middle.end..]);
        if middle.len() == input.len() {
            // Keeps the present bytes of `out`, which need not be zeroed again.
            room(out, ZLIB_HEADER.len() + generous_bound(input.len())).map_err(|error| error.to_string())?;
        } else {
            out.clear();
        }
        out.splice(..out.len().min(ZLIB_HEADER.len()), ZLIB_HEADER);
        let mut start = ZLIB_HEADER.len();
        let is_all_noise = middle.is_empty() && !front.is_empty();
        if !front.is_empty() {
            store(front, is_all_noise, out);
            start = out.len();
        }
        if !is_all_noise {
            let is_beside_noise = middle.len() < input.len();
            let middle = &input[middle];
            let encoder = encoder(level, middle, self.planes.length(input.len()), is_beside_noise);
            deflate(encoder, middle, start, out)?;
        }
        if !back.is_empty() {
            append(back, start, out).ok_or("a deflate stream that cannot be continued")?;
        }
        out.extend_from_slice(&adler32(input).to_be_bytes());
        Ok(())
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        let most = limit.min(input.len().saturating_mul(EXPANSION));
        out.resize(most, 0);
        let size = DECOMPRESSOR.with_borrow_mut(|decompressor| {
            let decompressor = decompressor.get_or_insert_with(Decompressor::new);
            decompressor
                .zlib_decompress(input, out)
                .map_err(|error| match error {
                    DecompressionError::BadData => "damaged zlib stream".to_owned(),
                    DecompressionError::InsufficientSpace => format!("more than the {limit} bytes expected"),
                })
        })?;
        out.truncate(size);
        Ok(())
    }

    fn decode_unverified(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        let stream = input.get(ZLIB_HEADER.len()..).ok_or("shorter than its header")?;
        out.resize(limit.min(input.len().saturating_mul(EXPANSION)), 0);
        let size = Decompressor::new().deflate_decompress(stream, out);
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
