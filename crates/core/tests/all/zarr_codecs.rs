//! Chunks that numcodecs and zarr-python encoded (testdata/filters/zarr.jsonl) decode, and where an encoder has no choice,
//! encoding gives the same bytes.

use std::collections::BTreeSet;
use std::path::Path;

use ncutils_core::filter::{ChunkShape, ChunkType, NumberClass, Registry, Scratch};
use ncutils_core::format::EncodedChunk;
use ncutils_core::model::ZarrVersion::{V2, V3};
use ncutils_core::model::{CodecSpec, Configuration, Endian, ZarrVersion};
use serde_json::{Value, json};

/// A chunk of zarr.jsonl.
struct Case {
    /// The codecs as the file tells them, for messages.
    text: String,
    specs: Vec<CodecSpec>,
    chunk: ChunkType,
    exact: bool,
    raw: Vec<u8>,
    encoded: Vec<u8>,
    decoded: Vec<u8>,
}

fn hex(value: &Value) -> Vec<u8> {
    let text = value.as_str().unwrap();
    let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(byte).collect()
}

fn spec(version: u64, codec: &Value) -> CodecSpec {
    let mut members = codec.as_object().unwrap().clone();
    if version == 2 {
        let name = members.remove("id").unwrap();
        return CodecSpec::zarr(ZarrVersion::V2, name.as_str().unwrap(), members);
    }
    let configuration = members.get("configuration").and_then(Value::as_object).cloned();
    CodecSpec::zarr(
        ZarrVersion::V3,
        members["name"].as_str().unwrap(),
        configuration.unwrap_or_default(),
    )
}

fn chunk(dtype: &str, shape: &[u64]) -> ChunkType {
    let endian = match &dtype[..1] {
        ">" => Endian::Big,
        _ => Endian::Little,
    };
    let class = match &dtype[1..2] {
        "i" => NumberClass::Signed,
        "u" | "b" => NumberClass::Unsigned,
        "f" => NumberClass::Float,
        other => panic!("type {other}"),
    };
    ChunkType::of_numbers(class, dtype[2..].parse().unwrap(), endian, shape)
}

fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/filters/zarr.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let case = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let codecs = line["codecs"].as_array().unwrap();
        let shape: Vec<u64> = line["shape"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_u64)
            .collect();
        let version = line["version"].as_u64().unwrap();
        let decoded = line.get("decoded").unwrap_or(&line["raw"]);
        Case {
            text: format!("{} of {}", line["codecs"], line["dtype"]),
            specs: codecs.iter().map(|codec| spec(version, codec)).collect(),
            chunk: chunk(line["dtype"].as_str().unwrap(), &shape),
            exact: line["exact"].as_bool().unwrap(),
            raw: hex(&line["raw"]),
            encoded: hex(&line["encoded"]),
            decoded: hex(decoded),
        }
    };
    text.lines().map(case).collect()
}

#[test]
fn every_codec_without_an_id_has_chunks() {
    let registry = Registry::builtin();
    let cases = cases();
    let specs = cases.iter().flat_map(|case| &case.specs);
    let found: BTreeSet<&str> = specs
        .filter_map(|spec| Some(registry.find(spec)?.name()))
        .collect();
    for codec in registry.iter().filter(|codec| codec.hdf5_id().is_none()) {
        let name = codec.name();
        assert!(
            found.contains(name),
            "testdata/filters/zarr.jsonl has no chunk of {name}: make_zarr.py makes them"
        );
        // The name for messages is that in metadata.
        let versions = [ZarrVersion::V2, ZarrVersion::V3];
        let first = versions.iter().find_map(|version| codec.zarr_name(*version));
        assert_eq!(first, Some(name));
    }
}

#[test]
fn chunks_of_numcodecs_and_zarr_python() {
    let mut scratch = Scratch::new();
    for case in cases() {
        let text = &case.text;
        let pipeline = Registry::builtin().bind(&case.specs, &case.chunk).unwrap();
        let ours = pipeline.encode(&case.raw, ChunkShape::Full, &mut scratch);
        let ours = ours.unwrap_or_else(|error| panic!("{text}: {error}"));
        if case.exact {
            assert_eq!(ours.bytes, case.encoded, "{text}");
        }
        let mut decode = |bytes: &[u8]| {
            let chunk = EncodedChunk {
                bytes: bytes.to_vec(),
                filter_mask: 0,
            };
            pipeline.decode(chunk, ChunkShape::Full, &mut scratch)
        };
        assert_eq!(decode(&ours.bytes).unwrap(), case.decoded, "{text}: ours");
        assert_eq!(decode(&case.encoded).unwrap(), case.decoded, "{text}");
        for end in 0..case.encoded.len() {
            // A raw LZMA stream ends with a byte that only says so.
            let cut = decode(&case.encoded[..end]);
            assert!(
                cut.is_err() || cut.unwrap() == case.decoded,
                "{text}: cut at {end}"
            );
        }
        // Other bits give an error or other numbers, and never a chunk of another size.
        for at in 0..case.encoded.len() {
            let mut flipped = case.encoded.clone();
            flipped[at] ^= 1 << (at % 8);
            if let Ok(decoded) = decode(&flipped) {
                assert_eq!(decoded.len(), case.decoded.len(), "{text}");
            }
        }
    }
}

