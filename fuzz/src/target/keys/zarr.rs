//! Fuzzes the reader of Zarr hierarchies of version 2. An input is a [list of keys](super::key_list).

use std::path::Path;
use std::sync::Arc;

use ncutils_core::filter::Registry;
use ncutils_core::format::zarr::json::Json;
use ncutils_core::format::{self, Reader};
use ncutils_core::store::{Input, MemoryKeys};

use super::super::files::dataset::{check, read_reader};
use super::key_list::{hierarchies, store, values};
use crate::Seed;

/// Reads the hierarchy within bounds. Each of its documents must print and parse to itself.
pub fn read(input: &[u8]) {
    for (_, value) in values(input) {
        check_document(value);
    }
    if let Some(reader) = store(values(input)).and_then(open) {
        read_reader(&*reader);
    }
}

/// Checks that a document prints and parses to itself.
pub fn check_document(value: &[u8]) {
    if let Ok(json) = Json::parse(value) {
        let text = json.to_string();
        let again = Json::parse(text.as_bytes()).map(|json| json.to_string());
        assert_eq!(
            again.as_deref(),
            Ok(&*text),
            "a document prints and parses to itself"
        );
    }
}

/// Opens a store of keys.
pub fn open(keys: MemoryKeys) -> Option<Box<dyn Reader>> {
    check(format::open(
        Input::keys("", Arc::new(keys)),
        &Registry::builtin(),
    ))
}

/// The hierarchies in folders below `testdata` and the corpus.
pub fn seeds(root: &Path) -> Vec<Seed> {
    let marks = [".zgroup", ".zarray", ".nczarr"];
    let folders = [root.join("testdata/zarr"), root.join("../shared/corpus/zarr")];
    let seeds = folders.iter().flat_map(|folder| hierarchies(folder, &marks, 3));
    seeds.collect()
}
