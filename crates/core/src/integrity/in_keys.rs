//! Small datasets of Zarr version 2 in memory, as input for tests.

use std::io;
use std::sync::{Arc, Mutex};

use crate::filter::Registry;
use crate::format::{Reader, open};
use crate::store::{Done, Get, GetRange, Input, KeyOutput, KeyStore, MemoryKeys, Requests};

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
    open(Input::keys("test", Arc::new(keys)), &Registry::builtin()).unwrap()
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

/// Slow stores, and the requests for chunks to them: how many each call had.
#[derive(Clone, Default)]
pub(super) struct Slow {
    keys: MemoryKeys,
    asked: Arc<Mutex<Vec<usize>>>,
}

impl Slow {
    /// One more store.
    pub(super) fn over(&self, keys: MemoryKeys) -> Self {
        Self {
            keys,
            asked: Arc::clone(&self.asked),
        }
    }

    /// The requests since the last call.
    pub(super) fn asked(&self) -> Vec<usize> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

fn is_chunk(key: &str) -> bool {
    key.ends_with(|end: char| end.is_ascii_digit())
}

impl KeyStore for Slow {
    fn get(&self, key: &str, part: GetRange) -> io::Result<Option<Vec<u8>>> {
        if is_chunk(key) {
            self.asked.lock().unwrap().push(1);
        }
        self.keys.get(key, part)
    }
    fn size(&self, key: &str) -> io::Result<Option<u64>> {
        self.keys.size(key)
    }
    fn list(&self, prefix: &str) -> io::Result<Vec<String>> {
        self.keys.list(prefix)
    }
    fn requests(&self) -> Requests {
        Requests::slow(100, 0)
    }
    fn fetch(self: Arc<Self>, gets: Vec<Get>, done: Done<io::Result<Vec<Option<Vec<u8>>>>>) {
        match gets.iter().filter(|get| is_chunk(&get.key)).count() {
            0 => {}
            count => self.asked.lock().unwrap().push(count),
        }
        done(gets.iter().map(|get| self.keys.get(&get.key, get.part)).collect());
    }
}
