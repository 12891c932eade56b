//! Tests of which chains differ at their ends alone, and of the changed chunks.

use std::io::Write as _;
use std::sync::Arc;

use super::*;
use crate::UNKNOWN_ID;
use crate::codec::facts::CodecFacts;
use crate::{BoundCodec, Codec, Outcome, Scratch};
use ncutils_model::ZarrVersion::{self, V2, V3};
use serde_json::json;

fn zarr(version: ZarrVersion, name: &str, configuration: serde_json::Value) -> CodecSpec {
    CodecSpec::zarr(version, name, configuration.as_object().unwrap().clone())
}

fn hdf5(id: u32, parameters: &[u32]) -> CodecSpec {
    CodecSpec::hdf5(id, parameters)
}

fn crc32c() -> CodecSpec {
    zarr(V3, "crc32c", json!({}))
}

fn gzip(level: u32) -> CodecSpec {
    zarr(V3, "gzip", json!({"level": level}))
}

fn unknown() -> CodecSpec {
    hdf5(UNKNOWN_ID, &[1])
}

fn data() -> Vec<u8> {
    (0..1000u32).flat_map(|n| (n / 3).to_le_bytes()).collect()
}

fn between(from: &[CodecSpec], to: &[CodecSpec]) -> Option<ChainEnd> {
    ChainEnd::between(&Registry::builtin(), from, to, &ChunkType::of_bytes(4000))
}

fn encoded(chain: &[CodecSpec]) -> Vec<u8> {
    let pipeline = Registry::builtin()
        .bind(chain, &ChunkType::of_bytes(4000))
        .unwrap();
    let chunk = pipeline.encode(&data(), ChunkShape::Full, &mut Scratch::new());
    chunk.unwrap().bytes
}

/// Chains that differ at their ends.
fn pairs() -> Vec<(Vec<CodecSpec>, Vec<CodecSpec>)> {
    let (shuffle, deflate) = (hdf5(2, &[4]), hdf5(1, &[5]));
    let zstd = |version| zarr(version, "zstd", json!({"level": 3}));
    let in_v3 = [
        zarr(V3, "numcodecs.shuffle", json!({"elementsize": 4})),
        zarr(V3, "numcodecs.zlib", json!({"level": 5})),
    ];
    let fletcher32 = || hdf5(3, &[]);
    vec![
        (vec![zstd(V3), crc32c()], vec![hdf5(32015, &[3])]),
        (vec![zstd(V3)], vec![zstd(V2), zarr(V2, "crc32", json!({}))]),
        (vec![crc32c()], vec![]),
        (vec![], vec![zarr(V2, "adler32", json!({}))]),
        (
            vec![shuffle.clone(), deflate.clone(), fletcher32()],
            in_v3.to_vec(),
        ),
        (
            vec![shuffle.clone(), deflate.clone(), fletcher32()],
            vec![shuffle.clone(), deflate.clone(), crc32c()],
        ),
        (
            vec![fletcher32(), deflate.clone()],
            vec![zarr(V3, "numcodecs.fletcher32", json!({})), gzip(5), crc32c()],
        ),
        (
            vec![gzip(5), crc32c(), fletcher32()],
            vec![zarr(V2, "zlib", json!({"level": 5})), crc32c()],
        ),
        (vec![zstd(V3), crc32c()], vec![hdf5(32015, &[3]), fletcher32()]),
    ]
}

#[test]
fn only_the_ends_change() {
    for (from, to) in pairs() {
        for (from, to) in [(&from, &to), (&to, &from)] {
            let end = between(from, to).unwrap();
            assert!(!end.is_empty(), "{from:?} {to:?}");
            let made = end.apply(&encoded(from), 4000).unwrap().unwrap();
            let registry = Registry::builtin();
            let pipeline = registry.bind(to, &ChunkType::of_bytes(4000)).unwrap();
            let mut out = Vec::new();
            pipeline
                .decode_into(&made, 0, ChunkShape::Full, &mut Scratch::new(), &mut out)
                .unwrap();
            assert_eq!(out, data(), "{from:?} {to:?}");
        }
    }
}

