//! The end of an archive: the directory of indexes, the checksum, the footer.
//!
//! ```text
//! footer: back u64 │ directory u64 │ SHA-256 u64 │ archive length u64 │ "NC3E" │ CRC-32 u32
//! ```

use super::fields::{Fields, crc32, damaged};
use super::section::{self, AROUND, Section, Type};
use super::streams::Streams;
use crate::error::{Error, Result};
use crate::format::archive::index::index_section;
use crate::format::archive::index::stream_index::StreamIndex;

/// Length of the footer, in bytes.
pub(crate) const FOOTER: usize = 40;

/// The mark of the footer.
const MARK: [u8; 4] = *b"NC3E";

/// The footer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Footer {
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
                "archive: the footer is missing or damaged: the archive is truncated, or was not finished"
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
pub(crate) type IndexPlace = (u64, u64);

/// Writes the back of an archive whose blocks end at `back`.
///
/// # Errors
/// Those of [`index_section::write`].
pub(crate) fn write_back(
    indexes: &[StreamIndex],
    back: u64,
    sha: [u8; 32],
    out: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let mut at = back;
    let mut directory = Vec::with_capacity(indexes.len() * 16);
    for (n, index) in indexes.iter().enumerate() {
        let length = index_section::write(index, n, out)?;
        directory.extend(at.to_le_bytes());
        directory.extend(length.to_le_bytes());
        at += length;
    }
    let directory_at = at;
    let directory = section::encode(Type::Directory, &directory)?;
    let sha_at = directory_at + directory.len() as u64;
    let sha = section::encode(Type::Sha256, &sha)?;
    let footer = Footer {
        back,
        directory: directory_at,
        sha: sha_at,
        length: sha_at + (sha.len() + FOOTER) as u64,
    };
    out(&directory)?;
    out(&sha)?;
    out(&footer.encode())
}

/// Reads the directory: `bytes` are the archive's from [`Footer::directory`] to the SHA-256.
///
/// # Errors
/// Places outside of the back, or another number of them than of streams.
pub(crate) fn decode_directory(bytes: &[u8], footer: &Footer, streams: &Streams) -> Result<Vec<IndexPlace>> {
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
pub(crate) fn decode_sha(bytes: &[u8]) -> Result<[u8; 32]> {
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
            .ok_or_else(|| damaged("a section of the back is truncated"))?;
        found.extend(section::decode(now, most)?);
        bytes = rest;
    }
    Ok(found)
}
