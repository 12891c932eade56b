//! Writes files of metadata: a header, and a compressed flatbuffer.

use std::io;

use super::super::file_reader::{FileKind, MAGIC, Specification};

/// Length of the writer's name, which spaces fill up.
const NAME: usize = 24;

/// The flatbuffer is compressed with zstd.
const ZSTD: u8 = 1;

/// Level of compression: that of other writers.
const LEVEL: i32 = 3;

/// A file with this flatbuffer.
///
/// # Errors
/// No memory to compress it.
pub fn file(specification: Specification, kind: FileKind, flatbuffer: &[u8]) -> io::Result<Vec<u8>> {
    let mut name = concat!("ncutils-", env!("CARGO_PKG_VERSION")).as_bytes().to_vec();
    name.resize(NAME, b' ');
    let mut file = [&MAGIC[..], &name, &[specification as u8, kind as u8, ZSTD]].concat();
    file.extend(zstd::bulk::compress(flatbuffer, LEVEL)?);
    Ok(file)
}
