//! Chunks whose filters differ at the outer end alone are changed there, and pass otherwise.

use serde_json::json;

use super::in_memory::{InMemoryInput, copy, input, layout, plan, source};
use super::masks::WITHOUT_MASKS;
use super::model::check;
use crate::copy::{CopyPlan, RouteName, prepare};
use crate::model::{CodecSpec, Endian, Kind, VariableLayout, ZarrVersion};

fn v3(name: &str, configuration: serde_json::Value) -> CodecSpec {
    CodecSpec::zarr(ZarrVersion::V3, name, configuration.as_object().unwrap().clone())
}

/// A variable with filters of HDF5, and the same with others.
fn variables(from: &[CodecSpec], to: &[CodecSpec]) -> (InMemoryInput, CopyPlan, VariableLayout) {
    let mut stored = layout(&[10, 7], Some(&[4, 4]), 4, Endian::Little, 0);
    let mut output = stored.clone();
    stored.filters = from.to_vec();
    output.filters = to.to_vec();
    let mut plan = plan(std::slice::from_ref(&output));
    plan.schema.kind = Kind::Other(&WITHOUT_MASKS);
    (input(vec![source(stored, [2])]), plan, output)
}

/// Chains of HDF5 and Zarr that differ at their ends, and bytes that wrappers and checksums take around the stream that
/// stays: before and after it, in the first chain and in the second.
fn pairs() -> Vec<(Vec<CodecSpec>, Vec<CodecSpec>, [(usize, usize); 2])> {
    let shuffle = CodecSpec::hdf5(2, [4]);
    let deflate = CodecSpec::hdf5(1, [5]);
    let fletcher32 = CodecSpec::hdf5(3, []);
    let own_shuffle = v3("numcodecs.shuffle", json!({"elementsize": 4}));
    let zlib = v3("numcodecs.zlib", json!({"level": 5}));
    let gzip = v3("gzip", json!({"level": 5}));
    let crc32c = v3("crc32c", json!({}));
    vec![
        (
            vec![shuffle.clone(), deflate.clone()],
            vec![own_shuffle.clone(), gzip.clone()],
            [(2, 4), (10, 8)],
        ),
        (
            vec![shuffle.clone(), deflate.clone(), fletcher32],
            vec![own_shuffle.clone(), gzip, crc32c.clone()],
            [(2, 8), (10, 12)],
        ),
        (
            vec![shuffle, deflate],
            vec![own_shuffle, zlib, crc32c.clone()],
            [(0, 0), (0, 4)],
        ),
        (vec![], vec![crc32c], [(0, 0), (0, 4)]),
    ]
}

#[test]
fn streams_below_the_end_stay() {
    for (from, to, ends) in pairs() {
        for (from, to, [before, after]) in [(&from, &to, ends), (&to, &from, [ends[1], ends[0]])] {
            let (input, plan, output) = variables(from, to);
            let route = prepare(&input, &plan).unwrap().routes().next().unwrap().route;
            assert_eq!(route, RouteName::Raw);
            let log = copy(&input, &plan, 3, 1 << 30).unwrap();
            check(&input.sources[0], &output, 0, &log, true);
            assert_eq!(log.chunks.len(), 5);
            for (_, chunk, data) in log.chunks.values() {
                let stored = input.sources[0].encoded(*chunk).bytes;
                let stream = |bytes: &[u8], (front, back)| bytes[front..bytes.len() - back].to_vec();
                assert_eq!(
                    stream(&data.bytes, after),
                    stream(&stored, before),
                    "{from:?} {to:?}"
                );
            }
            assert_eq!(log, copy(&input, &plan, 1, 1).unwrap());
        }
    }
}

#[test]
fn chunks_that_skipped_filters_are_encoded_anew() {
    let (from, to, _) = pairs().remove(0);
    let (mut input, plan, output) = variables(&from, &to);
    input.sources[0].unfiltered_edges = true;
    let log = copy(&input, &plan, 2, 1 << 30).unwrap();
    assert!(log.chunks.values().all(|(_, _, data)| data.filter_mask == 0));
    check(&input.sources[0], &output, 0, &log, true);
    // A format with masks has no other use for the bits of other filters.
    let mut with_masks = plan;
    with_masks.schema.kind = Kind::Netcdf4;
    let log = copy(&input, &with_masks, 2, 1 << 30).unwrap();
    assert!(log.chunks.values().all(|(_, _, data)| data.filter_mask == 0));
}

#[test]
fn a_damaged_checksum_names_the_chunk() {
    let (from, to, _) = pairs().remove(1);
    for (from, to, says) in [(&from, &to, "filter 3"), (&to, &from, "codec crc32c")] {
        let (mut input, plan, _) = variables(from, to);
        input.damaged = Some(3);
        let error = copy(&input, &plan, 2, 1 << 30).unwrap_err().to_string();
        assert!(
            error.contains("v0") && error.contains("[1, 1]") && error.contains(says),
            "{error}"
        );
    }
}
