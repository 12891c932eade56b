//! Fuzzes the reader of zip files: every key, as a whole and in parts. What was read is written to a zip, and read again.

use std::io;
use std::path::Path;
use std::sync::{Arc, mpsc};

use ncutils_core::store::{
    ByteRange, Get, GetRange, KeyOutput, KeyStore, MemoryOutput, Output, ZipKeys, ZipOutput,
};

use super::super::sample_files::below;
use crate::Seed;

/// Maximum number of keys whose values are read.
const MAX_KEYS: usize = 100;

/// Maximum size of a value that is read, in bytes.
const MAX_VALUE: u64 = 1 << 20;

/// Opens the zip, or what is left of it, and reads it.
pub fn read(input: &[u8]) {
    let Ok((keys, _)) = ZipKeys::open_damaged(Arc::new(input.to_vec())) else {
        return;
    };
    let names = keys.list("").expect("a zip lists its keys");
    assert!(
        names.is_sorted_by(|a, b| a < b),
        "keys are sorted, each is there once"
    );
    if let Some(folder) = keys.top_folder() {
        let below = keys.below(folder);
        assert_eq!(below.list("").expect("a zip lists its keys").len(), names.len());
    }
    let keys = Arc::new(keys);
    let small = |name: &String| {
        keys.size(name)
            .is_ok_and(|size| size.is_some_and(|size| size <= MAX_VALUE))
    };
    let names: Vec<String> = names.into_iter().filter(small).take(MAX_KEYS).collect();
    let whole: Vec<(String, Vec<u8>)> = names.into_iter().filter_map(|name| value(&keys, name)).collect();
    let gets = whole.iter().map(|(name, _)| Get::whole(name.clone())).collect();
    let found = fetched(&keys, gets).expect("what was read can be fetched");
    assert!(
        found
            .into_iter()
            .flatten()
            .eq(whole.iter().map(|(_, value)| value.clone()))
    );
    write(&whole);
}

/// Reads a value and its parts. `None` if the whole is damaged.
fn value(keys: &Arc<ZipKeys>, name: String) -> Option<(String, Vec<u8>)> {
    let size = keys.size(&name).ok()??;
    let range = |offset, length| GetRange::Range(ByteRange { offset, length });
    let parts = [
        range(0, 5),
        range(size / 2, 7),
        range(size, 1),
        GetRange::Suffix(3),
        GetRange::Suffix(usize::MAX),
    ];
    let read: Vec<io::Result<Option<Vec<u8>>>> = parts.iter().map(|part| keys.get(&name, *part)).collect();
    let get = Get {
        key: name.clone(),
        part: GetRange::Suffix(2),
    };
    let _ = fetched(keys, vec![get]);
    let whole = keys
        .get(&name, GetRange::Whole)
        .ok()?
        .expect("a key that is listed exists");
    assert_eq!(whole.len() as u64, size, "a value is as long as stated");
    for (part, found) in parts.iter().zip(read) {
        // Whole values and parts are inflated by two libraries, which do not refuse the same damaged codes.
        let Ok(found) = found else { continue };
        let found = found.expect("a key that is listed exists");
        let (from, length) = match *part {
            GetRange::Range(range) => (range.offset as usize, range.length),
            GetRange::Suffix(length) => (whole.len().saturating_sub(length), whole.len()),
            GetRange::Whole => (0, whole.len()),
        };
        let end = from.saturating_add(length).min(whole.len());
        assert_eq!(found, whole[from..end], "a part is a part of the whole");
    }
    Some((name, whole))
}

fn fetched(keys: &Arc<ZipKeys>, gets: Vec<Get>) -> io::Result<Vec<Option<Vec<u8>>>> {
    let (tell, told) = mpsc::channel();
    let done = move |all| {
        let _ = tell.send(all);
    };
    Arc::clone(keys).fetch(gets, Box::new(done));
    told.recv().expect("every request has an answer")
}

/// Writes a zip of the values, and reads it.
fn write(values: &[(String, Vec<u8>)]) {
    let memory = Arc::new(MemoryOutput::new());
    let zip = ZipOutput::create(Arc::clone(&memory) as Arc<dyn Output>, None).expect("memory takes a zip");
    for (name, value) in values {
        zip.put(name, value).expect("memory takes a value");
    }
    zip.publish().expect("memory takes a zip");
    let keys = ZipKeys::open(Arc::new(memory.bytes())).expect("what was written can be read");
    for (name, value) in values {
        let found = keys
            .get(name, GetRange::Whole)
            .expect("what was written can be read");
        assert_eq!(found.as_ref(), Some(value));
    }
}

/// The zips of `testdata/zip`, and those of other programs.
pub fn seeds(root: &Path) -> Vec<Seed> {
    below(root, |bytes| bytes.starts_with(b"PK"))
}
