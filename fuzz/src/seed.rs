//! Seeds: the inputs that are mutated.

use std::fs;
use std::ops::Range;
use std::path::Path;

use ncutils_hdf5::checksum::lookup3;

/// Maximum size of a seed, in bytes. Small inputs allow more runs in the same time.
pub const MAX_SEED_BYTES: usize = 128 << 10;

/// Maximum distance of a checksum from its signature, in bytes.
const MAX_CHECKED_BYTES: usize = 4096;

/// Signatures of HDF5 structures that end with a checksum.
const SIGNATURES: [&[u8; 4]; 15] = [
    b"\x89HDF", b"OHDR", b"OCHK", b"FRHP", b"FHIB", b"FSHD", b"BTHD", b"BTIN", b"BTLF", b"FAHD", b"FADB",
    b"EAHD", b"EAIB", b"EASB", b"EADB",
];

/// Bytes of the head of a global heap collection, and of that of each object in it.
const HEAD: usize = 16;

/// An input, and its checksums.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seed {
    /// The input.
    pub bytes: Vec<u8>,
    /// The bytes that each checksum covers. The checksum is in the four bytes after them.
    pub checked: Vec<Range<usize>>,
}

impl Seed {
    /// A seed of bytes. Its checksums are found by search: the hash of the bytes from a signature on is in the next
    /// four bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        let mut checked = Vec::new();
        for (start, window) in bytes.windows(4).enumerate() {
            if SIGNATURES.iter().any(|signature| *signature == window) {
                checked.extend(checked_range(&bytes, start));
            }
            if window == b"GCOL" {
                checked.extend(checked_objects(&bytes, start + HEAD));
            }
        }
        Self { bytes, checked }
    }

    /// A seed of text.
    pub fn text(text: &str) -> Self {
        Self {
            bytes: text.as_bytes().to_vec(),
            checked: Vec::new(),
        }
    }
}

/// What checksums cover of the objects of a global heap collection, the first of which begins at `at`. The mappings of a
/// virtual dataset are such an object: its last four bytes are the hash of all others.
fn checked_objects(bytes: &[u8], mut at: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    while let Some(head) = bytes.get(at..at + HEAD)
        && (head[0], head[1]) != (0, 0)
    {
        let mut size = [0; 8];
        size.copy_from_slice(&head[8..]);
        let start = at + HEAD;
        let size = usize::try_from(u64::from_le_bytes(size)).unwrap_or(usize::MAX);
        let Some(object) = size.checked_add(start).and_then(|end| bytes.get(start..end)) else {
            break;
        };
        if let Some((covered, sum)) = object.split_last_chunk::<4>()
            && covered.len() <= MAX_CHECKED_BYTES
            && lookup3(covered).to_le_bytes() == *sum
        {
            found.push(start..start + covered.len());
        }
        at = start + size.next_multiple_of(8);
    }
    found
}

fn checked_range(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let last = bytes.len().saturating_sub(4).min(start + MAX_CHECKED_BYTES);
    (start + 8..=last)
        .find(|end| lookup3(&bytes[start..*end]).to_le_bytes() == bytes[*end..*end + 4])
        .map(|end| start..end)
}

/// The files below `folder`, at any depth and in the order of their paths, that are small enough and whose first bytes
/// `take` accepts. Empty if there is no such folder.
pub fn files(folder: &Path, take: impl Fn(&[u8]) -> bool + Copy) -> Vec<Seed> {
    let mut seeds = Vec::new();
    let mut paths: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            seeds.extend(files(&path, take));
        } else if fs::metadata(&path).is_ok_and(|m| m.len() <= MAX_SEED_BYTES as u64)
            && let Ok(bytes) = fs::read(&path)
            && take(&bytes)
        {
            seeds.push(Seed::new(bytes));
        }
    }
    seeds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_found() {
        let mut bytes = b"..OHDR and what it holds".to_vec();
        let end = bytes.len();
        bytes.extend(lookup3(&bytes[2..]).to_le_bytes());
        bytes.extend(b"BTLF without one");
        assert_eq!(Seed::new(bytes).checked, vec![2..end; 1]);
    }

    #[test]
    fn no_folder_no_seeds() {
        assert_eq!(files(Path::new("/nowhere/at/all"), |_| true), []);
    }
}
