//! Fuzzes the reader of Zarr hierarchies. An input is a list of keys with their values:
//!
//! ```text
//! %% .zgroup
//! {"zarr_format": 2}
//! %% v/.zarray
//! {"shape": …}
//! ```

use std::fs;
use std::path::Path;
use std::sync::Arc;

use ncutils_core::filter::Registry;
use ncutils_core::format;
use ncutils_core::format::zarr::json::Json;
use ncutils_core::store::{KeyOutput, MemoryKeys, Place};

use super::dataset::{check, read_reader};
use crate::Seed;

/// The beginning of a line with a key.
const KEY: &[u8] = b"%% ";

/// Largest value of a seed, in bytes.
const LARGEST: u64 = 4096;

/// Reads the hierarchy within bounds. Each of its documents must print and parse to itself.
pub fn read(input: &[u8]) {
    let keys = MemoryKeys::new();
    let output = keys.output();
    for (key, value) in values(input) {
        if let Ok(json) = Json::parse(value) {
            let text = json.to_string();
            let again = Json::parse(text.as_bytes()).map(|json| json.to_string());
            assert_eq!(
                again.as_deref(),
                Ok(&*text),
                "a document prints and parses to itself"
            );
        }
        // A key that no store takes is left out.
        let _ = output.put(key, value);
    }
    if output.publish().is_ok() {
        let place = Place::keys("", Arc::new(keys));
        if let Some(reader) = check(format::open(place, &Registry::builtin())) {
            read_reader(&*reader);
        }
    }
}

/// The keys of an input, with their values.
fn values(input: &[u8]) -> impl Iterator<Item = (&str, &[u8])> {
    let starts = |at: &usize| input[*at..].starts_with(KEY) && (*at == 0 || input[at - 1] == b'\n');
    let mut starts: Vec<usize> = (0..input.len()).filter(starts).collect();
    starts.push(input.len());
    let ranges: Vec<_> = starts.windows(2).map(|two| two[0]..two[1]).collect();
    ranges.into_iter().filter_map(|range| {
        let entry = input[range].strip_prefix(KEY)?;
        let end = entry.iter().position(|b| *b == b'\n')?;
        let value = &entry[end + 1..];
        Some((
            std::str::from_utf8(&entry[..end]).ok()?,
            value.strip_suffix(b"\n").unwrap_or(value),
        ))
    })
}

/// The hierarchies in folders below `testdata` and the corpus.
pub fn seeds(root: &Path) -> Vec<Seed> {
    let mut seeds = Vec::new();
    for folder in [root.join("testdata/zarr"), root.join("../shared/corpus/zarr")] {
        find(&folder, 3, &mut seeds);
    }
    seeds
}

fn find(folder: &Path, depth: usize, seeds: &mut Vec<Seed>) {
    let is_hierarchy = [".zgroup", ".zarray", ".nczarr"]
        .iter()
        .any(|name| folder.join(name).is_file());
    if is_hierarchy {
        let mut bytes = Vec::new();
        pack(folder, "", &mut bytes);
        seeds.push(Seed {
            bytes,
            checked: Vec::new(),
        });
    } else if depth > 0 {
        for entry in sorted(folder) {
            find(&entry, depth - 1, seeds);
        }
    }
}

fn sorted(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<_> = entries.map(|entry| entry.path()).collect();
    entries.sort_unstable();
    entries
}

/// Adds the files below a folder as keys.
fn pack(folder: &Path, prefix: &str, out: &mut Vec<u8>) {
    for path in sorted(folder) {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        let key = format!("{prefix}{name}");
        if path.is_dir() {
            pack(&path, &format!("{key}/"), out);
        } else if fs::metadata(&path).is_ok_and(|found| found.len() <= LARGEST) {
            out.extend_from_slice(KEY);
            out.extend_from_slice(key.as_bytes());
            out.push(b'\n');
            out.extend(fs::read(&path).unwrap_or_default());
            out.push(b'\n');
        }
    }
}
