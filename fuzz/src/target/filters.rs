//! Fuzzes the decoders of filters. An input is a line `PIPELINE CHUNK-SIZE`, as in `2,4|1,5 4096`, and the encoded
//! bytes. The pipeline may be a list of codecs as in the metadata of version 2 of Zarr, as in `[{"id":"crc32"}] 4096`.

use std::path::Path;

use ncutils_core::filter::{AskedCodec, ChunkShape, ChunkType, Registry, Scratch, spec::filter_argument};
use ncutils_core::model::{CodecSpec, Configuration, ZarrVersion};

use crate::{MAX_SEED_BYTES, Seed};

/// Maximum size of a decoded chunk, in bytes.
const MAX_CHUNK_BYTES: usize = 1 << 20;

/// Maximum length of the line before the encoded bytes.
const MAX_HEAD: usize = 200;

/// Decodes the bytes, encodes the result, and decodes that again.
pub fn decode(input: &[u8]) {
    let Some(end) = input.iter().take(MAX_HEAD).position(|byte| *byte == b'\n') else {
        return;
    };
    let (head, bytes) = (&input[..end], &input[end + 1..]);
    let Some((filters, chunk_size)) = std::str::from_utf8(head)
        .ok()
        .and_then(|head| head.rsplit_once(' '))
    else {
        return;
    };
    if filters.starts_with('[') {
        decode_zarr(filters, chunk_size, bytes);
        return;
    }
    let (Ok(filters), Ok(chunk_size)) = (
        filter_argument::parse_filters(filters),
        chunk_size.parse::<usize>(),
    ) else {
        return;
    };
    let filters: Vec<CodecSpec> = filters
        .iter()
        .filter_map(AskedCodec::stored)
        .map(|spec| spec.clone().with_optional(spec.hdf5_id() != Some(3)))
        .collect();
    let registry = Registry::builtin();
    let bind = |size| registry.bind(&filters, &ChunkType::of_bytes(size));
    let mut scratch = Scratch::new();
    let mut out = Vec::new();
    let Ok(pipeline) = bind(chunk_size.min(MAX_CHUNK_BYTES)) else {
        return;
    };
    let _ = pipeline.decode_into(bytes, 0, ChunkShape::Full, &mut scratch, &mut out);

    // Szip, n-bit and scale-offset keep only the number of bits or decimals in their parameters. Bytes that do not come
    // from them may have more. zfp loses what its parameters say.
    let narrow = |spec: &CodecSpec| match spec.hdf5_id() {
        Some(4) => !matches!(spec.parameters().get(2), Some(8 | 16 | 32 | 64)),
        Some(6) => !matches!(spec.parameters(), [2, 0, ..]),
        id => matches!(id, Some(5 | 32013)),
    };
    if filters.iter().any(narrow) {
        return;
    }
    let pipeline = bind(bytes.len()).expect("a pipeline that was bound before");
    if let Ok(chunk) = pipeline.encode(bytes, ChunkShape::Full, &mut scratch) {
        let decoded = pipeline
            .decode(chunk, ChunkShape::Full, &mut scratch)
            .expect("what was encoded decodes");
        assert!(decoded == bytes, "what was encoded decodes to itself");
    }
}

/// Decodes the bytes by codecs of Zarr. Some lose bits, so what they give back is not compared.
fn decode_zarr(codecs: &str, chunk_size: &str, bytes: &[u8]) {
    let (Ok(codecs), Ok(size)) = (
        serde_json::from_str::<Vec<Configuration>>(codecs),
        chunk_size.parse::<usize>(),
    ) else {
        return;
    };
    let spec = |mut codec: Configuration| {
        let id = codec.remove("id")?;
        Some(CodecSpec::zarr(ZarrVersion::V2, id.as_str()?, codec))
    };
    let Some(specs) = codecs.into_iter().map(spec).collect::<Option<Vec<_>>>() else {
        return;
    };
    let chunk = ChunkType::of_bytes(size.min(MAX_CHUNK_BYTES));
    let Ok(pipeline) = Registry::builtin().bind(&specs, &chunk) else {
        return;
    };
    let (mut scratch, mut out) = (Scratch::new(), Vec::new());
    if pipeline
        .decode_into(bytes, 0, ChunkShape::Full, &mut scratch, &mut out)
        .is_ok()
    {
        let _ = pipeline.encode(&out, ChunkShape::Full, &mut scratch);
    }
}

/// The chunks of `testdata/filters`, encoded by the C libraries, numcodecs and zarr-python.
pub fn seeds(root: &Path) -> Vec<Seed> {
    let folder = root.join("testdata/filters");
    let lines = |index| std::fs::read_to_string(folder.join(index)).unwrap_or_default();
    let mut seeds = Vec::new();
    for line in lines("index.txt").lines() {
        if let [name, raw, pipeline, ..] = line.split(' ').collect::<Vec<_>>()[..] {
            seeds.extend(seed(&folder, name, raw, pipeline));
        }
    }
    for line in lines("zfp.txt").lines() {
        if let Some((name, pipeline)) = line.split_once(' ') {
            seeds.extend(seed(&folder, name, &format!("{name}.raw"), pipeline));
        }
    }
    seeds.extend(zarr_seeds(&folder));
    seeds
}

/// A chunk, if it is not too large.
fn seed(folder: &Path, name: &str, raw: &str, pipeline: &str) -> Option<Seed> {
    let raw_size = std::fs::metadata(folder.join(raw)).map_or(0, |m| m.len());
    let encoded = std::fs::read(folder.join(format!("{name}.encoded"))).ok()?;
    let mut bytes = format!("{pipeline} {raw_size}\n").into_bytes();
    bytes.extend_from_slice(&encoded);
    let checked = Vec::new();
    (encoded.len() <= MAX_SEED_BYTES).then_some(Seed { bytes, checked })
}

/// The chunks of version 2 of Zarr.
fn zarr_seeds(folder: &Path) -> Vec<Seed> {
    let text = std::fs::read_to_string(folder.join("zarr.jsonl")).unwrap_or_default();
    let seed = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        let hex = |name: &str| -> Option<Vec<u8>> {
            let text = line[name].as_str()?;
            let byte = |at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
            (0..text.len()).step_by(2).map(byte).collect()
        };
        let head = format!("{} {}\n", line["codecs"], hex("raw")?.len());
        let fits = line["version"] == 2 && head.len() <= MAX_HEAD;
        fits.then_some(Seed {
            bytes: [head.into_bytes(), hex("encoded")?].concat(),
            checked: Vec::new(),
        })
    };
    text.lines().filter_map(seed).collect()
}
