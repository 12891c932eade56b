//! [`Back`]: what stands behind the blocks of an archive.

use std::io::{self, Read};
use std::ops::Range;

use super::fields::{cut, damaged};
use super::footer::{FOOTER, Footer, IndexPlace, decode_directory, decode_sha};
use super::front::Front;
use super::read::read;
use super::section::AROUND;
use crate::error::{Error, Result};
use crate::format::archive::index::entry_store::EntryStore;
use crate::format::archive::index::index_section;
use crate::format::archive::index::stream_index::StreamIndex;
use crate::store::Object;

/// Bytes that are read at either end when an archive is opened.
pub(crate) const END: u64 = 64 << 10;

/// Bytes of an index that one request reads.
const PIECE: u64 = 4 << 20;

/// The back of an archive.
pub(crate) struct Back {
    /// The SHA-256 of the original.
    pub sha256: [u8; 32],
    footer: Footer,
    directory: Vec<IndexPlace>,
    /// The last bytes of the archive, and their position.
    tail: (u64, Vec<u8>),
}

impl Back {
    /// Reads the back of an archive of `size` bytes, by one request if it is small. `head` are the archive's first bytes.
    ///
    /// # Errors
    /// The structure that is damaged.
    pub fn read(source: &dyn Object, size: u64, front: &Front, head: &[u8]) -> Result<Self> {
        let tail = match size <= head.len() as u64 {
            true => (0, head[..size as usize].to_vec()),
            false => {
                let from = size.saturating_sub(END);
                (from, read(source, from..size)?)
            }
        };
        let footer = tail.1.len().checked_sub(FOOTER).ok_or_else(cut)?;
        let footer = Footer::decode(&tail.1[footer..], size)?;
        if footer.back < front.prelude.front {
            return Err(damaged("the back begins before the front ends"));
        }
        let mut back = Self {
            sha256: [0; 32],
            footer,
            directory: Vec::new(),
            tail,
        };
        let most = front.streams.list.len() as u64 * 16 + AROUND;
        if footer.sha - footer.directory > most.saturating_add(END) {
            return Err(damaged("the directory is longer than its streams need"));
        }
        if size - FOOTER as u64 - footer.sha > 32 + AROUND + END {
            return Err(damaged("the section of the SHA-256 is longer than one"));
        }
        let bytes = back.bytes(source, footer.directory..size - FOOTER as u64)?;
        let (directory, sha) = bytes.split_at((footer.sha - footer.directory) as usize);
        back.directory = decode_directory(directory, &footer, &front.streams)?;
        back.sha256 = decode_sha(sha)?;
        Ok(back)
    }

    /// Bytes of the back, from those that are in memory if possible.
    fn bytes(&self, source: &dyn Object, range: Range<u64>) -> Result<Vec<u8>> {
        let (at, tail) = &self.tail;
        if range.start >= *at {
            let within = (range.start - at) as usize..(range.end - at) as usize;
            return tail.get(within).map(<[u8]>::to_vec).ok_or_else(cut);
        }
        read(source, range)
    }

    /// The index of a stream, in this room.
    ///
    /// # Errors
    /// If it cannot be read or is damaged.
    pub fn index(
        &self,
        source: &dyn Object,
        front: &Front,
        stream: usize,
        store: &EntryStore,
    ) -> Result<StreamIndex> {
        let (at, length) = *self.directory.get(stream).ok_or_else(cut)?;
        let of = front.streams.list.get(stream).ok_or_else(cut)?;
        let mut section = BackStream {
            back: self,
            source,
            left: at..at.saturating_add(length),
            piece: Vec::new(),
            at: 0,
        };
        let blocks = front.prelude.front..self.footer.back;
        let other_length = || {
            damaged(format!(
                "the index of stream {stream} has another length than the directory tells"
            ))
        };
        let index = index_section::read(&mut section, stream, of, &blocks, store);
        let index = index.map_err(|error| match error {
            Error::Truncated(_) => other_length(),
            other => other,
        })?;
        match section.is_empty() {
            true => Ok(index),
            false => Err(other_length()),
        }
    }
}

/// A part of the back as a stream.
struct BackStream<'a> {
    back: &'a Back,
    source: &'a dyn Object,
    /// What was not requested yet.
    left: Range<u64>,
    piece: Vec<u8>,
    at: usize,
}

impl BackStream<'_> {
    fn is_empty(&self) -> bool {
        self.at == self.piece.len() && self.left.is_empty()
    }
}

impl Read for BackStream<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.at == self.piece.len() {
            let end = self.left.end.min(self.left.start.saturating_add(PIECE));
            let piece = self.back.bytes(self.source, self.left.start..end);
            self.piece = piece.map_err(|e| match e {
                Error::Io { cause, .. } => cause,
                other => io::Error::other(other),
            })?;
            (self.left.start, self.at) = (end, 0);
        }
        let rest = &self.piece[self.at..];
        let count = rest.len().min(buf.len());
        buf[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        Ok(count)
    }
}
