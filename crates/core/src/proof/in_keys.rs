//! Small datasets of Zarr version 2 in memory, as input for tests.

use std::sync::Arc;

use crate::filter::Registry;
use crate::format::{Reader, open};
use crate::store::{KeyOutput, KeyStore, MemoryKeys, Place};

/// An array of one dataset: its name, the members of its `.zarray` that differ from array to array, and its chunks.
pub(super) struct Array<'a> {
    pub(super) name: &'a str,
    pub(super) shape: &'a [u64],
    pub(super) chunks: &'a [u64],
    /// JSON of `dtype`, `fill_value`, `compressor` and `filters`.
    pub(super) members: [&'a str; 4],
    pub(super) stored: &'a [(&'a str, Vec<u8>)],
}

/// Bytes of numbers.
pub(super) const BYTES: [&str; 4] = [r#""|u1""#, "9", "null", "null"];

/// The same without a fill value.
pub(super) const NO_FILL: [&str; 4] = [r#""|u1""#, "null", "null", "null"];

/// The same, deflated.
pub(super) const DEFLATED: [&str; 4] = [r#""|u1""#, "null", r#"{"id": "zlib", "level": 1}"#, "null"];

/// Strings without a fill value.
pub(super) const STRINGS: [&str; 4] = [r#""|O""#, "null", "null", r#"[{"id": "vlen-utf8"}]"#];

/// A chunk of strings.
pub(super) fn strings(texts: &[&str]) -> Vec<u8> {
    let length = |n: usize| (n as u32).to_le_bytes().to_vec();
    let each = texts
        .iter()
        .flat_map(|text| [length(text.len()), text.as_bytes().to_vec()]);
    std::iter::once(length(texts.len()))
        .chain(each)
        .flatten()
        .collect()
}

/// A store of keys with these arrays.
pub(super) fn keys(arrays: &[Array<'_>]) -> MemoryKeys {
    let keys = MemoryKeys::new();
    let output = keys.output();
    output.put(".zgroup", br#"{"zarr_format": 2}"#).unwrap();
    for array in arrays {
        let [dtype, fill, compressor, filters] = array.members;
        let document = format!(
            r#"{{"zarr_format": 2, "shape": {:?}, "chunks": {:?}, "dtype": {dtype}, "fill_value": {fill},
            "compressor": {compressor}, "filters": {filters}, "order": "C"}}"#,
            array.shape, array.chunks
        );
        let key = |name: &str| format!("{}/{name}", array.name);
        output.put(&key(".zarray"), document.as_bytes()).unwrap();
        for (name, value) in array.stored {
            output.put(&key(name), value).unwrap();
        }
    }
    output.publish().unwrap();
    keys
}

/// Opens a store of keys.
pub(super) fn open_keys(keys: impl KeyStore + 'static) -> Box<dyn Reader> {
    open(Place::keys("test", Arc::new(keys)), &Registry::builtin()).unwrap()
}

/// A dataset of one array `v`.
pub(super) fn array(
    shape: &[u64],
    chunks: &[u64],
    members: [&str; 4],
    stored: &[(&str, Vec<u8>)],
) -> Box<dyn Reader> {
    open_keys(keys(&[Array {
        name: "v",
        shape,
        chunks,
        members,
        stored,
    }]))
}
