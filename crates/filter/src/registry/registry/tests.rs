//! Tests of names, of equal streams, and of translations between HDF5 and Zarr.

use super::*;
use crate::UNKNOWN_ID;
use ncutils_model::CodecNames;
use ncutils_model::ZarrVersion::{V2, V3};
use serde_json::json;

fn zarr(version: ZarrVersion, name: &str, configuration: serde_json::Value) -> CodecSpec {
    let configuration = configuration.as_object().unwrap().clone();
    CodecSpec::zarr(version, name, configuration)
}

#[test]
fn names_are_unique_and_found() {
    let registry = Registry::builtin();
    for codec in registry.iter() {
        if let Some(id) = codec.hdf5_id() {
            let found = registry.find(&CodecSpec::hdf5(id, [])).unwrap();
            assert!(Arc::ptr_eq(found, codec), "{id}");
        }
        let named = [V2, V3].iter().any(|version| codec.zarr_name(*version).is_some());
        assert!(codec.hdf5_id().is_some() || named, "{} has no name", codec.name());
        for version in [V2, V3] {
            for name in codec.facts().zarr_names(version) {
                let found = registry.find(&zarr(version, name, json!({}))).unwrap();
                assert!(Arc::ptr_eq(found, codec), "{name}");
            }
        }
    }
    assert!(registry.find(&CodecSpec::hdf5(UNKNOWN_ID, [])).is_none());
    assert!(registry.find(&zarr(V3, "zlib", json!({}))).is_none());
}

#[test]
fn of_two_codecs_of_a_name_the_later_one_is_found() {
    let before = Registry::builtin();
    let mut registry = before.clone();
    let later: Arc<dyn Codec> = Arc::new(Deflate);
    registry.add(Arc::clone(&later));
    let deflate = CodecSpec::hdf5(1, [5]);
    assert!(Arc::ptr_eq(registry.find(&deflate).unwrap(), &later));
    assert!(!Arc::ptr_eq(before.find(&deflate).unwrap(), &later));
}

