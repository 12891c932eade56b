use std::collections::BTreeMap;
use std::path::Path;

use futures_util::{FutureExt, TryStreamExt};
use object_store::memory::InMemory;
use object_store::{ObjectStore, ObjectStoreExt};

use super::*;
use crate::copy::plan::{CopyOptions, plan};
use crate::copy::{self, RunOptions, prepare};
use crate::format;
use crate::format::zarr::ZarrOptions;
use crate::location::output::checks::size::expected_size;
use crate::location::remote_url;
use crate::location::{CreateOptions, Location};
use crate::model::Kind;
use crate::store::{Destination, GetRange, KeyStore, MemoryKeys, MemoryOutput};

/// Bytes that an output may hold.
const MEMORY: u64 = 15 << 20;

fn url(name: &str) -> RemoteUrl {
    remote_url::parse(name).unwrap().url
}

fn sample(name: &str) -> Location {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    Location::from_path(folder.join(name))
}

/// Copies a sample to a destination. Returns the expected size.
fn copy_to(name: &str, kind: Kind, destination: impl FnOnce(Option<u64>) -> Destination) -> Option<u64> {
    let reader = sample(name).open().unwrap();
    let options = CopyOptions {
        kind: Some(kind),
        ..CopyOptions::default()
    };
    let plan = plan(&*reader, &options).unwrap();
    let prepared = prepare(&*reader, &plan).unwrap();
    let expected = expected_size(&prepared.plans);
    let writer = format::create_with(
        destination(expected),
        &plan.schema,
        &prepared.plans,
        &ZarrOptions::write(kind),
    )
    .unwrap();
    copy::run(&*reader, &prepared, writer, &RunOptions::default()).unwrap();
    expected
}

/// All objects of a store in memory, whose requests are answered at once.
fn contents(store: &InMemory) -> BTreeMap<String, Vec<u8>> {
    let all: Vec<_> = store.list(None).try_collect().now_or_never().unwrap().unwrap();
    let one = |path| async move { store.get(path).await?.bytes().await };
    let value = |path| one(path).now_or_never().unwrap().unwrap().to_vec();
    all.iter()
        .map(|meta| (meta.location.to_string(), value(&meta.location)))
        .collect()
}

const SAMPLES: [&str; 3] = ["sample.nc", "classic/cdf1.nc", "classic/cdf5.nc"];

#[test]
fn one_file_has_the_same_bytes_as_in_memory() {
    for name in SAMPLES {
        for kind in [Kind::Netcdf4, Kind::Data64] {
            let local = Arc::new(MemoryOutput::new());
            let local_output = Arc::clone(&local);
            // The sample of netCDF-4 has what no classic file holds.
            if kind == Kind::Data64 && !name.starts_with("classic") {
                continue;
            }
            copy_to(name, kind, |_| Destination::from(local_output));
            let store = Arc::new(InMemory::new());
            let session = Session::of_store(store.clone(), "s3://b");
            let expected = copy_to(name, kind, |expected| {
                Destination::object(
                    "x",
                    object(session, &url("s3://b/d/x.nc"), MEMORY, expected).unwrap(),
                )
            });
            let found = contents(&store);
            assert_eq!(found.len(), 1);
            assert!(found["d/x.nc"] == local.bytes(), "{name} {kind:?}");
            assert!(
                expected.unwrap() >= found["d/x.nc"].len() as u64,
                "{name} {kind:?}: {expected:?}"
            );
        }
    }
}

#[test]
fn a_tree_has_the_same_keys_as_in_memory() {
    for name in SAMPLES {
        for kind in [Kind::Nczarr, Kind::Zarr2, Kind::Zarr3] {
            let local = MemoryKeys::new();
            copy_to(name, kind, |_| Destination::keys("x", Arc::new(local.output())));
            let store = Arc::new(InMemory::new());
            let tree_url = url("s3://b/d/x.zarr#mode=zarr,s3");
            for replaces in [false, true] {
                let session = Session::of_store(store.clone(), "s3://b");
                copy_to(name, kind, |_| {
                    Destination::keys("x", tree(session, &tree_url, MEMORY, replaces).unwrap())
                });
                let found = contents(&store);
                let keys = local.list("").unwrap();
                let expected: Vec<String> = keys.iter().map(|key| format!("d/x.zarr/{key}")).collect();
                assert_eq!(
                    found.keys().cloned().collect::<Vec<_>>(),
                    expected,
                    "{name} {kind:?}"
                );
                for key in keys {
                    let value = local.get(&key, GetRange::Whole).unwrap().unwrap();
                    assert!(
                        found[&format!("d/x.zarr/{key}")] == value,
                        "{name} {kind:?} {key}"
                    );
                }
            }
            let session = Session::of_store(store.clone(), "s3://b");
            let Err(refused) = tree(session, &tree_url, MEMORY, false) else {
                panic!("a dataset was replaced")
            };
            let refused = refused.to_string();
            assert!(refused.ends_with(", and is not replaced"), "{refused}");
        }
    }
}

#[test]
fn what_cannot_be_written_is_said_without_a_request() {
    let session = || Session::of_store(Arc::new(InMemory::new()), "s3://b");
    let error = object(session(), &url("https://h/x.nc"), MEMORY, None)
        .err()
        .unwrap();
    assert!(error.to_string().contains("can only be read"), "{error}");
    let error = object(session(), &url("s3://bucket"), MEMORY, None)
        .err()
        .unwrap();
    assert!(error.to_string().contains("no object in it"), "{error}");
    let output = Location::parse("https://h/x.nc").unwrap();
    assert_eq!(output.memory_of_output(64_000_000), 16_000_000);
    assert_eq!(sample("sample.nc").memory_of_output(64_000_000), 0);
    let reader = sample("classic/cdf1.nc").open().unwrap();
    let plan = plan(&*reader, &CopyOptions::default()).unwrap();
    let prepared = prepare(&*reader, &plan).unwrap();
    let created = output.create_with(&plan.schema, &prepared.plans, &CreateOptions::default());
    let error = created.err().unwrap().to_string();
    assert!(error.starts_with("https://h/x.nc: plain HTTP"), "{error}");
}
