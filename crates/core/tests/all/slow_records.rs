//! Classic files on a source that is slow to answer: many records are requested at once, and the copy is that of a fast source.

use std::sync::Arc;

use ncutils_core::chunk::Region;
use ncutils_core::copy::plan::{CopyOptions, plan};
use ncutils_core::copy::{self, RunOptions, prepare};
use ncutils_core::error::Result;
use ncutils_core::filter::Registry;
use ncutils_core::format;
use ncutils_core::model::{Kind, VarId};
use ncutils_core::store::{MemoryOutput, Object};

use crate::support::pooled_object::Pooled;

/// A file of two record variables: `time`, and `v` with `length` numbers in each record.
fn classic(records: u32, length: u32) -> Vec<u8> {
    let mut bytes = b"CDF\x02".to_vec();
    let number = |bytes: &mut Vec<u8>, n: u32| bytes.extend(n.to_be_bytes());
    let name = |bytes: &mut Vec<u8>, text: &str| {
        bytes.extend((text.len() as u32).to_be_bytes());
        bytes.extend(text.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    };
    [records, 10, 2].into_iter().for_each(|n| number(&mut bytes, n));
    for (dimension, length) in [("time", 0), ("x", length)] {
        name(&mut bytes, dimension);
        number(&mut bytes, length);
    }
    [0, 0, 11, 2].into_iter().for_each(|n| number(&mut bytes, n));
    let header = 140u64;
    for (variable, dims, ty, size, begin) in [
        ("time", &[0][..], 6, 8, header),
        ("v", &[0, 1][..], 5, 4 * length, header + 8),
    ] {
        name(&mut bytes, variable);
        number(&mut bytes, dims.len() as u32);
        dims.iter().for_each(|dim| number(&mut bytes, *dim));
        [0, 0, ty, size].into_iter().for_each(|n| number(&mut bytes, n));
        bytes.extend(begin.to_be_bytes());
    }
    assert_eq!(bytes.len() as u64, header);
    let data = u64::from(records) * u64::from(8 + 4 * length);
    bytes.extend((0..data).map(|n| ((n * 7) >> 4) as u8 & 0x3F));
    bytes
}

/// An object as of a store that is slow to answer.
fn slow(bytes: Vec<u8>) -> Arc<Pooled> {
    Pooled::new(bytes, 50, 100_000)
}

/// The bytes of a copy.
fn copied(source: Arc<dyn Object>, kind: Option<Kind>, memory: u64) -> Result<Vec<u8>> {
    copied_after(source, kind, memory, || ())
}

/// The bytes of a copy. `before` is called when the file is open and the copy begins.
fn copied_after(
    source: Arc<dyn Object>,
    kind: Option<Kind>,
    memory: u64,
    before: impl FnOnce(),
) -> Result<Vec<u8>> {
    let reader = format::open(source, &Registry::builtin())?;
    let options = CopyOptions {
        kind,
        ..CopyOptions::default()
    };
    let plan = plan(&*reader, &options)?;
    let prepared = prepare(&*reader, &plan)?;
    let output = Arc::new(MemoryOutput::new());
    let writer = format::create(output.clone(), &plan.schema, &prepared.plans)?;
    let options = RunOptions {
        threads: Some(2),
        memory: Some(memory),
        ..RunOptions::default()
    };
    before();
    let report = copy::run(&*reader, &prepared, writer, &options)?;
    assert!(report.peak() <= memory);
    Ok(output.bytes())
}

#[test]
fn long_records_are_copied_with_many_requests_of_whole_records() {
    let bytes = classic(30, 100_000);
    let source = slow(bytes.clone());
    let hold = || source.gate.hold_until(5);
    let found = copied_after(source.clone(), None, 32 << 20, hold).unwrap();
    assert!(found == bytes);
    let most = source.gate.most();
    assert!(most >= 5, "{most} at once");
    // The times come with the records.
    let records = source.asked();
    let records = records.iter().filter(|length| **length != 64 << 10).count();
    assert!(records <= 20, "{records} requests");
}

#[test]
fn records_become_the_same_chunks_as_those_of_a_fast_source() {
    for (records, length) in [(30, 100_000), (2_000, 300)] {
        let bytes = classic(records, length);
        for kind in [Kind::Netcdf4, Kind::Data64] {
            let expected = copied(Arc::new(bytes.clone()), Some(kind), 64 << 20).unwrap();
            let source = slow(bytes.clone());
            let is_wide = records == 30 && kind == Kind::Netcdf4;
            let hold = || source.gate.hold_until(if is_wide { 10 } else { 1 });
            let found = copied_after(source.clone(), Some(kind), 64 << 20, hold).unwrap();
            assert!(found == expected, "{records} records, {kind:?}");
            let asked = source.asked().len();
            assert!(asked < 90, "{asked} requests");
            if is_wide {
                assert!(source.gate.most() >= 10);
            }
        }
    }
}

#[test]
fn a_region_of_many_records_is_read_at_once() {
    let bytes = classic(40, 30_000);
    let source = slow(bytes.clone());
    let reader = format::open(source.clone(), &Registry::builtin()).unwrap();
    let local = format::open(Arc::new(bytes), &Registry::builtin()).unwrap();
    for (var, start, count) in [
        (0, vec![0], vec![40]),
        (1, vec![3, 7], vec![35, 1]),
        (1, vec![1, 0], vec![39, 30_000]),
    ] {
        source.gate.most();
        let region = Region { start, count };
        let least = if region.count.last() == Some(&30_000) {
            1
        } else {
            20
        };
        source.gate.hold_until(least);
        let found = reader.read_region(VarId(var), &region).unwrap();
        assert_eq!(found, local.read_region(VarId(var), &region).unwrap());
        let most = source.gate.most();
        assert!(most >= least, "{most} at once of {region:?}");
    }
}

#[test]
fn missing_records_are_told_as_of_a_fast_source() {
    let mut bytes = classic(30, 100_000);
    bytes.truncate(bytes.len() - 1_000_000);
    for kind in [None, Some(Kind::Netcdf4)] {
        let expected = copied(Arc::new(bytes.clone()), kind, 64 << 20).unwrap_err();
        let found = copied(slow(bytes.clone()), kind, 64 << 20).unwrap_err();
        assert_eq!(found.to_string(), expected.to_string());
        assert!(found.to_string().contains("the file is truncated"), "{found}");
    }
}