#[test]
fn streams_are_the_same_whatever_the_naming() {
    let registry = Registry::builtin();
    let chunk = ChunkType::of_bytes(100);
    let same = |a: &CodecSpec, b: &CodecSpec| {
        let same = registry.same_stream(a, b, &chunk);
        assert_eq!(registry.same_stream(b, a, &chunk), same);
        same
    };
    let hdf5 = |id: u32, parameters: &[u32]| CodecSpec::hdf5(id, parameters);
    for (a, b) in [
        (hdf5(1, &[5]), zarr(V2, "zlib", json!({"level": 5}))),
        (hdf5(1, &[5]), zarr(V3, "numcodecs.zlib", json!({"level": 5}))),
        (
            zarr(V2, "zlib", json!({"level": 1})),
            zarr(V3, "numcodecs.zlib", json!({"level": 1})),
        ),
        (hdf5(2, &[4]), zarr(V2, "shuffle", json!({"elementsize": 4}))),
        (
            hdf5(2, &[4]),
            zarr(V3, "numcodecs.shuffle", json!({"elementsize": 4})),
        ),
        (hdf5(3, &[]), zarr(V2, "fletcher32", json!({}))),
        (hdf5(3, &[7]), zarr(V3, "numcodecs.fletcher32", json!({}))),
        (hdf5(307, &[]), zarr(V2, "bz2", json!({"level": 9}))),
        (hdf5(307, &[1]), zarr(V3, "numcodecs.bz2", json!({"level": 1}))),
        (
            hdf5(32015, &[-5i32 as u32]),
            zarr(V2, "zstd", json!({"level": -5})),
        ),
        (
            hdf5(32015, &[3]),
            zarr(V3, "zstd", json!({"level": 0, "checksum": false})),
        ),
        (
            zarr(V3, "numcodecs.zstd", json!({"level": 7})),
            zarr(V3, "zstd", json!({"level": 7, "checksum": false})),
        ),
        (
            zarr(V2, "zstd", json!({"level": 7, "checksum": true})),
            zarr(V3, "zstd", json!({"level": 7, "checksum": true})),
        ),
        (hdf5(307, &[]), hdf5(307, &[9, 20, 0])),
        (hdf5(32000, &[4, 0x105, 100]), hdf5(32000, &[3, 0x104, 50])),
        (hdf5(32004, &[]), hdf5(32004, &[0])),
        (
            zarr(V2, "lz4", json!({"acceleration": 1})),
            zarr(V3, "numcodecs.lz4", json!({})),
        ),
        #[cfg(feature = "blosc")]
        (
            hdf5(32001, &[2, 2, 1, 100]),
            zarr(
                V2,
                "blosc",
                json!({"cname": "blosclz", "clevel": 5, "shuffle": 1, "blocksize": 0}),
            ),
        ),
        #[cfg(feature = "blosc")]
        (
            zarr(
                V3,
                "blosc",
                json!({"typesize": 1, "cname": "zstd", "clevel": 9, "shuffle": "bitshuffle"}),
            ),
            zarr(
                V3,
                "numcodecs.blosc",
                json!({"cname": "zstd", "clevel": 9, "shuffle": 2}),
            ),
        ),
        (hdf5(32015, &[3, 0]), hdf5(32015, &[])),
        (
            hdf5(UNKNOWN_ID, &[1]).with_name("one"),
            hdf5(UNKNOWN_ID, &[1]).with_name("other").with_optional(false),
        ),
        (
            zarr(V3, "odd", json!({"a": [1, 2]})),
            zarr(V3, "odd", json!({"a": [1, 2]})),
        ),
    ] {
        assert!(same(&a, &b), "{a:?} {b:?}");
    }
    for (a, b) in [
        (hdf5(1, &[5]), hdf5(1, &[6])),
        (hdf5(1, &[5]), zarr(V2, "zlib", json!({"level": 6}))),
        (hdf5(1, &[5]), zarr(V2, "zlib", json!({}))),
        (hdf5(1, &[5]), zarr(V2, "zlib", json!({"level": 5, "more": 1}))),
        (hdf5(1, &[5]), zarr(V2, "gzip", json!({"level": 5}))),
        (hdf5(1, &[5]), zarr(V3, "zlib", json!({"level": 5}))),
        (hdf5(2, &[8]), zarr(V2, "shuffle", json!({"elementsize": 4}))),
        (hdf5(1, &[5]), hdf5(307, &[5])),
        (hdf5(32004, &[0]), zarr(V2, "lz4", json!({"acceleration": 1}))),
        (hdf5(32004, &[0]), hdf5(32004, &[4096])),
        (hdf5(32008, &[0, 4, 4, 0, 2]), hdf5(32008, &[0, 4, 4, 0, 3])),
        (hdf5(307, &[5]), zarr(V2, "bz2", json!({"level": 0}))),
        (hdf5(3, &[]), zarr(V2, "fletcher32", json!({"more": 1}))),
        (
            hdf5(32015, &[3]),
            zarr(V3, "zstd", json!({"level": 3, "checksum": true})),
        ),
        (
            hdf5(32001, &[2, 2, 1, 100]),
            zarr(V2, "blosc", json!({"cname": "lz4", "clevel": 5, "shuffle": 1})),
        ),
        (hdf5(UNKNOWN_ID, &[1]), hdf5(UNKNOWN_ID, &[2])),
        (zarr(V3, "odd", json!({"a": 1})), zarr(V2, "odd", json!({"a": 1}))),
        (zarr(V3, "odd", json!({"a": 1})), zarr(V3, "odd", json!({"a": 2}))),
    ] {
        assert!(!same(&a, &b), "{a:?} {b:?}");
    }
    let (shuffle, deflate) = (hdf5(2, &[4]), zarr(V2, "zlib", json!({"level": 5})));
    let both = [shuffle.clone(), deflate.clone()];
    assert!(registry.same_streams(&both, &[shuffle.clone(), hdf5(1, &[5])], &chunk));
    assert!(!registry.same_streams(&both, &[deflate, shuffle.clone()], &chunk));
    assert!(!registry.same_streams(&both, &[shuffle], &chunk));
}

