//! Runs a filter pipeline over a raw file, for comparison with other programs and for measuring.
//!
//! ```text
//! filter_tool encode PIPELINE IN OUT [CHUNK_SIZE]     writes the stored bytes of one chunk; prints the filter mask
//! filter_tool decode PIPELINE IN OUT CHUNK_SIZE [MASK]
//! filter_tool speed  PIPELINE IN [CHUNK_SIZE]         encodes and decodes IN in chunks again and again: MB/s
//! ```
//!
//! PIPELINE holds stored parameters, as ncdump's `_Filter` shows them: `2,4|1,5`. Or it is a list of codecs as in the metadata of
//! version 2 of Zarr: `[{"id": "gzip", "level": 5}]`. A chunk is then bytes, unless a type is given before the list: `<f4[…]`
//! and `>f8[…]` are floats.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use ncutils_core::filter::{
    AskedCodec, ChunkShape, ChunkType, NumberClass, Registry, Scratch, spec::filter_argument,
};
use ncutils_core::format::EncodedChunk;
use ncutils_core::model::{CodecSpec, Configuration, Endian, ZarrVersion};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |number: usize| {
        arguments
            .get(number)
            .map(String::as_str)
            .context("an argument is missing")
    };
    let (ty, filters) = pipeline(argument(1)?)?;
    let input = std::fs::read(argument(2)?)?;
    let mut scratch = Scratch::new();
    let bind = |chunk_size: usize| {
        let chunk = match ty {
            None => ChunkType::of_bytes(chunk_size),
            Some((size, endian)) => {
                ChunkType::of_numbers(NumberClass::Float, size, endian, &[(chunk_size / size) as u64])
            }
        };
        Registry::builtin().bind(&filters, &chunk)
    };
    match argument(0)? {
        "encode" => {
            let chunk = bind(input.len())?.encode(&input, ChunkShape::Full, &mut scratch)?;
            std::fs::write(argument(3)?, &chunk.bytes)?;
            println!("{}", chunk.filter_mask);
        }
        "decode" => {
            let chunk = EncodedChunk {
                bytes: input,
                filter_mask: arguments.get(5).map_or(Ok(0), |mask| mask.parse())?,
            };
            let bytes = bind(argument(4)?.parse()?)?.decode(chunk, ChunkShape::Full, &mut scratch)?;
            std::fs::write(argument(3)?, bytes)?;
        }
        "speed" => {
            let chunk_size = arguments.get(3).map_or(Ok(input.len()), |size| size.parse())?;
            let pipeline = bind(chunk_size)?;
            let shape = |bytes: &[u8]| [bytes.len() as u64];
            let mut chunks = Vec::new();
            let encode = rate(input.len(), || {
                chunks.clear();
                for chunk in input.chunks(chunk_size) {
                    chunks.push(pipeline.encode(chunk, ChunkShape::Clipped(&shape(chunk)), &mut scratch)?);
                }
                Ok(())
            })?;
            let mut out = Vec::new();
            let decode = rate(input.len(), || {
                for (chunk, plain) in chunks.iter().zip(input.chunks(chunk_size)) {
                    let (bytes, mask) = (&chunk.bytes, chunk.filter_mask);
                    let shape = shape(plain);
                    pipeline.decode_into(bytes, mask, ChunkShape::Clipped(&shape), &mut scratch, &mut out)?;
                }
                Ok(())
            })?;
            let stored: usize = chunks.iter().map(|chunk| chunk.bytes.len()).sum();
            let percent = 100.0 * stored as f64 / input.len() as f64;
            println!(
                "encode {encode:.0} MB/s, decode {decode:.0} MB/s, {percent:.2} % of {}",
                input.len()
            );
        }
        other => bail!("{other} is none of encode, decode, speed"),
    }
    Ok(())
}

/// The type of floats and the codecs that an argument says.
fn pipeline(text: &str) -> Result<(Option<(usize, Endian)>, Vec<CodecSpec>)> {
    let Some(at) = text.find('[') else {
        let filters = filter_argument::parse_filters(text)?;
        let specs = filters.iter().filter_map(AskedCodec::stored);
        let specs = specs.map(|spec| spec.clone().with_optional(spec.hdf5_id() != Some(3)));
        return Ok((None, specs.collect()));
    };
    let ty = match &text[..at] {
        "" => None,
        "<f4" => Some((4, Endian::Little)),
        ">f4" => Some((4, Endian::Big)),
        "<f8" => Some((8, Endian::Little)),
        ">f8" => Some((8, Endian::Big)),
        other => bail!("no type {other}"),
    };
    let codecs: Vec<Configuration> = serde_json::from_str(&text[at..])?;
    let spec = |mut codec: Configuration| {
        let id = codec.remove("id").context("a codec without id")?;
        let id = id.as_str().context("an id that is no text")?;
        Ok(CodecSpec::zarr(ZarrVersion::V2, id, codec))
    };
    Ok((ty, codecs.into_iter().map(spec).collect::<Result<_>>()?))
}

/// Time that this thread has spent computing, so that a busy machine does not spoil the result; where the system does not
/// say, time that has passed.
fn computing_time(start: Instant) -> Duration {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = spent.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// Megabytes a second, over runs that take a second together, of `bytes` bytes each.
fn rate(bytes: usize, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    let begin = Instant::now();
    let start = computing_time(begin);
    let mut runs = 0;
    while begin.elapsed() < Duration::from_secs(1) {
        run()?;
        runs += 1;
    }
    let spent = computing_time(begin).saturating_sub(start);
    Ok((runs * bytes) as f64 / 1e6 / spent.as_secs_f64())
}
