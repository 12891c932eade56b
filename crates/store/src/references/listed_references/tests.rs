use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::references::icechunk::{IcechunkReferences, ObjectId, Specification};
use crate::references::parquet::{ParquetReferences, read_rows};
use crate::references::{ParquetReferenceOutput, ReferenceSet, ReferencedArray, StoredRange, read_kerchunk};
use crate::{GetRange, KeyOutput, KeyStore, MemoryKeys, RepositoryOutput};

#[test]
fn handles_lead_to_what_was_listed_as_long_as_there_is_room() {
    let listed = ListedReferences::default();
    assert_eq!(listed.inline(b"ab").unwrap(), Some(0));
    assert_eq!(listed.stored("/d/a.nc", Some((5, 6)), None).unwrap(), Some(1));
    assert_eq!(listed.inline(&vec![0; MOST_KEPT]).unwrap(), None);
    assert_eq!(listed.get(0), Some(Reference::Inline(b"ab".to_vec())));
    assert_eq!(listed.get(1), Some(stored("/d/a.nc", 5, 6, None)));
    assert_eq!(listed.get(2), None);
}

fn stored(object: &str, offset: u64, size: u64, version: Option<&str>) -> Reference {
    Reference::Stored(StoredRange {
        object: object.into(),
        range: Some((offset, size)),
        version: version.map(|tag| ObjectVersion::ETag(tag.into())),
    })
}

/// References of a row of chunks, one of which has `size` bytes; `None` for a chunk that was never written.
fn references(size: u64) -> Vec<Option<Reference>> {
    vec![
        Some(stored("s3://b/a.nc", 1, 2, Some("first"))),
        Some(stored("s3://b/a.nc", 3, 4, Some("second"))),
        None,
        Some(Reference::Inline(b"value".to_vec())),
        Some(stored("s3://b/c.nc", 7, size, None)),
        Some(stored("s3://b/a.nc", 1, 2, Some("first"))),
    ]
}

fn array(path: &str, count: u64) -> ReferencedArray {
    ReferencedArray {
        path: path.to_owned(),
        shape: vec![(count, 1)],
        dimensions: vec!["x".to_owned()],
        counts: vec![count],
        fill: Box::new(|| Ok(vec![7])),
    }
}

/// Checks that handles and keys of `set` lead to the same references, of which `count` are of chunks.
fn check(set: &dyn ReferenceSet, folder: &str, count: usize) {
    let mut listed = BTreeMap::new();
    let has_handles = set.list_handles(folder, &mut |key, handle| {
        listed.entry(key.to_owned()).or_insert(handle);
    });
    assert!(has_handles.unwrap());
    for (key, handle) in &listed {
        assert!(key.starts_with(folder));
        assert_eq!(set.by_handle(*handle), set.find(key).unwrap(), "{key}");
    }
    let is_chunk = |key: &&String| !key.contains("zarr") && !key.contains(".z");
    assert_eq!(listed.keys().filter(is_chunk).count(), count);
    let keys = set.list(folder).unwrap();
    assert_eq!(keys.iter().filter(is_chunk).count(), count);
    assert!(keys.iter().filter(is_chunk).all(|key| listed.contains_key(key)));
}

#[test]
fn handles_of_json_lead_where_keys_do() {
    let text = r#"{"version": 1, "refs": {"v/.zarray": "{}", "v/0": ["s3://b/a.nc", 1, 2], "v/1": "value",
        "v/3": ["s3://b/c.nc"], "w/0": ["s3://b/a.nc", 3, 4]}}"#;
    let table = read_kerchunk(&mut text.as_bytes()).unwrap();
    check(&table, "", 4);
    check(&table, "v/", 3);
}