#[test]
fn what_differs_elsewhere_is_encoded_anew() {
    let deflate = hdf5(1, &[5]);
    for (from, to) in [
        (vec![deflate.clone()], vec![gzip(6)]),
        (vec![deflate.clone()], vec![hdf5(1, &[6])]),
        (vec![deflate.clone()], vec![hdf5(307, &[5])]),
        (vec![deflate.clone()], vec![]),
        (vec![hdf5(2, &[4]), deflate.clone()], vec![gzip(5)]),
        (vec![deflate.clone(), hdf5(2, &[1])], vec![gzip(5), hdf5(2, &[1])]),
        (vec![crc32c(), deflate.clone()], vec![deflate.clone()]),
        (vec![unknown()], vec![crc32c()]),
        (vec![deflate.clone(), unknown()], vec![deflate.clone()]),
    ] {
        assert!(between(&from, &to).is_none(), "{from:?} {to:?}");
        assert!(between(&to, &from).is_none(), "{to:?} {from:?}");
    }
    for chain in [vec![], vec![deflate.clone()], vec![unknown(), crc32c()]] {
        assert!(between(&chain, &chain).unwrap().is_empty(), "{chain:?}");
    }
}

#[test]
fn what_is_below_the_end_may_be_unknown() {
    let end = between(&[unknown(), crc32c()], &[unknown()]).unwrap();
    let chunk = encoded(&[crc32c()]);
    assert_eq!(end.apply(&chunk, 4000).unwrap().unwrap(), data());
    let end = between(&[unknown()], &[unknown(), crc32c()]).unwrap();
    assert_eq!(end.apply(&data(), 4000).unwrap().unwrap(), chunk);
    let end = between(&[unknown(), hdf5(1, &[5])], &[unknown(), gzip(5)]).unwrap();
    let gzip = end.apply(&encoded(&[hdf5(1, &[5])]), 4000).unwrap().unwrap();
    assert_eq!(gzip[..2], [0x1f, 0x8b]);
}

#[test]
fn a_chunk_without_other_codecs_has_its_size() {
    let end = between(&[crc32c()], &[hdf5(3, &[])]).unwrap();
    let chunk = encoded(&[crc32c()]);
    assert!(end.apply(&chunk, 4000).is_ok());
    let error = end.apply(&chunk, 3999).unwrap_err();
    assert!(matches!(error, Error::Damaged(_)), "{error}");
}

#[test]
fn damage_is_found_and_named() {
    let (deflate, fletcher32) = (hdf5(1, &[5]).with_name("deflate"), hdf5(3, &[]));
    for (from, to, name) in [
        (
            vec![deflate.clone(), crc32c()],
            vec![deflate.clone()],
            "codec crc32c",
        ),
        (vec![deflate.clone(), fletcher32], vec![gzip(5)], "filter 3"),
        (vec![deflate.clone()], vec![gzip(5)], "filter 1 (deflate)"),
        (vec![gzip(5)], vec![deflate], "codec gzip"),
    ] {
        let mut chunk = encoded(&from);
        let end = between(&from, &to).unwrap();
        assert!(end.apply(&chunk, 4000).is_ok());
        let last = chunk.len() - 1;
        chunk[last] ^= 1;
        let error = end.apply(&chunk, 4000).unwrap_err().to_string();
        assert!(error.starts_with(name), "{error}");
        // What has no whole header is left to the decoder.
        assert!(!matches!(end.apply(&chunk[..3], 4000), Ok(Some(_))));
    }
}

