//! Files of metadata: a header, and a flatbuffer that may be compressed.

use std::io::{self, Read};

use super::flatbuffer_reader::Wrong;
use crate::{ByteRange, GetRange, KeyStore};

/// What a file begins with.
pub const MAGIC: &[u8; 12] = "ICE\u{1f9ca}CHUNK".as_bytes().first_chunk().unwrap();

/// Bytes of the header: magic, name of the writer, version, kind and compression.
const HEADER: usize = 39;

/// Most bytes of a file.
pub const LARGEST_FILE: usize = 1 << 30;

/// Most bytes of a file of text: settings, a branch or a tag.
pub const LARGEST_TEXT: usize = 16 << 20;

/// Most bytes of a flatbuffer.
const LARGEST: u64 = 2 << 30;

/// Most bytes of a flatbuffer for each one that is stored, unless it is small. Tables of equal chunks become 20 to 50 times smaller.
const MOST_PER_BYTE: u64 = 256;

/// Most bytes of a small flatbuffer.
const SMALL: u64 = 64 << 20;

/// The version of the specification by which a repository is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Specification {
    /// A file for each branch.
    #[default]
    V1 = 1,
    /// One file for all branches.
    V2 = 2,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// The nodes of a hierarchy.
    Snapshot = 1,
    /// The chunks of arrays.
    Manifest = 2,
    /// What a snapshot added.
    TransactionLog = 4,
    /// Branches and tags, in specification 2.
    Repository = 6,
}

/// The error of a file that is damaged.
pub fn damaged(key: &str, why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{key}: {why}"))
}

/// The value of a key, of at most `most` bytes; `None` if there is none.
///
/// # Errors
/// The store fails; a value that is longer.
pub fn get(store: &dyn KeyStore, key: &str, most: usize) -> io::Result<Option<Vec<u8>>> {
    let part = GetRange::Range(ByteRange {
        offset: 0,
        length: most + 1,
    });
    match store.get(key, part)? {
        Some(file) if file.len() > most => Err(damaged(key, &format!("it has more than {most} bytes"))),
        found => Ok(found),
    }
}

/// The flatbuffer of a file that must be there.
///
/// # Errors
/// The store fails; a file that is missing or damaged.
pub fn get_file(store: &dyn KeyStore, key: &str, kind: FileKind) -> io::Result<Vec<u8>> {
    let file = get(store, key, LARGEST_FILE)?;
    let file = file.ok_or_else(|| damaged(key, "the repository has no such file"))?;
    read_file(&file, kind).map_err(|why| damaged(key, &why))
}

/// The flatbuffer of a file.
///
/// # Errors
/// A file of another kind or version; one that is damaged.
pub fn read_file(file: &[u8], kind: FileKind) -> Result<Vec<u8>, Wrong> {
    let rest = file.strip_prefix(MAGIC).ok_or("it is no file of Icechunk")?;
    let [version, found, compression] = *rest.get(24..27).ok_or("its header ends too early")? else {
        return Err("its header ends too early".to_owned());
    };
    if !matches!(version, 1 | 2) {
        return Err(format!(
            "version {version} of Icechunk's specification is not supported"
        ));
    }
    if found != kind as u8 {
        return Err(format!("it is a file of the kind {found}, not {}", kind as u8));
    }
    let body = &file[HEADER..];
    match compression {
        0 => Ok(body.to_vec()),
        1 => {
            let mut bytes = Vec::new();
            let most = (body.len() as u64)
                .saturating_mul(MOST_PER_BYTE)
                .clamp(SMALL, LARGEST);
            let read = zstd::Decoder::with_buffer(body)
                .and_then(|decoder| decoder.take(most + 1).read_to_end(&mut bytes));
            read.map_err(|e| format!("it cannot be unpacked: {e}"))?;
            match bytes.len() as u64 > most {
                true => Err(format!("it unpacks to more than {most} bytes")),
                false => Ok(bytes),
            }
        }
        other => Err(format!("the compression {other} is not supported")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KeyOutput, MemoryKeys};

    #[test]
    fn a_value_is_whole_or_refused() {
        let keys = MemoryKeys::new();
        let output = keys.output();
        output.put("a", b"12345").unwrap();
        output.publish().unwrap();
        assert_eq!(get(&keys, "a", 5).unwrap().unwrap(), b"12345");
        let error = get(&keys, "a", 4).unwrap_err();
        assert_eq!(error.to_string(), "a: it has more than 4 bytes");
        assert!(get(&keys, "b", 4).unwrap().is_none());
        let error = get_file(&keys, "b", FileKind::Snapshot).unwrap_err();
        assert!(error.to_string().contains("no such file"), "{error}");
    }
}