#[test]
fn configurations_that_are_wrong_are_refused() {
    let chunk = ChunkType::of_numbers(NumberClass::Signed, 4, Endian::Little, &[2, 3]);
    let mut scratch = Scratch::new();
    for (name, configuration) in [
        ("gzip", json!({"level": 10})),
        ("gzip", json!({"level": 1, "odd": 1})),
        ("crc32", json!({"location": "middle"})),
        ("delta", json!({"dtype": "f2"})),
        ("delta", json!({"dtype": "<i4", "astype": "O"})),
        ("delta", json!({"dtype": 4})),
        ("fixedscaleoffset", json!({"offset": 1, "dtype": "<i4"})),
        (
            "fixedscaleoffset",
            json!({"offset": 1u64 << 40, "scale": 1, "dtype": "<i4"}),
        ),
        (
            "fixedscaleoffset",
            json!({"offset": "1", "scale": 1, "dtype": "<i4"}),
        ),
        ("packbits", json!({})),
        ("bitround", json!({"keepbits": 3})),
        ("bitround", json!({"keepbits": -1})),
        ("quantize", json!({"digits": 2, "dtype": "<i4"})),
        ("quantize", json!({"digits": 400, "dtype": "<f4"})),
        ("astype", json!({"decode_dtype": "<i4"})),
        ("lzma", json!({"format": 3})),
        ("lzma", json!({"format": 4})),
        ("lzma", json!({"preset": 10})),
        ("lzma", json!({"filters": []})),
        ("lzma", json!({"filters": [{"id": 77}]})),
        (
            "lzma",
            json!({"format": 3, "filters": [{"id": 33, "dict_size": 1u64 << 31}]}),
        ),
        ("lzma", json!({"preset": 1, "filters": [{"id": 33}]})),
        ("transpose", json!({})),
        ("transpose", json!({"order": [0]})),
        ("transpose", json!({"order": [0, 0]})),
        ("transpose", json!({"order": [0, 2]})),
        ("transpose", json!({"order": "A"})),
    ] {
        let version = if name == "transpose" {
            ZarrVersion::V3
        } else {
            ZarrVersion::V2
        };
        let members: Configuration = configuration.as_object().unwrap().clone();
        let pipeline = Registry::builtin()
            .bind(&[CodecSpec::zarr(version, name, members)], &chunk)
            .unwrap();
        pipeline.check_known().unwrap();
        let encoded = pipeline.encode(&[0; 24], ChunkShape::Full, &mut scratch);
        assert!(encoded.is_err(), "{name} {configuration}");
    }
}

#[test]
fn a_small_stream_makes_no_large_chunk() {
    let mut scratch = Scratch::new();
    let large = ChunkType::of_bytes(20_000_000);
    let small = ChunkType::of_bytes(1000);
    for (name, configuration) in [("gzip", json!({"level": 9})), ("lzma", json!({"preset": 9}))] {
        let members = configuration.as_object().unwrap().clone();
        let specs = [CodecSpec::zarr(ZarrVersion::V2, name, members)];
        let pipeline = Registry::builtin().bind(&specs, &large).unwrap();
        let bomb = pipeline
            .encode(&vec![0; 20_000_000], ChunkShape::Full, &mut scratch)
            .unwrap();
        assert!(bomb.bytes.len() < 30_000);
        let mut out = Vec::new();
        let pipeline = Registry::builtin().bind(&specs, &small).unwrap();
        let decoded = pipeline.decode_into(&bomb.bytes, 0, ChunkShape::Full, &mut scratch, &mut out);
        assert!(decoded.is_err() && out.capacity() < 100_000, "{name}");
    }
}

fn named(version: ZarrVersion, name: &str, configuration: Value) -> CodecSpec {
    CodecSpec::zarr(version, name, configuration.as_object().unwrap().clone())
}

#[test]
fn codecs_that_only_zarr_has_are_renamed() {
    let registry = Registry::builtin();
    let chunk = ChunkType::of_numbers(NumberClass::Signed, 4, Endian::Little, &[10]);
    for (v2, v3) in [
        (
            named(V2, "gzip", json!({"level": 5})),
            named(V3, "gzip", json!({"level": 5})),
        ),
        (
            named(V2, "crc32c", json!({"location": "end"})),
            named(V3, "crc32c", json!({})),
        ),
        (
            named(V2, "adler32", json!({"location": "end"})),
            named(V3, "numcodecs.adler32", json!({"location": "end"})),
        ),
        (
            named(V2, "delta", json!({"dtype": "<i4", "astype": "<i2"})),
            named(V3, "numcodecs.delta", json!({"dtype": "<i4", "astype": "<i2"})),
        ),
        (
            named(V2, "lzma", json!({"preset": 1})),
            named(V3, "numcodecs.lzma", json!({"preset": 1})),
        ),
    ] {
        assert_eq!(registry.in_zarr(&v2, V3, &chunk).unwrap(), v3);
        assert!(registry.same_stream(&registry.in_zarr(&v3, V2, &chunk).unwrap(), &v2, &chunk));
        assert!(registry.same_stream(&v2, &v3, &chunk));
        assert!(registry.in_hdf5(&v2, &chunk).is_err());
    }
    let implied = registry
        .in_zarr(&named(V2, "gzip", json!({})), V3, &chunk)
        .unwrap();
    assert_eq!(implied, named(V3, "gzip", json!({"level": 1})));
    let big = ChunkType::of_numbers(NumberClass::Signed, 4, Endian::Big, &[10]);
    let delta = named(V2, "delta", json!({"dtype": "<i4"}));
    for refused in [
        registry.in_zarr(&named(V2, "crc32c", json!({"location": "start"})), V3, &chunk),
        registry.in_zarr(&named(V2, "gzip", json!({"level": 5, "odd": 1})), V3, &chunk),
        registry.in_zarr(&named(V3, "transpose", json!({"order": [0]})), V2, &chunk),
        // In version 3 the numbers would be big-endian.
        registry.in_zarr(&delta, V3, &big),
    ] {
        assert!(refused.is_err(), "{refused:?}");
    }
}
