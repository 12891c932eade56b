//! Sections: typed parts of the front and the back of an archive.
//!
//! ```text
//! type u16 │ flags u16 │ form u32 │ stored length u64 │ content length u64 │ stored bytes │ CRC-32 u32
//! ```

use super::fields::{Fields, crc32, damaged};
use crate::error::Result;
use crate::filter::zstd;

/// Bytes before the stored ones.
pub(super) const HEAD: usize = 24;

/// Bytes of a section besides the stored ones.
pub(super) const AROUND: u64 = HEAD as u64 + 4;

/// The flag of a section that a reader must understand.
const MUST_UNDERSTAND: u16 = 1;

/// Most bytes that one stored byte can stand for in a Zstandard frame.
const EXPANSION: u64 = 32 << 10;

/// Level at which content is compressed.
const LEVEL: i32 = 9;

/// The type of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    /// The header of the original.
    Header,
    /// The table of streams.
    Streams,
    /// The blocks of one stream.
    Index,
    /// The place of each index.
    Directory,
    /// The checksum of the original.
    Sha256,
}

impl Type {
    fn number(self) -> u16 {
        match self {
            Self::Header => 1,
            Self::Streams => 2,
            Self::Index => 3,
            Self::Directory => 4,
            Self::Sha256 => 5,
        }
    }
}

/// Makes a section of content.
pub(super) fn encode(ty: Type, content: &[u8]) -> Result<Vec<u8>> {
    let mut packed = Vec::new();
    if content.len() > 64 {
        zstd::encode_plain(LEVEL, content, &mut packed).map_err(damaged)?;
    }
    let (form, stored): (u32, &[u8]) = match !packed.is_empty() && packed.len() < content.len() {
        true => (1, &packed),
        false => (0, content),
    };
    let mut section = Vec::with_capacity(HEAD + stored.len() + 4);
    section.extend(ty.number().to_le_bytes());
    section.extend(MUST_UNDERSTAND.to_le_bytes());
    section.extend(form.to_le_bytes());
    section.extend((stored.len() as u64).to_le_bytes());
    section.extend((content.len() as u64).to_le_bytes());
    section.extend(stored);
    section.extend(crc32(&section).to_le_bytes());
    Ok(section)
}

/// The head of a section.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    number: u16,
    flags: u16,
    form: u32,
    /// Length of the stored bytes.
    pub stored: u64,
    content: u64,
}

impl Head {
    /// Reads a head. Its checksum is checked by [`decode`].
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let mut fields = Fields::new(bytes, "the head of a section");
        Ok(Self {
            number: fields.u16()?,
            flags: fields.u16()?,
            form: fields.u32()?,
            stored: fields.u64()?,
            content: fields.u64()?,
        })
    }

    /// Length of the whole section; `None` on overflow.
    pub fn length(&self) -> Option<u64> {
        self.stored.checked_add(AROUND)
    }
}

/// A section that was read.
#[derive(Debug)]
pub(super) struct Section {
    number: u16,
    /// The content.
    pub content: Vec<u8>,
}

impl Section {
    /// True if the section has this type.
    pub fn is(&self, ty: Type) -> bool {
        self.number == ty.number()
    }
}

/// Checks a whole section and decodes its content, of at most `most` bytes. `None` for an unknown section that may be
/// skipped.
///
/// # Errors
/// A wrong checksum, lengths that lie, and an unknown section that must be understood.
pub(super) fn decode(bytes: &[u8], most: u64) -> Result<Option<Section>> {
    let head = Head::read(bytes)?;
    let body = bytes
        .len()
        .checked_sub(4)
        .filter(|_| Some(bytes.len() as u64) == head.length());
    let (body, crc) = bytes.split_at(body.ok_or_else(|| damaged("a section is cut"))?);
    if crc != crc32(body).to_le_bytes() {
        return Err(damaged(format!(
            "the checksum of a section of type {} is wrong",
            head.number
        )));
    }
    if !(1..=5).contains(&head.number) {
        return match head.flags & MUST_UNDERSTAND {
            0 => Ok(None),
            _ => Err(damaged(format!(
                "section type {} must be understood, and is not known to this version",
                head.number
            ))),
        };
    }
    if head.flags & !MUST_UNDERSTAND != 0 {
        return Err(damaged("a section has unknown flags"));
    }
    let stored = &body[HEAD..];
    if head.content > most || head.content > head.stored.saturating_mul(EXPANSION) {
        return Err(damaged(format!(
            "a section of type {} claims {} bytes",
            head.number, head.content
        )));
    }
    let length = head.content as usize;
    let mut content = Vec::new();
    match head.form {
        0 => content.extend_from_slice(stored),
        1 => zstd::decode_plain(stored, length, &mut content).map_err(damaged)?,
        form => return Err(damaged(format!("a section has the unknown form {form}"))),
    }
    if content.len() != length {
        return Err(damaged("a section decodes to another length than it claims"));
    }
    Ok(Some(Section {
        number: head.number,
        content,
    }))
}