#[test]
fn hdf5_gets_one_zstd_frame_that_states_its_size() {
    let from = [zarr(V3, "zstd", json!({"level": 3}))];
    let frame = encoded(&from);
    let mut encoder = ::zstd::stream::Encoder::new(Vec::new(), 3).unwrap();
    encoder.write_all(&data()).unwrap();
    let without_size = encoder.finish().unwrap();
    let two = [&frame[..], &frame].concat();
    let skippable = [&frame[..], &[0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]].concat();
    for end in [vec![], vec![crc32c()]] {
        let from = [&from[..], &end].concat();
        let to_hdf5 = between(&from, &[&[hdf5(32015, &[3])][..], &end].concat()).unwrap();
        let to_zarr = between(
            &from,
            &[&[zarr(V2, "zstd", json!({"level": 3}))][..], &end].concat(),
        )
        .unwrap();
        let in_hdf5 = between(&[hdf5(32015, &[3])], &[hdf5(32015, &[3])]).unwrap();
        assert!(to_zarr.is_empty() && in_hdf5.is_empty());
        for (stream, passes) in [
            (&frame, true),
            (&without_size, false),
            (&two, false),
            (&skippable, false),
        ] {
            let mut chunk = stream.clone();
            if !end.is_empty() {
                chunk.extend_from_slice(&::crc32c::crc32c(stream).to_le_bytes());
            }
            let made = to_hdf5.apply(&chunk, 4000).unwrap();
            assert_eq!(made, passes.then_some(chunk));
        }
    }
}

#[test]
fn a_zstd_frame_with_a_checksum_serves_hdf5() {
    let summed = zarr(V3, "zstd", json!({"level": 3, "checksum": true}));
    let (in_hdf5, other) = (hdf5(32015, &[3]), hdf5(32015, &[4]));
    let registry = Registry::builtin();
    let chunk = ChunkType::of_bytes(4000);
    let named = registry.named_or_equivalent(&summed, ncutils_model::CodecNames::Hdf5, &chunk);
    assert_eq!(named.unwrap().parameters(), in_hdf5.parameters());
    let from = [summed];
    let frame = encoded(&from);
    let end = between(&from, std::slice::from_ref(&in_hdf5)).unwrap();
    assert_eq!(end.apply(&frame, 4000).unwrap().unwrap(), frame);
    assert!(between(&from, &[other]).is_none());
    // Who asks for a checksum gets one.
    assert!(between(&[in_hdf5], &from).is_none());
}

/// Deflate that neither encodes nor decodes.
struct Idle;

impl Codec for Idle {
    fn facts(&self) -> CodecFacts<'_> {
        crate::deflate::deflate::Deflate.facts()
    }

    fn bind(&self, _: &CodecSpec, _: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        Err("it is not asked".to_owned())
    }
}

#[test]
fn nothing_is_deflated() {
    let mut registry = Registry::builtin();
    registry.add(Arc::new(Idle));
    let chunk = ChunkType::of_bytes(4000);
    for (from, to) in [
        (vec![hdf5(1, &[9])], vec![gzip(9), crc32c()]),
        (
            vec![gzip(9), crc32c()],
            vec![zarr(V2, "zlib", json!({"level": 9}))],
        ),
        (
            vec![hdf5(1, &[9]), crc32c()],
            vec![zarr(V3, "numcodecs.zlib", json!({"level": 9}))],
        ),
    ] {
        let end = ChainEnd::between(&registry, &from, &to, &chunk).unwrap();
        let stored = encoded(&from);
        let made = end.apply(&stored, 4000).unwrap().unwrap();
        // The deflate stream, found by the lengths of wrappers and checksums.
        let body = |chain: &[CodecSpec], bytes: &[u8]| {
            let sum = if chain.len() > 1 { 4 } else { 0 };
            match chain[0].name() {
                "gzip" => bytes[10..bytes.len() - 8 - sum].to_vec(),
                _ => bytes[2..bytes.len() - 4 - sum].to_vec(),
            }
        };
        assert_eq!(body(&from, &stored), body(&to, &made));
    }
}