#[test]
fn handles_of_parquet_lead_where_keys_do() {
    let keys = Arc::new(MemoryKeys::new());
    let output = ParquetReferenceOutput::new(Arc::new(keys.output()));
    output.begin_arrays(vec![array("v", 6), array("w", 1)]).unwrap();
    for (n, reference) in references(8).iter().enumerate() {
        if let Some(reference) = reference {
            output.put_reference(&format!("v/{n}"), reference).unwrap();
        }
    }
    output.put("w/0", b"w").unwrap();
    output.publish().unwrap();
    let grids = BTreeMap::from([("v".to_owned(), vec![6]), ("w".to_owned(), vec![1])]);
    let set = ParquetReferences::new(keys.clone(), 10_000, BTreeMap::new(), grids).unwrap();
    check(&set, "", 6);
    check(&set, "v/", 5);
}

#[test]
fn a_value_of_many_rows_is_kept_once() {
    let keys = Arc::new(MemoryKeys::new());
    let output = ParquetReferenceOutput::new(Arc::new(keys.output()));
    let mut long = array("v", 10_000);
    long.fill = Box::new(|| Ok(vec![7; 1 << 20]));
    output.begin_arrays(vec![long]).unwrap();
    output.publish().unwrap();
    let mut file = keys.get("v/refs.0.parq", GetRange::Whole).unwrap().unwrap();
    // Rows of a file of another program have the value.
    let at = file.windows(8).position(|bytes| bytes == b"ncutils ").unwrap();
    file[at] = b'N';
    let rows = read_rows(&file, 10_000).unwrap();
    assert!(rows.has(0) && rows.has(9_999) && rows.cost() < 2 << 20);
}

/// The references of a repository with the array `v` of these chunks, and the chunk `w`.
fn icechunk(specification: Specification, chunks: &[Option<Reference>]) -> IcechunkReferences {
    let keys = Arc::new(MemoryKeys::new());
    let output = RepositoryOutput::new(Arc::new(keys.output()), specification);
    output
        .begin_arrays(vec![array("v", chunks.len() as u64), array("w", 1)])
        .unwrap();
    for (n, reference) in chunks.iter().enumerate() {
        if let Some(reference) = reference {
            output.put_reference(&format!("v/c/{n}"), reference).unwrap();
        }
    }
    output.put("w/c/0", b"w").unwrap();
    for key in ["zarr.json", "v/zarr.json", "w/zarr.json"] {
        output.put_last(key, b"{}").unwrap();
    }
    output.publish().unwrap();
    let id = |key: &String| ObjectId::parse(key.strip_prefix("snapshots/")?);
    let ids: Vec<ObjectId> = keys.list("snapshots/").unwrap().iter().filter_map(id).collect();
    let open = |id| IcechunkReferences::open(keys.clone(), id, None, "").unwrap();
    let mut sets = ids.into_iter().map(open);
    sets.find(|set| set.find("v/zarr.json").unwrap().is_some())
        .unwrap()
}

#[test]
fn handles_of_icechunk_lead_where_keys_do() {
    for specification in [Specification::V1, Specification::V2] {
        let set = icechunk(specification, &references(u64::MAX - 7));
        check(&set, "", 6);
        check(&set, "v/", 5);
    }
}

#[test]
fn chunks_of_icechunk_without_handles_are_found_by_keys() {
    let mut lost = references(8);
    lost[2] = Some(stored("vcc://gone/a.nc", 1, 2, None));
    let set = icechunk(Specification::V2, &lost);
    assert!(!set.list_handles("v/", &mut |_, _| ()).unwrap());
    assert_eq!(set.list("v/c/").unwrap().len(), 6);
    assert_eq!(set.find("v/c/5").unwrap(), lost[5]);
    assert!(set.find("v/c/2").is_err());
}

#[test]
fn chunks_of_icechunk_alternate_between_objects_with_long_names() {
    let folder = "x".repeat(1000);
    let chunks: Vec<Option<Reference>> = (0..4000)
        .map(|n| Some(stored(&format!("s3://b/{folder}/{}.nc", n % 2), n, 1, None)))
        .collect();
    let set = icechunk(Specification::V2, &chunks);
    check(&set, "v/", 4000);
    let mut objects = 0;
    set.objects(&mut |_| objects += 1).unwrap();
    assert!(objects >= 2);
}
