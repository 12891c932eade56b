//! The back of an archive: an index for each stream, the directory of indexes, the checksum, the footer.
//!
//! ```text
//! blocks │ index of stream 0 │ … │ index of the rest │ directory │ SHA-256 │ footer
//! footer: back u64 │ directory u64 │ SHA-256 u64 │ archive length u64 │ "NC3E" │ CRC-32 u32
//! ```

use super::block::{Content, HEADER, Header};
use super::fields::{Fields, crc32, damaged};
use super::section::{self, AROUND, Section, Type};
use super::streams::{Stream, Streams};
use crate::error::{Error, Result};

/// Length of the footer, in bytes.
pub(super) const FOOTER: usize = 40;

/// The mark of the footer.
const MARK: [u8; 4] = *b"NC3E";

/// Bytes of one entry of an index, over all its columns.
const ENTRY: usize = 28;

/// One entry of an index: a block, or a run of blocks of one repeated element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// Number of the first block.
    pub number: u64,
    /// Position of the block header in the archive.
    pub at: u64,
    /// The content; its checksum stands in the block header alone, and is 0 here.
    pub content: Content,
}

impl Entry {
    /// Bytes of the header and of what follows it.
    pub fn stored(&self) -> usize {
        HEADER
            + match self.content {
                Content::Stored { length, .. } => length as usize,
                Content::Repeated { .. } => 0,
            }
    }

    /// Number of blocks.
    pub fn run(&self) -> u64 {
        match self.content {
            Content::Stored { .. } => 1,
            Content::Repeated { run, .. } => run.into(),
        }
    }

    /// True if `header` is the one that the entry tells of.
    pub fn agrees(&self, stream: usize, header: &Header) -> bool {
        let content = match header.content {
            Content::Stored { length, mask, .. } => Content::Stored { length, mask, crc: 0 },
            repeated @ Content::Repeated { .. } => repeated,
        };
        header.stream as usize == stream && header.number == self.number && content == self.content
    }
}

/// The index of one stream: entries in ascending order of blocks, without gaps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Index {
    pub entries: Vec<Entry>,
}

impl Index {
    /// The content of the index's section. `front` is the length of the front.
    pub fn encode(&self, stream: usize, front: u64) -> Vec<u8> {
        let mut out = Vec::with_capacity(8 + self.entries.len() * ENTRY);
        out.extend((stream as u32).to_le_bytes());
        out.extend((self.entries.len() as u32).to_le_bytes());
        for entry in &self.entries {
            out.extend((entry.run() as u32).to_le_bytes());
        }
        for entry in &self.entries {
            let form = u16::from(matches!(entry.content, Content::Repeated { .. }));
            out.extend(form.to_le_bytes());
        }
        for entry in &self.entries {
            let mask = match entry.content {
                Content::Stored { mask, .. } => mask,
                Content::Repeated { .. } => 0,
            };
            out.extend(mask.to_le_bytes());
        }
        for entry in &self.entries {
            let element = match entry.content {
                Content::Stored { .. } => [0; 8],
                Content::Repeated { element, .. } => element,
            };
            out.extend(element);
        }
        for entry in &self.entries {
            let length = (entry.stored() - HEADER) as u32;
            out.extend(length.to_le_bytes());
        }
        let mut end = front;
        for entry in &self.entries {
            out.extend(entry.at.wrapping_sub(end).to_le_bytes());
            end = entry.at + entry.stored() as u64;
        }
        out
    }

    /// Reads the content of a section. Blocks lie between the front's end and `back`.
    ///
    /// # Errors
    /// An index of another stream, or that does not have each block of the stream once, or that names places outside of
    /// the blocks.
    pub fn decode(content: &[u8], number: usize, stream: &Stream, front: u64, back: u64) -> Result<Self> {
        let wrong = |why: &str| damaged(format!("the index of stream {number} {why}"));
        let mut fields = Fields::new(content, "an index");
        if fields.u32()? as usize != number {
            return Err(wrong("is that of another stream"));
        }
        let count = fields.u32()? as usize;
        if count.checked_mul(ENTRY) != Some(content.len() - 8) {
            return Err(wrong("has another length than its entries"));
        }
        let mut columns = [4, 2, 2, 8, 4, 8].map(|width| (width, [].as_slice()));
        for (width, column) in &mut columns {
            *column = fields.bytes(*width * count)?;
        }
        let number_at = |column: usize, n: usize| {
            let (width, bytes) = columns[column];
            let bytes = bytes.get(n * width..(n + 1) * width).unwrap_or_default();
            bytes.iter().rev().fold(0u64, |n, byte| n << 8 | u64::from(*byte))
        };
        let mut entries = Vec::with_capacity(count);
        let (mut block, mut end) = (0u64, front);
        for n in 0..count {
            let (run, mask) = (number_at(0, n), number_at(2, n) as u16);
            let element = number_at(3, n).to_le_bytes();
            let length = number_at(4, n) as u32;
            let content = match number_at(1, n) {
                0 if run == 1 && element == [0; 8] => Content::Stored { length, mask, crc: 0 },
                1 if run > 0 && mask == 0 && length == 0 => Content::Repeated {
                    element,
                    run: run as u32,
                },
                _ => return Err(wrong("has an entry that contradicts itself")),
            };
            let entry = Entry {
                number: block,
                at: end.wrapping_add(number_at(5, n)),
                content,
            };
            if length as usize > stream.block_length(block) {
                return Err(wrong("has a block that is longer than it was"));
            }
            end = entry
                .at
                .checked_add(entry.stored() as u64)
                .filter(|end| *end <= back && entry.at >= front)
                .ok_or_else(|| wrong("names a place outside of the blocks"))?;
            block += run;
            entries.push(entry);
        }
        fields.end()?;
        match block == stream.blocks() {
            true => Ok(Self { entries }),
            false => Err(wrong("does not have all blocks")),
        }
    }