#[test]
fn translations_go_both_ways() {
    let chunk = ChunkType::of_bytes(100);
    let mut translated = 0;
    for codec in Registry::builtin().iter() {
        for version in [V2, V3] {
            if let Some(configuration) = codec.configuration(version, &[4], &chunk) {
                let back = codec.parameters(version, &configuration, &chunk).unwrap();
                let (back, given) = (
                    codec.canonical_parameters(&back),
                    codec.canonical_parameters(&[4]),
                );
                assert_eq!(back, given, "{}", codec.name());
                translated += 1;
            }
        }
    }
    assert_eq!(translated, 10 + 2 * usize::from(cfg!(feature = "blosc")));
}

#[test]
fn codecs_take_the_names_of_zarr() {
    let registry = Registry::builtin();
    let chunk = ChunkType::of_bytes(100);
    let deflate = CodecSpec::hdf5(1, [5]);
    for (version, name) in [(V2, "zlib"), (V3, "numcodecs.zlib")] {
        let spec = zarr(version, name, json!({"level": 5}));
        let names = CodecNames::Zarr(version);
        assert_eq!(registry.named(&deflate, names, &chunk).unwrap(), spec);
        assert_eq!(registry.named(&spec, names, &chunk).unwrap(), spec);
        assert_eq!(registry.hdf5_id(&spec), Some(1));
    }
    let v2 = zarr(V2, "zlib", json!({"level": 5}));
    let v3 = registry.named(&v2, CodecNames::Zarr(V3), &chunk).unwrap();
    assert_eq!(v3, zarr(V3, "numcodecs.zlib", json!({"level": 5})));
    let unknown = zarr(V3, "odd", json!({"a": 1}));
    assert_eq!(
        registry.named(&unknown, CodecNames::Zarr(V3), &chunk).unwrap(),
        unknown
    );
    let refused = registry.named(&CodecSpec::hdf5(511, [1]), CodecNames::Zarr(V3), &chunk);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "filter 511 has no form in version 3 of Zarr: choose other filters for this variable"
    );
}

#[test]
fn a_zarr_name_takes_its_hdf5_form_or_is_refused() {
    let registry = Registry::builtin();
    let chunk = ChunkType::of_bytes(100);
    let form = registry
        .in_hdf5(&zarr(V2, "zlib", json!({"level": 5})), &chunk)
        .unwrap();
    assert_eq!((form.hdf5_id(), form.parameters()), (Some(1), &[5][..]));
    // As in a new pipeline, all but fletcher32 may be skipped.
    assert!(form.is_optional());
    let checksum = registry
        .in_hdf5(&zarr(V2, "fletcher32", json!({})), &chunk)
        .unwrap();
    assert!(!checksum.is_optional());
    // lz4 is known, but HDF5's is another stream.
    for name in ["zlib", "odd", "lz4"] {
        let refused = registry.in_hdf5(&zarr(V2, name, json!({"odd": 1})), &chunk);
        let error = refused.unwrap_err().to_string();
        assert!(
            error.contains(&format!("codec {name} has no form in HDF5")),
            "{error}"
        );
    }
}

#[test]
fn other_programs_have_some_codecs() {
    let registry = Registry::builtin();
    let names = |has: &dyn Fn(&dyn Codec) -> bool| -> Vec<String> {
        let with = registry.iter().filter(|codec| has(codec.as_ref()));
        let names = with.filter_map(|codec| codec.zarr_name(V2).map(str::to_owned));
        names.filter(|name| name != "blosc").collect()
    };
    let of_netcdf_c = ["zlib", "shuffle", "fletcher32", "szip", "bz2", "zstd"];
    assert_eq!(names(&|codec| codec.facts().in_netcdf_c), of_netcdf_c);
    assert_eq!(
        names(&|codec| !codec.facts().in_numcodecs),
        ["szip", "imagecodecs_lz4f"]
    );
    let filters = ["shuffle", "fletcher32", "adler32", "crc32", "crc32c"];
    assert_eq!(names(&|codec| codec.facts().filter_in_zarr2), filters);
}
