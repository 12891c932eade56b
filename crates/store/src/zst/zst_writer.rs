//! [`ZstWriter`]: bytes in Zstandard's seekable format, written from their beginning to their end.

use std::io;

use ::zstd::bulk::Compressor;
use sha2::{Digest, Sha256};

use super::zst_output::{FRAME, LEVEL, end_of_frames};

/// Compresses bytes as they come.
pub struct ZstWriter {
    compressor: Compressor<'static>,
    sha: Sha256,
    /// Content of the next frame.
    content: Vec<u8>,
    /// The sizes of each frame and of its content.
    table: Vec<u8>,
}

impl ZstWriter {
    /// Nothing is compressed yet.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn new() -> io::Result<Self> {
        let mut compressor = Compressor::new(LEVEL)?;
        compressor.include_checksum(true)?;
        Ok(Self {
            compressor,
            sha: Sha256::new(),
            content: Vec::new(),
            table: Vec::new(),
        })
    }

    /// Adds content. Returns the frames that are complete.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn add(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        self.sha.update(bytes);
        let mut frames = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(FRAME as usize - self.content.len()));
            self.content.extend_from_slice(now);
            rest = later;
            if self.content.len() == FRAME as usize {
                self.frame(&mut frames)?;
            }
        }
        Ok(frames)
    }

    /// The last frame, and the table of all.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn finish(mut self) -> io::Result<Vec<u8>> {
        let mut end = Vec::new();
        if !self.content.is_empty() {
            self.frame(&mut end)?;
        }
        end.extend(end_of_frames(self.sha.finalize().into(), self.table));
        Ok(end)
    }

    fn frame(&mut self, frames: &mut Vec<u8>) -> io::Result<()> {
        let frame = self.compressor.compress(&self.content)?;
        self.table.extend((frame.len() as u32).to_le_bytes());
        self.table.extend((self.content.len() as u32).to_le_bytes());
        self.content.clear();
        frames.extend(frame);
        Ok(())
    }
}
