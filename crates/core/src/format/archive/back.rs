//! [`Back`]: what stands behind the blocks of an archive.

use std::ops::Range;

use super::fields::{cut, damaged};
use super::front::Front;
use super::index::{FOOTER, Footer, Index, IndexPlace, decode_directory, decode_sha, largest_index};
use super::opened::read;
use super::section::{self, AROUND, Type};
use crate::error::Result;
use crate::store::Object;

/// Bytes that are read at either end when an archive is opened.
pub(super) const END: u64 = 64 << 10;

/// The back of an archive.
pub(super) struct Back {
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

    /// The index of a stream.
    ///
    /// # Errors
    /// If it cannot be read or is damaged.
    pub fn index(&self, source: &dyn Object, front: &Front, stream: usize) -> Result<Index> {
        let (at, length) = *self.directory.get(stream).ok_or_else(cut)?;
        let of = front.streams.list.get(stream).ok_or_else(cut)?;
        let most = largest_index(of);
        if length > most.saturating_add(AROUND + 64) {
            return Err(damaged(format!(
                "the index of stream {stream} is longer than its blocks need"
            )));
        }
        let section = section::decode(&self.bytes(source, at..at + length)?, most)?;
        let content = section
            .filter(|section| section.is(Type::Index))
            .ok_or_else(|| damaged(format!("the index of stream {stream} is missing")))?
            .content;
        Index::decode(&content, stream, of, front.prelude.front, self.footer.back)
    }
}
