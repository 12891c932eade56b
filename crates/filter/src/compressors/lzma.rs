//! LZMA, a codec of Zarr: what Python's module `lzma` makes.
//!
//! | member | meaning | default |
//! | --- | --- | --- |
//! | `format` | 1: .xz; 2: .lzma; 3: a raw stream, which needs `filters` | 1 |
//! | `check` | checksum of .xz: 0 none, 1 CRC-32, 4 CRC-64, 10 SHA-256; −1: the format's own | −1 |
//! | `preset` | 0 to 9, plus 2^31 for the extreme variant | 6 |
//! | `filters` | a chain of filters, in place of a preset; each has `id` and options | none |
//!
//! Filters are LZMA2 (33), LZMA1 (2^62 + 1), delta (3), and those of machine code (4 to 9).
//!
//! numcodecs, `LZMA`; the .xz file format 1.2.1; Python's documentation of `lzma`.

use liblzma::stream::{
    Action, CONCATENATED, Check, Filters, LzmaOptions, MatchFinder, Mode, PRESET_DEFAULT, PRESET_EXTREME,
    Status, Stream,
};
use serde_json::Value;

use crate::codec::codec::generous_bound;
use crate::codec::encoded_test::{ContentLength, EncodedTest};
use crate::codec::facts::CodecFacts;
use crate::zarr_only::zarr_configuration::{configuration, integer, member, numcodecs_facts, same};
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, Outcome};
use ncutils_model::{CodecSpec, Configuration};

/// The LZMA codec.
#[derive(Debug, Clone, Copy)]
pub struct Lzma;

/// Most memory that a decoder may take, in bytes. Preset 9 takes 65 MiB.
const MEMORY: u64 = 128 << 20;

/// Largest dictionary of a chain of filters, in bytes: that of preset 9.
const MAX_DICTIONARY: i64 = 64 << 20;

/// Bytes by which an output buffer grows at least.
const STEP: usize = 64 << 10;

/// The id of LZMA1.
const LZMA1: i64 = 0x4000_0000_0000_0001;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Xz,
    Alone,
    Raw,
}

/// The configuration of a spec.
#[derive(Debug, Clone, PartialEq)]
struct Bound {
    format: Format,
    check: i64,
    preset: u32,
    filters: Option<Vec<Configuration>>,
}

impl Bound {
    fn parse(spec: &CodecSpec) -> Outcome<Self> {
        let (_, configuration) = configuration(spec, &["format", "check", "preset", "filters"])?;
        let format = match integer(configuration, "format", 1..=3, Some(1))? {
            1 => Format::Xz,
            2 => Format::Alone,
            _ => Format::Raw,
        };
        let filters = member(configuration, "filters")
            .map(|value| {
                let filters = value.as_array().filter(|list| (1..=4).contains(&list.len()));
                let filters =
                    filters.and_then(|list| list.iter().map(|one| one.as_object().cloned()).collect());
                filters.ok_or_else(|| format!("its member filters is {value}"))
            })
            .transpose()?;
        let preset = preset(configuration)?;
        match (&filters, preset, format) {
            (Some(_), Some(_), _) => Err("it has a preset and filters".to_owned()),
            (None, _, Format::Raw) => Err("it has a raw format without filters".to_owned()),
            _ => Ok(Self {
                format,
                check: integer(configuration, "check", -1..=15, Some(-1))?,
                preset: preset.unwrap_or(PRESET_DEFAULT),
                filters,
            }),
        }
    }

    fn encoder(&self) -> Outcome<Stream> {
        let check = match self.check {
            -1 | 4 => Check::Crc64,
            0 => Check::None,
            1 => Check::Crc32,
            10 => Check::Sha256,
            check => return Err(format!("no check {check}")),
        };
        let stream = match (self.format, &self.filters) {
            (Format::Xz, None) => Stream::new_easy_encoder(self.preset, check),
            (Format::Xz, Some(filters)) => Stream::new_stream_encoder(&chain(filters)?, check),
            (Format::Alone, None) => {
                let options = LzmaOptions::new_preset(self.preset).map_err(|error| error.to_string())?;
                Stream::new_lzma_encoder(&options)
            }
            (Format::Alone, Some(filters)) => match &filters[..] {
                [one] if one.get("id").and_then(Value::as_i64) == Some(LZMA1) => {
                    Stream::new_lzma_encoder(&options(one)?)
                }
                _ => return Err("the .lzma format takes the filter LZMA1 alone".to_owned()),
            },
            (Format::Raw, filters) => {
                Stream::new_raw_encoder(&chain(filters.as_deref().unwrap_or_default())?)
            }
        };
        stream.map_err(|error| error.to_string())
    }

    fn decoder(&self) -> Outcome<Stream> {
        let stream = match self.format {
            Format::Xz => Stream::new_stream_decoder(MEMORY, CONCATENATED),
            Format::Alone => Stream::new_lzma_decoder(MEMORY),
            Format::Raw => Stream::new_raw_decoder(&chain(self.filters.as_deref().unwrap_or_default())?),
        };
        stream.map_err(|error| error.to_string())
    }
}

/// The preset of a configuration or of a filter.
fn preset(configuration: &Configuration) -> Outcome<Option<u32>> {
    let Some(value) = member(configuration, "preset") else {
        return Ok(None);
    };
    value
        .as_u64()
        .and_then(|preset| u32::try_from(preset).ok())
        .filter(|preset| preset & !PRESET_EXTREME <= 9)
        .map(Some)
        .ok_or_else(|| format!("its preset is {value}"))
}

