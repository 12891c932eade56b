//! Any pipeline of the codecs that are built in, forth and back, and on garbage.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use serde_json::json;

use crate::pipeline::pipeline::tests::*;

/// Parameters of scale-offset for big-endian integers of two bytes.
fn scale_offset(elements: u32) -> [u32; 20] {
    let mut parameters = [0; 20];
    parameters[..9].copy_from_slice(&[2, 0, elements, 0, 2, 1, 1, 1, 3]);
    parameters
}

#[cfg(feature = "blosc")]
fn any_blosc() -> impl Strategy<Value = CodecSpec> {
    (0u32..10, 0u32..3, 0u32..6)
        .prop_map(|(level, shuffle, codec)| spec(32001, true, &[2, 2, 4, 80, level, shuffle, codec]))
}

/// Stands for the filter that is not built in.
#[cfg(not(feature = "blosc"))]
fn any_blosc() -> impl Strategy<Value = CodecSpec> {
    Just(spec(2, true, &[4]))
}

#[cfg(feature = "blosc2")]
fn any_blosc2() -> impl Strategy<Value = CodecSpec> {
    let codec = prop_oneof![0u32..3, 4u32..6];
    (0u32..300, 0u32..10, 0u32..4, codec, 1u32..30).prop_map(|(block, level, filter, codec, row)| {
        spec(
            32026,
            true,
            &[1, block, 4, 800, level, filter, codec, 2, row, 200 / row],
        )
    })
}

/// Stands for the filter that is not built in.
#[cfg(not(feature = "blosc2"))]
fn any_blosc2() -> impl Strategy<Value = CodecSpec> {
    Just(spec(2, true, &[4]))
}

/// Fifty floats without loss.
fn any_zfp() -> impl Strategy<Value = CodecSpec> {
    Just(spec(32013, true, &[0x10105111, 0x570667a, 0x312, 0x88000000]))
}

fn any_filter() -> impl Strategy<Value = CodecSpec> {
    prop_oneof![
        Just(spec(2, true, &[4])),
        Just(spec(3, false, &[])),
        (0u32..10).prop_map(|level| spec(1, true, &[level])),
        Just(spec(4, true, &[169, 32, 32, 80])),
        Just(spec(4, true, &[141, 8, 16, 50])),
        (1u32..10).prop_map(|block| spec(307, true, &[block])),
        Just(spec(32000, true, &[4, 0x105, 4000])),
        (0u32..300).prop_map(|size| spec(32004, true, &[size])),
        (0u32..4).prop_map(|compression| spec(32008, true, &[0, 4, 4, 64, compression])),
        any_blosc(),
        any_blosc2(),
        any_zfp(),
        (1u32..5).prop_map(|level| spec(32015, true, &[level])),
        Just(spec(5, true, &[8, 1, 200, 1, 4, 0, 32, 0])),
        (32022u32..32024).prop_map(|id| spec(id, true, &[3, 4, 0, 0, 0])),
        (0u32..300).prop_map(|elements| spec(6, true, &scale_offset(elements))),
    ]
}

fn zarr(name: &str, configuration: serde_json::Value) -> CodecSpec {
    let version = match name {
        "cast_value" | "scale_offset" | "transpose" => ZarrVersion::V3,
        _ => ZarrVersion::V2,
    };
    CodecSpec::zarr(version, name, configuration.as_object().unwrap().clone())
}

/// Codecs of Zarr that give all bytes back: some, and those of the chunks of bytes in `testdata/filters/zarr.jsonl`.
fn lossless_codec() -> impl Strategy<Value = CodecSpec> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/filters/zarr.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let of_bytes = |line: &serde_json::Value| {
        line["version"] == 2 && line["dtype"] == "|u1" && line["decoded"].is_null()
    };
    let mut codecs: Vec<CodecSpec> = lines
        .filter(of_bytes)
        .map(|mut line| {
            let id = line["codecs"][0].as_object_mut().unwrap().remove("id");
            zarr(id.unwrap().as_str().unwrap(), line["codecs"][0].clone())
        })
        .collect();
    codecs.extend([
        zarr("astype", json!({"encode_dtype": ">i2", "decode_dtype": "|u1"})),
        zarr(
            "fixedscaleoffset",
            json!({"offset": 0, "scale": 1, "dtype": "|u1", "astype": "<i4"}),
        ),
        zarr("lzma", json!({"preset": 0})),
    ]);
    proptest::sample::select(codecs)
}

/// Codecs of Zarr that lose bits, or take only some types.
fn other_codec() -> impl Strategy<Value = CodecSpec> {
    proptest::sample::select(vec![
        zarr("bitround", json!({"keepbits": 3})),
        zarr("cast_value", json!({"data_type": "int8", "out_of_range": "wrap"})),
        zarr("delta", json!({"dtype": "<f4", "astype": ">i2"})),
        zarr("packbits", json!({})),
        zarr("scale_offset", json!({"offset": 3, "scale": 2})),
        zarr("quantize", json!({"digits": 3, "dtype": "<f4", "astype": "<f8"})),
        zarr("transpose", json!({"order": [0]})),
        zarr("zfpy", json!({"tolerance": 0.5})),
    ])
}

#[test]
fn every_codec_is_tried() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let registry = Registry::builtin();
    let mut left: BTreeSet<&str> = registry.iter().map(|codec| codec.name()).collect();
    let any = prop_oneof![3 => any_filter(), 1 => lossless_codec(), 1 => other_codec()];
    for _ in 0..1000 {
        let spec = any.new_tree(&mut runner).unwrap().current();
        left.remove(registry.find(&spec).unwrap().name());
    }
    assert!(
        left.is_empty(),
        "the property tests leave out {left:?}: any_filter makes them, and those of Zarr alone lossless_codec or other_codec, unless zarr.jsonl has a chunk of bytes"
    );
}

proptest! {
    #[test]
    fn round_trip(
        pipeline in proptest::collection::vec(prop_oneof![3 => any_filter(), 1 => lossless_codec()], 0..5),
        data in proptest::collection::vec(0u8..20, 0..4000),
    ) {
        let mut scratch = Scratch::new();
        let chunk = encode(&pipeline, &data, &mut scratch).unwrap();
        prop_assert_eq!(decode(&pipeline, chunk, data.len(), &mut scratch).unwrap(), data);
    }

    #[test]
    fn garbage_neither_panics_nor_grows(
        pipeline in proptest::collection::vec(
            prop_oneof![2 => any_filter(), 1 => lossless_codec(), 1 => other_codec()],
            1..4,
        ),
        bytes in proptest::collection::vec(any::<u8>(), 0..400),
        filter_mask in 0u32..8,
    ) {
        let mut scratch = Scratch::new();
        if let Ok(out) = decode(&pipeline, EncodedChunk { bytes, filter_mask }, 5000, &mut scratch) {
            prop_assert_eq!(out.len(), 5000);
        }
        prop_assert!(scratch.capacity() < 2_000_000);
    }
}
