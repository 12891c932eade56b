//! Inputs that are lists of keys with their values, as a hierarchy of Zarr has them:
//!
//! ```text
//! %% .zgroup
//! {"zarr_format": 2}
//! %% v/.zarray
//! {"shape": …}
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use ncutils_core::store::{KeyOutput, MemoryKeys};

use crate::Seed;

/// The beginning of a line with a key.
const KEY: &[u8] = b"%% ";

/// Largest value of a seed, in bytes.
const LARGEST: u64 = 4096;

/// The keys of an input, with their values.
pub fn values(input: &[u8]) -> impl Iterator<Item = (&str, &[u8])> {
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

/// A store of these keys. A key that no store takes is left out.
pub fn store<'a, V: AsRef<[u8]>>(values: impl IntoIterator<Item = (&'a str, V)>) -> Option<MemoryKeys> {
    let keys = MemoryKeys::new();
    let output = keys.output();
    for (key, value) in values {
        let _ = output.put(key, value.as_ref());
    }
    output.publish().is_ok().then_some(keys)
}

/// The folders below `folder`, to this depth, that have one of these files, as inputs.
pub fn hierarchies(folder: &Path, marks: &[&str], depth: usize) -> Vec<Seed> {
    let mut seeds = Vec::new();
    find(folder, marks, depth, &mut seeds);
    seeds
}

fn find(folder: &Path, marks: &[&str], depth: usize, seeds: &mut Vec<Seed>) {
    if marks.iter().any(|name| folder.join(name).is_file()) {
        let mut bytes = Vec::new();
        pack(folder, "", &mut bytes);
        seeds.push(Seed {
            bytes,
            checked: Vec::new(),
        });
    } else if depth > 0 {
        for entry in sorted(folder) {
            find(&entry, marks, depth - 1, seeds);
        }
    }
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
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