    /// The entry that has a block.
    pub fn find(&self, block: u64) -> Option<&Entry> {
        let n = self.entries.partition_point(|entry| entry.number <= block);
        self.entries.get(n.checked_sub(1)?)
    }
}

/// Most bytes of the content of an index of a stream.
pub(super) fn largest_index(stream: &Stream) -> u64 {
    stream.blocks().saturating_mul(ENTRY as u64).saturating_add(8)
}

/// The footer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Footer {
    /// Position after the last block header.
    pub back: u64,
    /// Position of the directory.
    pub directory: u64,
    /// Position of the section of the SHA-256.
    pub sha: u64,
    /// Bytes of the archive.
    pub length: u64,
}

impl Footer {
    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(FOOTER);
        for number in [self.back, self.directory, self.sha, self.length] {
            out.extend(number.to_le_bytes());
        }
        out.extend(MARK);
        out.extend(crc32(&out).to_le_bytes());
        out
    }

    /// Reads the footer of an archive of `size` bytes.
    ///
    /// # Errors
    /// A wrong checksum, or places out of order.
    pub fn decode(bytes: &[u8], size: u64) -> Result<Self> {
        let mut fields = Fields::new(bytes, "the footer");
        let footer = Self {
            back: fields.u64()?,
            directory: fields.u64()?,
            sha: fields.u64()?,
            length: fields.u64()?,
        };
        let mark = fields.bytes(4)?;
        if mark != MARK || fields.u32()? != crc32(bytes.get(..36).unwrap_or_default()) {
            return Err(Error::Truncated(
                "archive: the footer is missing or damaged: the archive is cut, or was not finished"
                    .to_owned(),
            ));
        }
        let end = size.saturating_sub(FOOTER as u64);
        let ordered = footer.back <= footer.directory && footer.directory < footer.sha && footer.sha < end;
        match ordered && footer.length == size {
            true => Ok(footer),
            false => Err(damaged("the footer contradicts the length of the archive")),
        }
    }
}

/// The place of an index section in the archive: position and length.
pub(super) type IndexPlace = (u64, u64);

/// Makes the back of an archive whose blocks end at `back`.
pub(super) fn encode_back(indexes: &[Index], front: u64, back: u64, sha: [u8; 32]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut directory = Vec::with_capacity(indexes.len() * 16);
    for (n, index) in indexes.iter().enumerate() {
        let section = section::encode(Type::Index, &index.encode(n, front))?;
        directory.extend((back + out.len() as u64).to_le_bytes());
        directory.extend((section.len() as u64).to_le_bytes());
        out.extend(section);
    }
    let directory_at = back + out.len() as u64;
    out.extend(section::encode(Type::Directory, &directory)?);
    let sha_at = back + out.len() as u64;
    out.extend(section::encode(Type::Sha256, &sha)?);
    let footer = Footer {
        back,
        directory: directory_at,
        sha: sha_at,
        length: back + (out.len() + FOOTER) as u64,
    };
    out.extend(footer.encode());
    Ok(out)
}

/// Reads the directory: `bytes` are the archive's from [`Footer::directory`] to the SHA-256.
///
/// # Errors
/// Places outside of the back, or another number of them than of streams.
pub(super) fn decode_directory(bytes: &[u8], footer: &Footer, streams: &Streams) -> Result<Vec<IndexPlace>> {
    let most = streams.list.len() as u64 * 16;
    let section = sections(bytes, most)?
        .into_iter()
        .find(|section| section.is(Type::Directory))
        .ok_or_else(|| damaged("the directory of indexes is missing"))?;
    if section.content.len() as u64 != most {
        return Err(damaged(
            "the directory has another number of indexes than there are streams",
        ));
    }
    let mut fields = Fields::new(&section.content, "the directory");
    let mut places = Vec::with_capacity(streams.list.len());
    let mut at = footer.back;
    for _ in &streams.list {
        let (begin, length) = (fields.u64()?, fields.u64()?);
        let end = begin.checked_add(length).filter(|end| *end <= footer.directory);
        if begin != at || length < AROUND {
            return Err(damaged("the directory names a place outside of the back"));
        }
        at = end.ok_or_else(|| damaged("the directory names a place outside of the back"))?;
        places.push((begin, length));
    }
    match at == footer.directory {
        true => Ok(places),
        false => Err(damaged("the directory leaves out a part of the back")),
    }
}

/// Reads the SHA-256 of the original: `bytes` are the archive's from [`Footer::sha`] to the footer.
///
/// # Errors
/// A damaged or missing section.
pub(super) fn decode_sha(bytes: &[u8]) -> Result<[u8; 32]> {
    let found = sections(bytes, 32)?
        .into_iter()
        .find(|section| section.is(Type::Sha256))
        .and_then(|section| section.content.try_into().ok());
    found.ok_or_else(|| damaged("the SHA-256 of the original is missing"))
}

/// The sections that `bytes` consist of.
fn sections(mut bytes: &[u8], most: u64) -> Result<Vec<Section>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let head = section::Head::read(bytes)?;
        let length = head.length().and_then(|length| usize::try_from(length).ok());
        let (now, rest) = length
            .and_then(|length| bytes.split_at_checked(length))
            .ok_or_else(|| damaged("a section of the back is cut"))?;
        found.extend(section::decode(now, most)?);
        bytes = rest;
    }
    Ok(found)
}
