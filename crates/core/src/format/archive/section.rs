//! Sections: typed parts of the front and the back of an archive.
//!
//! ```text
//! type u16 │ flags u16 │ form u32 │ stored length u64 │ content length u64 │ stored bytes │ CRC-32 u32
//! ```

use std::io::{self, BufReader, Read};

use ::zstd::stream::read::{Decoder, Encoder};
use libdeflater::Crc;

use super::fields::{Fields, crc32, cut, damaged};
use crate::error::{Error, Result};
use crate::filter::compressors::zstd;

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

/// Largest window of a frame that is decoded as a stream, as a power of two.
const WINDOW: u32 = 23;

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
    section.extend(head(ty, form, stored.len() as u64, content.len() as u64));
    section.extend(stored);
    section.extend(crc32(&section).to_le_bytes());
    Ok(section)
}

/// The bytes before the stored ones.
fn head(ty: Type, form: u32, stored: u64, content: u64) -> Vec<u8> {
    let mut head = Vec::with_capacity(HEAD);
    head.extend(ty.number().to_le_bytes());
    head.extend(MUST_UNDERSTAND.to_le_bytes());
    head.extend(form.to_le_bytes());
    head.extend(stored.to_le_bytes());
    head.extend(content.to_le_bytes());
    head
}

/// Content of `length` bytes as one Zstandard frame, made as it is read.
///
/// # Errors
/// If there is no memory for it.
pub(super) fn compressed<R: Read>(content: R, length: u64) -> io::Result<impl Read> {
    let mut encoder = Encoder::new(content, LEVEL)?;
    encoder.set_pledged_src_size(Some(length))?;
    Ok(encoder)
}

/// Writes a section piece by piece.
pub(super) struct Writer<'a> {
    out: &'a mut dyn FnMut(&[u8]) -> Result<()>,
    crc: Crc,
    written: u64,
}

impl<'a> Writer<'a> {
    /// Begins a section of `content` bytes of content: as they are, or as a frame of `packed` bytes.
    ///
    /// # Errors
    /// If writing fails.
    pub fn begin(
        ty: Type,
        packed: Option<u64>,
        content: u64,
        out: &'a mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<Self> {
        let (form, stored) = packed.map_or((0, content), |packed| (1, packed));
        let mut writer = Self {
            out,
            crc: Crc::new(),
            written: 0,
        };
        writer.write(&head(ty, form, stored, content))?;
        Ok(writer)
    }

