//! Parameters of both kinds, buffers of numcodecs, and limits.

use super::*;
use crate::test_codec::{decoded, encoded};
use crate::{NumberClass, Registry};
use ZarrVersion::{V2, V3};
use ncutils_model::Endian;
use proptest::prelude::*;
use serde_json::json;

fn floats() -> ChunkType {
    ChunkType::of_numbers(NumberClass::Float, 4, Endian::Little, &[20, 100])
}

fn zarr(version: ZarrVersion, configuration: serde_json::Value) -> CodecSpec {
    CodecSpec::zarr(version, "blosc", configuration.as_object().unwrap().clone())
}

#[test]
fn parameters_that_a_user_gives() {
    // What the plugin stores, and its defaults in place of what is not given.
    for (given, stored) in [
        (&[][..], &[2, 2, 4, 8000, 5, 1, 0][..]),
        (&[0, 0, 0, 0], &[2, 2, 4, 8000, 5, 1, 0]),
        (&[0, 0, 0, 0, 9], &[2, 2, 4, 8000, 9, 1, 0]),
        (&[9, 9, 9, 9, 0, 2], &[2, 2, 4, 8000, 0, 2, 0]),
        (&[2, 2, 8, 16000, 5, 1, 5], &[2, 2, 4, 8000, 5, 1, 5]),
    ] {
        assert_eq!(Blosc.working_parameters(given, &floats()).unwrap(), stored);
    }
    for wrong in [
        &[5][..],
        &[5, 1, 5],
        &[0, 0, 0, 0, 10],
        &[0, 0, 0, 0, 5, 3],
        &[0, 0, 0, 0, 5, 1, 6],
        &[0, 0, 0, 0, 5, 1, 5, 0],
    ] {
        let error = Blosc.working_parameters(wrong, &floats()).unwrap_err();
        assert!(error.starts_with("takes four numbers"), "{error}");
    }
    let long = ChunkType::of_numbers(NumberClass::Float, 300, Endian::Little, &[100]);
    assert_eq!(
        Blosc.working_parameters(&[], &long).unwrap(),
        [2, 2, 1, 30000, 5, 1, 0]
    );
    let huge = ChunkType::of_bytes(1 << 31);
    assert!(
        Blosc
            .working_parameters(&[], &huge)
            .unwrap_err()
            .contains("2147483631")
    );
}

#[test]
fn stored_parameters_for_other_chunks() {
    for (stored, adapted) in [
        (&[][..], &[2, 2, 4, 8000][..]),
        (&[2, 2, 8, 99, 7, 2, 1], &[2, 2, 4, 8000, 7, 2, 1]),
        (&[1, 1, 8, 99, 12, 3, 9, 5], &[2, 2, 4, 8000, 9, 1, 0, 5]),
    ] {
        assert_eq!(Blosc.adapted_parameters(stored, &floats()).unwrap(), adapted);
    }
}

#[test]
fn parameters_with_one_meaning() {
    let form = |words| (&Blosc as &dyn Codec).canonical_parameters(words).into_owned();
    let canonical = form(&[2, 2, 4, 8000]);
    assert_eq!(canonical, form(&[1, 1, 4, 99, 5, 1, 0, 7]));
    assert_ne!(canonical, form(&[2, 2, 8, 8000]));
    assert_ne!(canonical, form(&[2, 2, 4, 8000, 5, 1, 1]));
    // Nothing is encoded with values out of range, but any buffer decodes.
    let data = [7; 1000];
    let stored = encoded(&Blosc, &[2, 2, 4, 1000, 5, 1, 5], &data).unwrap();
    for odd in [[10, 1, 5], [5, 3, 5], [5, 1, 6]] {
        let words = [&[2, 2, 4, 1000], &odd[..]].concat();
        assert!(
            encoded(&Blosc, &words, &data)
                .unwrap_err()
                .contains("its parameters are")
        );
        assert_eq!(decoded(&Blosc, &words, &stored, 1000).unwrap(), data);
    }
}

