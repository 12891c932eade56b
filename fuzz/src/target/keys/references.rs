//! Fuzzes references in stores of keys: kerchunk's folders of Parquet files, and Icechunk repositories. An input is a
//! [list of keys](super::key_list).

use std::path::Path;

use ncutils_core::store::references::icechunk::{
    Containers, FileKind, FlexValue, Manifest, Repository, Snapshot, Wanted, read_file,
};
use ncutils_core::store::references::parquet::read_rows;

use super::super::files::dataset::read_reader;
use super::key_list::{hierarchies, store, values};
use super::zarr::open;
use crate::Seed;

/// Most rows of a file.
const MOST_ROWS: usize = 10_000;

/// Reads each file by itself, and what the references of all describe.
pub fn read(input: &[u8]) {
    for (_, value) in values(input) {
        table(value);
        metadata(value);
    }
    if let Some(reader) = store(values(input)).and_then(open) {
        read_reader(&*reader);
    }
}

/// Reads a value as a Parquet file.
fn table(value: &[u8]) {
    if let Ok(rows) = read_rows(value, MOST_ROWS) {
        for row in 0..=rows.len() {
            assert_eq!(rows.has(row), rows.get(row).is_some());
        }
    }
}

/// Reads a value as a file of Icechunk of each kind.
fn metadata(value: &[u8]) {
    let buffer = |kind| read_file(value, kind).ok();
    let snapshot = buffer(FileKind::Snapshot).and_then(|buffer| Snapshot::parse(&buffer).ok());
    drop(snapshot);
    if let Some(buffer) = buffer(FileKind::Repository) {
        let found = Repository::parse(&buffer);
        if let Ok(found) = found {
            // What is read is written again.
            Repository::parse(&found.flatbuffer()).expect("a file that was written");
            drop(found.settings().map(FlexValue::parse));
        }
    }
    drop(Containers::of_yaml(&String::from_utf8_lossy(value)));
    if let Ok(settings) = FlexValue::parse(value) {
        drop(Containers::of(&settings));
        assert!(FlexValue::parse(&settings.write()).is_ok());
    }
    let Some(manifest) = buffer(FileKind::Manifest).map(Manifest::new) else {
        return;
    };
    for node in manifest.nodes().unwrap_or_default() {
        let mut positions = Vec::new();
        let read = manifest.chunks(&node, Wanted::Positions, |position, _| {
            positions.push(position.to_vec());
            true
        });
        drop(read);
        for position in positions {
            drop(manifest.find(&node, &position));
        }
    }
}

/// Folders of Parquet files.
pub fn folders(root: &Path) -> Vec<Seed> {
    hierarchies(&root.join("testdata/references"), &[".zmetadata"], 3)
}

/// Repositories of Icechunk.
pub fn repositories(root: &Path) -> Vec<Seed> {
    hierarchies(
        &root.join("testdata/references"),
        &["refs/branch.main/ref.json", "repo"],
        3,
    )
}