    /// Writes stored bytes.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.crc.update(bytes);
        self.written += bytes.len() as u64;
        (self.out)(bytes)
    }

    /// Writes the checksum. Returns the length of the section.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(mut self) -> Result<u64> {
        let crc = self.crc.sum();
        self.write(&crc.to_le_bytes())?;
        Ok(self.written)
    }
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

    /// Checks the flags of a section of known type, and that its content has at most `most` bytes.
    fn check(&self, most: u64) -> Result<()> {
        if self.flags & !MUST_UNDERSTAND != 0 {
            return Err(damaged("a section has unknown flags"));
        }
        match self.content > most || self.content > self.stored.saturating_mul(EXPANSION) {
            true => Err(damaged(format!(
                "a section of type {} claims {} bytes",
                self.number, self.content
            ))),
            false => Ok(()),
        }
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
    let (body, crc) = bytes.split_at(body.ok_or_else(|| damaged("a section is truncated"))?);
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
    head.check(most)?;
    let stored = &body[HEAD..];
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

/// Reads a section piece by piece, and passes its content and the length of that to `work`. Returns the length of the section,
/// and what `work` made of it. `None` if the section has another type. The checksum is compared before anything is returned.
///
/// # Errors
/// A wrong checksum, lengths that lie, content of more than `most` bytes, failures of reading, and those of `work`.
pub(super) fn read<T>(
    input: &mut impl Read,
    ty: Type,
    most: u64,
    work: &mut dyn FnMut(&mut dyn Read, u64) -> Result<T>,
) -> Result<Option<(u64, T)>> {
    let mut bytes = [0; HEAD];
    read_all(input, &mut bytes)?;
    let head = Head::read(&bytes)?;
    if head.stored > most.saturating_add(64) {
        return Err(damaged(format!(
            "a section of type {} is longer than its content needs",
            head.number
        )));
    }
    let mut body = Body {
        input: input.by_ref().take(head.stored),
        crc: Crc::new(),
        failure: None,
    };
    body.crc.update(&bytes);
    let is_asked = head.number == ty.number();
    let made = match is_asked.then(|| head.check(most)) {
        None => Ok(None),
        Some(Err(error)) => Err(error),
        Some(Ok(())) => decoded(&mut body, &head, work).map(Some),
    };
    let drained = io::copy(&mut body, &mut io::sink());
    if let Some(failure) = body.failure {
        return Err(failure);
    }
    drained.map_err(|e| Error::io("cannot read", e))?;
    let found = body.crc.sum();
    let mut crc = [0; 4];
    read_all(input, &mut crc)?;
    match crc == found.to_le_bytes() {
        true => Ok(made?.map(|made| (head.stored + AROUND, made))),
        false => Err(damaged(format!(
            "the checksum of a section of type {} is wrong",
            head.number
        ))),
    }
}

/// Passes the content of a section to `work`, which may leave some of it.
fn decoded<R: Read, T>(
    body: &mut Body<R>,
    head: &Head,
    work: &mut dyn FnMut(&mut dyn Read, u64) -> Result<T>,
) -> Result<T> {
    let other = || damaged("a section decodes to another length than it claims");
    match head.form {
        0 if head.stored == head.content => work(body, head.content),
        0 => Err(other()),
        1 => {
            let broken = |e: &io::Error| damaged(format!("a section is no zstd frame: {e}"));
            let decoder = Decoder::with_buffer(BufReader::new(body)).and_then(|mut decoder| {
                decoder.window_log_max(WINDOW)?;
                Ok(decoder.single_frame())
            });
            let mut content = Content {
                decoder: decoder.map_err(|e| broken(&e))?,
                left: head.content,
                broken: None,
            };
            let made = work(&mut content, head.content);
            if let Some(error) = &content.broken {
                return Err(broken(error));
            }
            let made = made?;
            // Nothing follows the content, and nothing follows the frame.
            let more = content.decoder.read(&mut [0]).map_err(|e| broken(&e))?;
            let mut after = content.decoder.finish();
            let after = after.read(&mut [0]).map_err(|e| Error::io("cannot read", e))?;
            match content.left == 0 && more == 0 && after == 0 {
                true => Ok(made),
                false => Err(other()),
            }
        }
        form => Err(damaged(format!("a section has the unknown form {form}"))),
    }
}

fn read_all(input: &mut impl Read, into: &mut [u8]) -> Result<()> {
    input.read_exact(into).map_err(|e| match e.kind() {
        io::ErrorKind::UnexpectedEof => cut(),
        _ => Error::io("cannot read", e),
    })
}

/// The stored bytes of a section.
struct Body<R> {
    input: io::Take<R>,
    crc: Crc,
    /// Why they cannot be read to their end.
    failure: Option<Error>,
}

impl<R: Read> Read for Body<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.input.read(buf) {
            Ok(0) if self.input.limit() > 0 && !buf.is_empty() => {
                self.failure.get_or_insert_with(cut);
                Ok(0)
            }
            Ok(count) => {
                self.crc.update(&buf[..count]);
                Ok(count)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let told = io::Error::from(error.kind());
                self.failure
                    .get_or_insert_with(|| Error::io("cannot read", error));
                Err(told)
            }
        }
    }
}

/// The content of a frame: as many bytes as the section claims.
struct Content<R: io::BufRead> {
    decoder: Decoder<'static, R>,
    left: u64,
    /// Why the frame cannot be decoded.
    broken: Option<io::Error>,
}

impl<R: io::BufRead> Read for Content<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = usize::try_from(self.left).unwrap_or(usize::MAX).min(buf.len());
        if count == 0 {
            return Ok(0);
        }
        let read = match self.decoder.read(&mut buf[..count]) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            read => read,
        };
        match read {
            Ok(count) => {
                self.left -= count as u64;
                Ok(count)
            }
            Err(error) => {
                let told = io::Error::from(error.kind());
                self.broken.get_or_insert(error);
                Err(told)
            }
        }
    }
}
