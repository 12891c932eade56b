//! Writes bytes in Zstandard's seekable format 0.1.0.
//!
//! ```text
//! │ frame │ frame │ … │ skippable frame: SHA-256 │ skippable frame: seek table │
//! ```
//!
//! Each frame has 256 KiB of content and a checksum. `zstd -d` restores the bytes, as skippable frames have no content.

use std::io::Write;

use ::zstd::bulk::Compressor;
use sha2::{Digest, Sha256};

use crate::threads::in_order;
use crate::zst::seekable_zst::{SEEKABLE_MAGIC, SHA_FRAME, SHA_MARK, TABLE_FRAME};
use crate::{Object, Output, SequentialOutput, known_size};
use ncutils_model::chunk::resize;
use ncutils_model::error::{Error, Result};

/// Content of a frame, in bytes.
pub(crate) const FRAME: u64 = 256 << 10;

/// The level of Zstandard.
pub(crate) const LEVEL: i32 = 3;

/// Frames that threads may run ahead of the next one to write.
const AHEAD: u64 = 256;

struct Input<'a> {
    source: &'a dyn Object,
    at: u64,
    size: u64,
    sha: Sha256,
}

impl Input<'_> {
    /// Reads the content of the next frame; `None` at the end.
    fn next(&mut self, content: &mut Vec<u8>) -> Result<Option<()>> {
        let count = FRAME.min(self.size - self.at);
        if count == 0 {
            return Ok(None);
        }
        resize(content, count as usize)?;
        let read = self.source.read_exact_at(self.at, content);
        read.map_err(|e| Error::io(format!("cannot read {count} bytes at byte {}", self.at), e))?;
        self.sha.update(&content);
        self.at += count;
        Ok(Some(()))
    }
}

/// What a thread that compresses keeps.
struct Worker {
    compressor: Compressor<'static>,
    /// The content of a frame.
    content: Vec<u8>,
}

/// Compresses an object. The same bytes come of any number of threads. The output is not committed. Returns its length.
///
/// # Errors
/// If reading or writing fails.
pub fn compress_seekable(source: &dyn Object, output: &dyn Output, threads: usize) -> Result<u64> {
    let size = known_size(source)?;
    if size.div_ceil(FRAME) > u64::from(u32::MAX) / 8 {
        return Err(Error::Unsupported(format!("{size} bytes in one seek table")));
    }
    let mut input = Input {
        source,
        at: 0,
        size,
        sha: Sha256::new(),
    };
    let (mut written, mut table) = (SequentialOutput::new(output), Vec::new());
    let cannot_write = |e| Error::io("cannot write", e);
    let cannot = |e| Error::io("cannot compress", e);
    let worker = || {
        let mut compressor = Compressor::new(LEVEL)?;
        compressor.include_checksum(true)?;
        Ok(Worker {
            compressor,
            content: Vec::new(),
        })
    };
    in_order(
        threads,
        AHEAD,
        || worker().map_err(cannot),
        |worker| input.next(&mut worker.content),
        |worker, ()| {
            let frame = worker.compressor.compress(&worker.content).map_err(cannot)?;
            Ok((frame, worker.content.len() as u32))
        },
        |(frame, content)| {
            table.extend((frame.len() as u32).to_le_bytes());
            table.extend(content.to_le_bytes());
            written.write_all(&frame).map_err(cannot_write)
        },
    )?;
    let end = end_of_frames(input.sha.finalize().into(), table);
    let framed = written.write_all(&end);
    framed.and_then(|()| written.flush()).map_err(cannot_write)?;
    Ok(written.position())
}

/// What follows the frames: the SHA-256 of their content, and the seek table, of which `table` has the entries of these frames.
pub(crate) fn end_of_frames(sha: [u8; 32], mut table: Vec<u8>) -> Vec<u8> {
    let sha = [SHA_MARK.as_slice(), &sha].concat();
    // Readers expect the frames of the table to fill the file. This one has no content.
    table.extend((sha.len() as u32 + 8).to_le_bytes());
    table.extend(0u32.to_le_bytes());
    let frames = (table.len() / 8) as u32;
    table.extend(frames.to_le_bytes());
    // No checksums in the table: each frame has its own.
    table.push(0);
    table.extend(SEEKABLE_MAGIC.to_le_bytes());
    let frame = |magic: u32, content: Vec<u8>| {
        let head = [magic, content.len() as u32].map(u32::to_le_bytes);
        [head.as_flattened(), &content].concat()
    };
    [frame(SHA_FRAME, sha), frame(TABLE_FRAME, table)].concat()
}
