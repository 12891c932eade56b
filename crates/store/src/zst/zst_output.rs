//! Writes bytes in Zstandard's seekable format 0.1.0.
//!
//! ```text
//! │ frame │ frame │ … │ skippable frame: SHA-256 │ skippable frame: seek table │
//! ```
//!
//! Each frame has 256 KiB of content and a checksum. `zstd -d` restores the bytes, as skippable frames have no content.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ::zstd::bulk::Compressor;
use sha2::{Digest, Sha256};

use crate::threads;
use crate::zst::seekable_zst::{SEEKABLE_MAGIC, SHA_FRAME, SHA_MARK, TABLE_FRAME};
use crate::{Object, Output, known_size};
use ncutils_model::chunk::resize;
use ncutils_model::error::{Error, Result};

/// Content of a frame, in bytes.
const FRAME: u64 = 256 << 10;

/// The level of Zstandard.
const LEVEL: i32 = 3;

/// Bytes that are collected for one write.
const BUFFER: usize = 1 << 20;

struct Input<'a> {
    source: &'a dyn Object,
    at: u64,
    frame: u64,
    sha: Sha256,
}

struct Written<'a> {
    output: &'a dyn Output,
    at: u64,
    buffer: Vec<u8>,
    next: u64,
    held: std::collections::BTreeMap<u64, (Vec<u8>, u32)>,
    table: Vec<u8>,
}

impl Written<'_> {
    fn put(&mut self, frame: u64, bytes: Vec<u8>, content: u32) -> Result<()> {
        self.held.insert(frame, (bytes, content));
        while let Some((bytes, content)) = self.held.remove(&self.next) {
            self.table.extend((bytes.len() as u32).to_le_bytes());
            self.table.extend(content.to_le_bytes());
            self.buffer.extend(bytes);
            self.next += 1;
        }
        match self.buffer.len() >= BUFFER {
            true => self.flush(),
            false => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<()> {
        let written = self.output.write_all_at(self.at, &self.buffer);
        written.map_err(|e| Error::io("cannot write", e))?;
        self.at += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
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
    let input = Mutex::new(Input {
        source,
        at: 0,
        frame: 0,
        sha: Sha256::new(),
    });
    let written = Mutex::new(Written {
        output,
        at: 0,
        buffer: Vec::new(),
        next: 0,
        held: std::collections::BTreeMap::new(),
        table: Vec::new(),
    });
    let failure = Mutex::new(None);
    let failed = AtomicBool::new(false);
    threads::on_all(threads.max(1), |_, _| {
        let work = || -> Result<()> {
            let mut compressor = Compressor::new(LEVEL).map_err(|e| Error::io("cannot compress", e))?;
            compressor
                .include_checksum(true)
                .map_err(|e| Error::io("cannot compress", e))?;
            let mut content = Vec::new();
            while !failed.load(Ordering::Relaxed) {
                let Some(frame) = next(&mut lock(&input), size, &mut content)? else {
                    break;
                };
                let bytes = compressor
                    .compress(&content)
                    .map_err(|e| Error::io("cannot compress", e))?;
                lock(&written).put(frame, bytes, content.len() as u32)?;
            }
            Ok(())
        };
        if let Err(error) = work() {
            failed.store(true, Ordering::Relaxed);
            lock(&failure).get_or_insert(error);
        }
    });
    if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let input = input.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut written = written.into_inner().unwrap_or_else(PoisonError::into_inner);
    let sha: [u8; 32] = input.sha.finalize().into();
    let mut table = std::mem::take(&mut written.table);
    let sha = [SHA_MARK.as_slice(), &sha].concat();
    // Readers expect the frames of the table to fill the file. This one has no content.
    table.extend((sha.len() as u32 + 8).to_le_bytes());
    table.extend(0u32.to_le_bytes());
    let frames = (table.len() / 8) as u32;
    table.extend(frames.to_le_bytes());
    // No checksums in the table: each frame has its own.
    table.push(0);
    table.extend(SEEKABLE_MAGIC.to_le_bytes());
    for (magic, content) in [(SHA_FRAME, sha), (TABLE_FRAME, table)] {
        written.buffer.extend(magic.to_le_bytes());
        written.buffer.extend((content.len() as u32).to_le_bytes());
        written.buffer.extend(content);
    }
    written.flush()?;
    Ok(written.at)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads the content of the next frame; `None` at the end.
fn next(input: &mut Input, size: u64, content: &mut Vec<u8>) -> Result<Option<u64>> {
    let count = FRAME.min(size - input.at);
    if count == 0 {
        return Ok(None);
    }
    resize(content, count as usize)?;
    let read = input.source.read_exact_at(input.at, content);
    read.map_err(|e| Error::io(format!("cannot read {count} bytes at byte {}", input.at), e))?;
    input.sha.update(&content);
    input.at += count;
    input.frame += 1;
    Ok(Some(input.frame - 1))
}
