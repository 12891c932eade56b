//! Broken files end in errors: no panic, no hang, and no more reading than the file's size justifies.
//!
//! Every file here, and every one of the corpus where it is there, is walked as it is, and again with bytes changed.
//! With `--cfg fuzzing` in RUSTFLAGS checksums always match, so that changes reach deeper.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ncutils_hdf5::{ByteSource, Class, Datatype, File};

/// A source that counts what is read.
struct Counted {
    bytes: Vec<u8>,
    read: AtomicU64,
}

impl ByteSource for Counted {
    fn size(&self) -> io::Result<Option<u64>> {
        self.bytes.size()
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.read.fetch_add(buf.len() as u64, Ordering::Relaxed);
        self.bytes.read_exact_at(offset, buf)
    }
}

/// Walks a file by every function that reads. How many bytes of the source were read.
fn walk(bytes: Vec<u8>) -> u64 {
    let source = Arc::new(Counted {
        bytes,
        read: AtomicU64::new(0),
    });
    if let Ok(file) = File::open(source.clone()) {
        super::tree::list(&file);
        sequences(&file);
    }
    source.read.load(Ordering::Relaxed)
}

/// Follows the variable-length elements of the root's attributes into the global heap.
fn sequences(file: &File) {
    let Ok(root) = file.object(file.root()) else {
        return;
    };
    for attribute in file.attributes(&root).into_iter().flatten().flatten() {
        let (Class::VariableLength { .. } | Class::VariableString { .. }, Datatype { size, .. }) =
            (&attribute.datatype.class, &attribute.datatype)
        else {
            continue;
        };
        for element in attribute.data.chunks_exact(*size as usize).take(1000) {
            let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |n, b| n << 8 | u64::from(*b));
            let (head, index) = element.split_at(element.len() - 4);
            // Whether it is there is not the question.
            let _ = file.global_heap_object(number(&head[4..]), number(index) as u32);
        }
    }
}

/// Files of the folder and below it, in a fixed order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if path
            .extension()
            .is_some_and(|e| e == "h5" || e == "hdf5" || e == "nc")
        {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn all_files() -> Vec<PathBuf> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = files(&project.join("tests/data"));
    assert!(all.len() >= 10, "the files of this crate's tests are missing");
    let corpus = project.join("../../../shared/corpus");
    if !corpus.is_dir() {
        eprintln!("skipping the corpus: {} is not there", corpus.display());
    }
    all.extend(files(&corpus.join("hdf5")));
    all.extend(files(&corpus.join("netcdf")));
    all
}

/// The next of a sequence of numbers that look random (xorshift).
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Changes between one and eight numbers of one to eight bytes.
fn mutate(bytes: &mut [u8], state: &mut u64) {
    for _ in 0..1 + next(state) % 8 {
        let at = next(state) as usize % bytes.len();
        let value = match next(state) % 4 {
            0 => 0,
            1 => u64::MAX,
            2 => next(state) % (2 * bytes.len() as u64),
            _ => next(state),
        };
        let width = 1 << (next(state) % 4);
        for (to, from) in bytes[at..].iter_mut().take(width).zip(value.to_le_bytes()) {
            *to = from;
        }
    }
}

#[test]
fn every_file_is_walked_to_its_end() {
    for path in all_files() {
        let bytes = std::fs::read(&path).unwrap();
        let size = bytes.len() as u64;
        let read = walk(bytes);
        assert!(
            read <= 40 * size + (1 << 20),
            "{}: {read} bytes read of {size}",
            path.display()
        );
    }
}

#[test]
fn changed_bytes_end_in_errors() {
    // More rounds, for a long run: BROKEN_ROUNDS=1000
    let rounds = std::env::var("BROKEN_ROUNDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(8u64);
    for path in all_files() {
        let original = std::fs::read(&path).unwrap();
        if original.is_empty() || original.len() > 1 << 20 {
            continue;
        }
        // Metadata is mostly at the front; half of the rounds change only that.
        for round in 0..rounds {
            let mut state = 0x9e37_79b9_7f4a_7c15 ^ (round << 32) ^ original.len() as u64;
            let mut bytes = original.clone();
            let part = if round % 2 == 0 {
                bytes.len()
            } else {
                bytes.len().min(2048)
            };
            mutate(&mut bytes[..part], &mut state);
            let size = bytes.len() as u64;
            let started = std::time::Instant::now();
            let read = walk(bytes);
            let took = started.elapsed();
            assert!(
                read <= 1000 * size + (64 << 20) && took.as_secs() < 20,
                "{}, round {round}: {read} bytes read of {size} in {took:?}",
                path.display()
            );
        }
    }
}
