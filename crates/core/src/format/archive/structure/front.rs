//! The front of an archive: prelude, header of the original, table of streams.
//!
//! ```text
//! magic 8 │ version u16 │ kind u8 │ 0 u8 │ sections u32 │ original length u64 │ front length u64 │ 0 u32 │ CRC-32 u32
//! ```

use super::fields::{Fields, crc32, damaged};
use super::section::{self, HEAD, Head, Type};
use super::streams::Streams;
use crate::error::{Error, Result};
use crate::store::{Object, known_size};

/// The first bytes of an archive.
pub(crate) const MAGIC: [u8; 8] = *b"\x89NC3Z\r\n\x1a";

/// True if an object begins as an archive does.
///
/// # Errors
/// If it cannot be read.
pub fn is_archive(source: &dyn Object) -> Result<bool> {
    let mut magic = [0; MAGIC.len()];
    if known_size(source)? < magic.len() as u64 {
        return Ok(false);
    }
    let read = source.read_exact_at(0, &mut magic);
    read.map_err(|e| Error::io("cannot read", e))?;
    Ok(magic == MAGIC)
}

/// Length of the prelude, in bytes.
pub(crate) const PRELUDE: usize = 40;

/// The version that is written.
const VERSION: u16 = 1;

/// Largest front, in bytes.
const LARGEST_FRONT: u64 = 1 << 32;

/// Most bytes of the original's header, and of the table of streams.
const LARGEST_CONTENT: u64 = 1 << 31;

/// The prelude.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Prelude {
    /// The fourth byte of the original: 1, 2 or 5.
    pub kind: u8,
    sections: u32,
    /// Bytes of the original.
    pub original: u64,
    /// Bytes from the beginning of the archive to the first block.
    pub front: u64,
}

impl Prelude {
    /// Reads the prelude.
    ///
    /// # Errors
    /// Another magic number or version, a wrong checksum, an impossible length.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut fields = Fields::new(bytes, "the prelude");
        if fields.eight()? != MAGIC {
            return Err(Error::UnknownFormat);
        }
        let version = fields.u16()?;
        if version != VERSION {
            return Err(Error::Unsupported(format!(
                "version {version} of netCDF-3 archives"
            )));
        }
        let kind = fields.u8()?;
        let zero = fields.u8()?;
        let (sections, original, front) = (fields.u32()?, fields.u64()?, fields.u64()?);
        let zeros = fields.u32()?;
        if fields.u32()? != crc32(bytes.get(..36).unwrap_or_default()) {
            return Err(damaged("the checksum of the prelude is wrong"));
        }
        fields.zero(u64::from(zero) | u64::from(zeros))?;
        if ![1, 2, 5].contains(&kind) {
            return Err(damaged(format!("the original has the unknown kind {kind}")));
        }
        if i64::try_from(original).is_err() {
            return Err(damaged(format!("the original claims {original} bytes")));
        }
        if !(PRELUDE as u64..=LARGEST_FRONT).contains(&front) {
            return Err(damaged(format!("the front claims {front} bytes")));
        }
        Ok(Self {
            kind,
            sections,
            original,
            front,
        })
    }
}

/// The front of an archive.
#[derive(Debug, Clone)]
pub(crate) struct Front {
    /// The prelude.
    pub prelude: Prelude,
    /// The header of the original, as it stands.
    pub header: Vec<u8>,
    /// The streams.
    pub streams: Streams,
}

/// Makes the front of an archive.
pub(crate) fn encode(kind: u8, header: &[u8], streams: &Streams) -> Result<Vec<u8>> {
    let sections = [
        section::encode(Type::Header, header)?,
        section::encode(Type::Streams, &streams.encode())?,
    ];
    let length = PRELUDE + sections.iter().map(Vec::len).sum::<usize>();
    let mut front = Vec::with_capacity(length);
    front.extend(MAGIC);
    front.extend(VERSION.to_le_bytes());
    front.extend([kind, 0]);
    front.extend((sections.len() as u32).to_le_bytes());
    front.extend(streams.original.to_le_bytes());
    front.extend((length as u64).to_le_bytes());
    front.extend([0; 4]);
    front.extend(crc32(&front).to_le_bytes());
    for section in sections {
        front.extend(section);
    }
    Ok(front)
}

impl Front {
    /// Reads a whole front: `bytes` are the first [`Prelude::front`] bytes of an archive.
    ///
    /// # Errors
    /// The structure that is damaged.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let prelude = Prelude::decode(bytes)?;
        if prelude.front != bytes.len() as u64 {
            return Err(damaged("the front is truncated"));
        }
        let mut rest = &bytes[PRELUDE..];
        let (mut header, mut streams) = (None, None);
        for _ in 0..prelude.sections {
            let head = Head::read(
                rest.get(..HEAD)
                    .ok_or_else(|| damaged("the front is truncated"))?,
            )?;
            let length = head.length().and_then(|length| usize::try_from(length).ok());
            let (now, after) = length
                .and_then(|length| rest.split_at_checked(length))
                .ok_or_else(|| damaged("a section of the front is longer than the front"))?;
            rest = after;
            match section::decode(now, LARGEST_CONTENT)? {
                None => {}
                Some(section) if section.is(Type::Header) && header.is_none() => {
                    header = Some(section.content);
                }
                Some(section) if section.is(Type::Streams) && streams.is_none() => {
                    streams = Some(section.content);
                }
                Some(_) => {
                    return Err(damaged(
                        "a section stands in the front that does not belong there",
                    ));
                }
            }
        }
        if !rest.is_empty() {
            return Err(damaged("the front is longer than its sections"));
        }
        let header = header.ok_or_else(|| damaged("the header of the original is missing"))?;
        let streams = streams.ok_or_else(|| damaged("the table of streams is missing"))?;
        if header.len() as u64 > prelude.original || !header.starts_with(&[b'C', b'D', b'F', prelude.kind]) {
            return Err(damaged("the header of the original contradicts the prelude"));
        }
        let streams = Streams::decode(header.len() as u64, prelude.original, &streams)?;
        Ok(Self {
            prelude,
            header,
            streams,
        })
    }
}
