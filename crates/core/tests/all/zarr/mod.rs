//! Zarr version 2 and NCZarr: datasets that go there and back, and damaged metadata.

mod damaged;
mod hierarchy;
mod round_trip;

use std::path::Path;
use std::sync::Arc;

use ncutils_core::copy::plan::{CopyOptions, plan};
use ncutils_core::copy::{self, RunOptions, prepare};
use ncutils_core::error::Result;
use ncutils_core::filter::Registry;
use ncutils_core::format::{self, ReadOptions, Reader};
use ncutils_core::model::Kind;
use ncutils_core::print::{DataOf, DumpOptions, cdl};
use ncutils_core::store::{GetRange, Input, KeyOutput, KeyStore, MemoryKeys, MemoryOutput};

/// A small file in `testdata`.
fn testdata(name: &str) -> Box<dyn Reader> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata")
        .join(name);
    let bytes = std::fs::read(path).unwrap();
    format::open(Arc::new(bytes), &Registry::builtin()).unwrap()
}

/// Everything that ncdump prints of a dataset, in full precision.
fn text(reader: &dyn Reader) -> String {
    let mut out = Vec::new();
    let mut options = DumpOptions {
        data: DataOf::All,
        ..DumpOptions::default()
    };
    options.precision.exact = true;
    cdl::dump(reader, "x", &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// What `ncdump -hs` prints.
fn special(reader: &dyn Reader) -> String {
    let mut out = Vec::new();
    let options = DumpOptions {
        data: DataOf::None,
        special: true,
        ..DumpOptions::default()
    };
    cdl::dump(reader, "x", &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Copies a dataset to keys in memory.
fn to_keys(reader: &dyn Reader, options: &CopyOptions, threads: usize) -> MemoryKeys {
    let keys = MemoryKeys::new();
    let plan = plan(reader, options).unwrap();
    let prepared = prepare(reader, &plan).unwrap();
    let output: Arc<dyn KeyOutput> = Arc::new(keys.output());
    let destination = ncutils_core::store::Destination::keys("", output);
    let writer = format::create(destination, &plan.schema, &prepared.plans).unwrap();
    let options = RunOptions {
        threads: Some(threads),
        ..RunOptions::default()
    };
    copy::run(reader, &prepared, writer, &options).unwrap();
    keys
}

/// Copies a dataset to a netCDF-4 file in memory.
fn to_netcdf4(reader: &dyn Reader) -> Box<dyn Reader> {
    let options = CopyOptions {
        kind: Some(Kind::Netcdf4),
        ..CopyOptions::default()
    };
    let plan = plan(reader, &options).unwrap();
    let prepared = prepare(reader, &plan).unwrap();
    let output = Arc::new(MemoryOutput::new());
    let writer = format::create(output.clone(), &plan.schema, &prepared.plans).unwrap();
    copy::run(reader, &prepared, writer, &RunOptions::default()).unwrap();
    format::open(Arc::new(output.bytes()), &Registry::builtin()).unwrap()
}

fn to(kind: Kind) -> CopyOptions {
    CopyOptions {
        kind: Some(kind),
        ..CopyOptions::default()
    }
}

fn open(keys: &MemoryKeys) -> Result<Box<dyn Reader>> {
    format::open(Input::keys("", Arc::new(keys.clone())), &Registry::builtin())
}

/// A store with these keys and texts.
fn store<'a>(documents: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> MemoryKeys {
    let keys = MemoryKeys::new();
    let output = keys.output();
    for (key, value) in documents {
        output.put(key, value).unwrap();
    }
    output.publish().unwrap();
    keys
}

fn document(keys: &MemoryKeys, key: &str) -> String {
    let bytes = keys.get(key, GetRange::Whole).unwrap();
    String::from_utf8(bytes.unwrap_or_else(|| panic!("no {key}"))).unwrap()
}