#[test]
fn configurations_of_zarr() {
    let registry = Registry::builtin();
    let chunk = floats();
    let hdf5 = CodecSpec::hdf5(ID, [2, 2, 4, 8000, 7, 2, 5]);
    let v2 = zarr(
        V2,
        json!({"cname": "zstd", "clevel": 7, "shuffle": 2, "blocksize": 0}),
    );
    let v3 = json!({"typesize": 4, "cname": "zstd", "clevel": 7, "shuffle": "bitshuffle", "blocksize": 0});
    let v3 = zarr(V3, v3);
    assert_eq!(registry.in_zarr(&hdf5, V2, &chunk).unwrap(), v2);
    assert_eq!(registry.in_zarr(&hdf5, V3, &chunk).unwrap(), v3);
    for spec in [&v2, &v3] {
        let form = registry.in_hdf5(spec, &chunk).unwrap();
        assert_eq!(form.parameters(), hdf5.parameters());
        assert!(registry.same_stream(spec, &hdf5, &chunk));
    }
    let words = |spec: &CodecSpec, chunk: &ChunkType| {
        let (_, version) = spec.zarr_name().map(|(version, name)| (name, version)).unwrap();
        Blosc.parameters(version, spec.configuration().unwrap(), chunk)
    };
    // What numcodecs leaves out, and its automatic shuffle.
    for (configuration, chosen) in [
        (json!({}), [5, 1, 1]),
        (json!({"cname": "snappy", "clevel": 0, "shuffle": 0}), [0, 0, 3]),
        (
            json!({"shuffle": -1, "blocksize": 65536, "typesize": null}),
            [5, 1, 1],
        ),
    ] {
        let wanted = [&[2, 2, 4, 8000], &chosen[..]].concat();
        assert_eq!(words(&zarr(V2, configuration), &chunk), Some(wanted));
    }
    let bytes = ChunkType::of_bytes(100);
    assert_eq!(
        words(&zarr(V2, json!({"shuffle": -1})), &bytes).unwrap(),
        [2, 2, 1, 100, 5, 2, 1]
    );
    assert_eq!(
        words(
            &zarr(V3, json!({"typesize": 300, "shuffle": "noshuffle"})),
            &bytes
        )
        .unwrap(),
        [2, 2, 1, 100, 5, 0, 1]
    );
    for odd in [
        json!({"cname": "lizard"}),
        json!({"clevel": 10}),
        json!({"clevel": -1}),
        json!({"shuffle": 3}),
        json!({"shuffle": -2}),
        json!({"shuffle": "bits"}),
        json!({"typesize": 0}),
        json!({"blocksize": -1}),
        json!({"blocksize": 1u64 << 40}),
        json!({"more": 1}),
    ] {
        let spec = zarr(V3, odd);
        assert_eq!(words(&spec, &chunk), None, "{spec:?}");
        assert!(Blosc.bind(&spec, &chunk).is_err());
    }
}

#[test]
fn a_chunk_that_does_not_shrink() {
    let data: Vec<u8> = (0..1000u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    let chunk = ChunkType::of_bytes(1000);
    let error = encoded(&Blosc, &[2, 2, 1, 1000, 0, 1, 1], &data).unwrap_err();
    assert_eq!(error, "the chunk does not become smaller");
    let spec = zarr(V2, json!({"clevel": 0}));
    let codec = Blosc.bind(&spec, &chunk).unwrap();
    let mut stored = Vec::new();
    codec.encode(&data, ChunkShape::Full, &mut stored).unwrap();
    assert_eq!(stored.len(), 1016);
    assert_eq!(decoded(&Blosc, &[], &stored, 1000).unwrap(), data);
}

#[test]
fn the_size_of_blocks_is_used() {
    let data: Vec<u8> = (0..4000u32).flat_map(|i| (i / 3).to_le_bytes()).collect();
    let spec = zarr(V2, json!({"blocksize": 256}));
    let codec = Blosc.bind(&spec, &floats()).unwrap();
    let mut stored = Vec::new();
    codec.encode(&data, ChunkShape::Full, &mut stored).unwrap();
    assert_eq!(ncutils_blosc::Header::parse(&stored).unwrap().block_size, 256);
    assert_eq!(decoded(&Blosc, &[], &stored, data.len()).unwrap(), data);
}

#[test]
fn buffer_of_numcodecs() {
    // `Blosc("lz4", 5, 1).encode(b"hello hello hello " * 12)`
    let stored = [
        0x02, 0x01, 0x21, 0x01, 0xd8, 0x00, 0x00, 0x00, 0xd8, 0x00, 0x00, 0x00, 0x28, 0x00, 0x00, 0x00, 0x14,
        0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x6f, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x06, 0x00, 0xba,
        0x50, 0x65, 0x6c, 0x6c, 0x6f, 0x20,
    ];
    let data = b"hello hello hello ".repeat(12);
    assert_eq!(decoded(&Blosc, &[], &stored, data.len()).unwrap(), data);
    assert_eq!(encoded(&Blosc, &[2, 2, 1, 216, 5, 1, 1], &data).unwrap(), stored);
    assert_eq!(
        decoded(&Blosc, &[], &stored, data.len() - 1).unwrap_err(),
        "more than the 215 bytes expected"
    );
    for end in 0..stored.len() {
        assert!(decoded(&Blosc, &[], &stored[..end], data.len()).is_err());
    }
}

proptest! {
    #[test]
    fn garbage_is_an_error_or_small(
        data in proptest::collection::vec(any::<u8>(), 0..300),
        flags in any::<u8>(),
        sizes in (1u32..2000, 1u32..2000),
    ) {
        let length = 16 + data.len() as u32;
        let sizes = [sizes.0, sizes.1, length].map(u32::to_le_bytes).concat();
        let framed = [&[2, 1, flags, 4], &sizes[..], &data].concat();
        for input in [&data, &framed] {
            if let Ok(out) = decoded(&Blosc, &[], input, 1000) {
                prop_assert!(out.len() <= 1000);
            }
        }
    }
}