/// The chain that a list of filters describes.
fn chain(filters: &[Configuration]) -> Outcome<Filters> {
    let mut chain = Filters::new();
    for filter in filters {
        match integer(filter, "id", 3..=LZMA1, None)? {
            33 => chain.lzma2(&options(filter)?),
            LZMA1 => chain.lzma1(&options(filter)?),
            3 => {
                let distance = integer(filter, "dist", 1..=256, Some(1))?;
                chain
                    .delta_properties(&[(distance - 1) as u8])
                    .map_err(|error| error.to_string())?
            }
            4 => chain.x86(),
            5 => chain.powerpc(),
            6 => chain.ia64(),
            7 => chain.arm(),
            8 => chain.arm_thumb(),
            9 => chain.sparc(),
            id => return Err(format!("no filter {id}")),
        };
    }
    Ok(chain)
}

/// The options of an LZMA filter.
fn options(filter: &Configuration) -> Outcome<LzmaOptions> {
    let start = preset(filter)?.unwrap_or(PRESET_DEFAULT);
    let mut options = LzmaOptions::new_preset(start).map_err(|error| error.to_string())?;
    for (name, value) in filter {
        let number = |range| integer(filter, name, range, None).map(|number| number as u32);
        match name.as_str() {
            _ if value.is_null() => &mut options,
            "id" | "preset" => &mut options,
            "dict_size" => options.dict_size(number(4096..=MAX_DICTIONARY)?),
            "lc" => options.literal_context_bits(number(0..=4)?),
            "lp" => options.literal_position_bits(number(0..=4)?),
            "pb" => options.position_bits(number(0..=4)?),
            "nice_len" => options.nice_len(number(2..=273)?),
            "depth" => options.depth(number(0..=i64::from(u32::MAX))?),
            "mode" => options.mode(match number(1..=2)? {
                1 => Mode::Fast,
                _ => Mode::Normal,
            }),
            "mf" => options.match_finder(match number(3..=20)? {
                3 => MatchFinder::HashChain3,
                4 => MatchFinder::HashChain4,
                18 => MatchFinder::BinaryTree2,
                19 => MatchFinder::BinaryTree3,
                20 => MatchFinder::BinaryTree4,
                other => return Err(format!("no match finder {other}")),
            }),
            _ => return Err(format!("an option {name}")),
        };
    }
    Ok(options)
}

impl Codec for Lzma {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            parameters_help: "format, check, preset, filters",
            same_configuration: Some(|a, b| same(Bound::parse(a), Bound::parse(b))),
            ..numcodecs_facts!("lzma")
        }
    }

    fn bind(&self, spec: &CodecSpec, _: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        Ok(Box::new(Bound::parse(spec)?))
    }
}

/// Passes `input` through a stream, to at most `limit` bytes of output.
fn run(mut stream: Stream, input: &[u8], limit: usize, out: &mut Vec<u8>) -> Outcome {
    out.clear();
    out.reserve(limit.min(input.len().max(STEP)));
    let mut rest = input;
    loop {
        let (before_in, before_out) = (stream.total_in(), out.len());
        let status = stream
            .process_vec(rest, out, Action::Finish)
            .map_err(|error| format!("LZMA: {error}"))?;
        if out.len() > limit {
            return Err(format!("more than the {limit} bytes expected"));
        }
        let taken = usize::try_from(stream.total_in() - before_in).unwrap_or(usize::MAX);
        rest = rest.get(taken..).unwrap_or_default();
        match status {
            Status::StreamEnd => return Ok(()),
            _ if out.len() == out.capacity() => {
                // One byte above the limit distinguishes a stream that is too long from one that just fits.
                let room = limit.saturating_add(1).saturating_sub(out.len());
                out.reserve_exact(room.min(out.len().max(STEP)));
            }
            _ if taken == 0 && out.len() == before_out => {
                return Err("the LZMA stream ends too early".to_owned());
            }
            _ => {}
        }
    }
}

/// True if a .xz stream begins with its header and ends with its footer, whose checksums fit. `None` if not.
///
/// The .xz file format, 2.1.1 and 2.1.2.
fn check_xz(stream: &[u8]) -> Option<()> {
    let (header, rest) = stream.split_first_chunk::<12>()?;
    let footer = rest.last_chunk::<12>()?;
    let is_sum = |sum: &[u8], of: &[u8]| sum == libdeflater::crc32(of).to_le_bytes();
    let begins = header.starts_with(b"\xfd7zXZ\0") && is_sum(&header[8..], &header[6..8]);
    let ends = footer.ends_with(b"YZ") && is_sum(&footer[..4], &footer[4..10]);
    (begins && ends && header[6..8] == footer[8..10]).then_some(())
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        run(self.encoder()?, input, usize::MAX, out)
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        run(self.decoder()?, input, limit, out)
    }

    fn test_encoded<'a>(&self, input: &'a [u8], _: ContentLength) -> Outcome<EncodedTest<'a>> {
        match self.format {
            Format::Xz => {
                check_xz(input).ok_or("its beginning or end is not that of a .xz stream")?;
                Ok(EncodedTest::Structure)
            }
            Format::Alone | Format::Raw => Ok(EncodedTest::Nothing),
        }
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        generous_bound(input_len)
    }
}
