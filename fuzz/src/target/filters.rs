//! Fuzzes the decoders of filters. An input is a line `PIPELINE CHUNK-SIZE`, as in `2,4|1,5 4096`, and the encoded
//! bytes.

use std::path::Path;

use ncutils_core::filter::{ChunkShape, ChunkType, Registry, Scratch, spec};
use ncutils_core::model::CodecSpec;

use crate::{MAX_SEED_BYTES, Seed};

/// Maximum size of a decoded chunk, in bytes.
const MAX_CHUNK_BYTES: usize = 1 << 20;

/// Decodes the bytes, encodes the result, and decodes that again.
pub fn decode(input: &[u8]) {
    let Some(end) = input.iter().take(200).position(|byte| *byte == b'\n') else {
        return;
    };
    let (head, bytes) = (&input[..end], &input[end + 1..]);
    let Some((filters, chunk_size)) = std::str::from_utf8(head)
        .ok()
        .and_then(|head| head.split_once(' '))
    else {
        return;
    };
    let (Ok(filters), Ok(chunk_size)) = (spec::parse_filters(filters), chunk_size.parse::<usize>()) else {
        return;
    };
    let filters: Vec<CodecSpec> = filters
        .into_iter()
        .map(|(id, parameters)| CodecSpec::hdf5(id, parameters).with_optional(id != 3))
        .collect();
    let registry = Registry::builtin();
    let bind = |size| registry.bind(&filters, &ChunkType::of_bytes(size));
    let mut scratch = Scratch::new();
    let mut out = Vec::new();
    let Ok(pipeline) = bind(chunk_size.min(MAX_CHUNK_BYTES)) else {
        return;
    };
    let _ = pipeline.decode_into(bytes, 0, ChunkShape::Full, &mut scratch, &mut out);

    // Szip and n-bit keep only the number of bits in their parameters. Bytes that do not come from them may have more
    // bits. Zfp loses what its parameters say.
    let narrow = |spec: &CodecSpec| match spec.hdf5_id() {
        Some(4) => !matches!(spec.parameters().get(2), Some(8 | 16 | 32 | 64)),
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

/// The chunks of `testdata/filters`, encoded by the C libraries.
pub fn seeds(root: &Path) -> Vec<Seed> {
    let folder = root.join("testdata/filters");
    let index = std::fs::read_to_string(folder.join("index.txt")).unwrap_or_default();
    let mut seeds = Vec::new();
    for line in index.lines() {
        let mut fields = line.split(' ');
        let (Some(name), Some(raw), Some(pipeline)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let raw_size = std::fs::metadata(folder.join(raw)).map_or(0, |m| m.len());
        if let Ok(encoded) = std::fs::read(folder.join(format!("{name}.encoded")))
            && encoded.len() <= MAX_SEED_BYTES
        {
            let mut bytes = format!("{pipeline} {raw_size}\n").into_bytes();
            bytes.extend(encoded);
            seeds.push(Seed {
                bytes,
                checked: Vec::new(),
            });
        }
    }
    seeds
}
