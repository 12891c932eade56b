//! Checks an archive.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::block::{Content, Header};
use super::fields::damaged;
use super::filter::Scratch;
use super::front::Front;
use super::opened::{Archive, Original};
use super::pack::Packed;
use super::restore::{Blocks, restore_object};
use super::salvage::is_archive;
use super::shares::Shares;
use super::writer::Spool;
use crate::chunk::resize;
use crate::error::{Error, Result};
use crate::format::ReadValues;
use crate::store::{Object, known_size, object_stream};

/// Bytes that are read at once.
const PIECE: u64 = 1 << 20;

/// Most bytes of open blocks for which the original is put together in memory. Decoded blocks are kept for this many.
const IN_MEMORY: u64 = 16 << 20;

/// Something that is wrong in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The variable, by its number in the header; `None` if the finding concerns no variable.
    pub variable: Option<usize>,
    /// The block of the variable, by its number.
    pub block: Option<u64>,
    /// What is wrong.
    pub what: String,
}

impl Finding {
    pub(super) fn of(error: &Error) -> Self {
        Self {
            variable: None,
            block: None,
            what: error.to_string(),
        }
    }
}

/// Checks everything of an archive: each block, that the index agrees with the blocks, and the SHA-256 of the original.
/// Returns what is wrong, which is nothing for a sound archive, and how much of the blocks was read. After a structure that leads
/// on to others was found damaged, what follows it is not checked.
///
/// # Errors
/// If the archive cannot be read.
pub fn check(source: &Arc<dyn Object>) -> Result<(Vec<Finding>, ReadValues)> {
    let (mut findings, mut read) = (Vec::new(), ReadValues::default());
    let structure = (|| {
        let mut blocks = Blocks::open(object_stream(source.clone())?, Shares::index(None))?;
        let front = blocks.front.clone();
        let (mut stored, mut data) = (Vec::new(), Vec::new());
        let mut scratch = Scratch::default();
        while let Some(header) = blocks.next(&mut stored)? {
            read.chunks += 1;
            read.bytes += stored.len() as u64;
            if let Err(error) = decode(&front, &header, &stored, &mut data, &mut scratch) {
                let number = header.stream as usize;
                findings.push(Finding {
                    variable: (number < front.streams.rest()).then_some(number),
                    block: Some(header.number),
                    what: error.to_string(),
                });
            }
        }
        blocks.finish()
    })();
    match structure {
        Err(Error::Io { what, cause }) => return Err(Error::Io { what, cause }),
        Err(error) => findings.push(Finding::of(&error)),
        Ok((_, sha256)) if findings.is_empty() => {
            if let Some(wrong) = check_sha(source, sha256)? {
                findings.push(wrong);
            }
        }
        Ok(_) => {}
    }
    Ok((findings, read))
}

/// Compares the SHA-256 of the original. Its bytes are put together in memory if the open blocks of all interleaved variables
/// fit, and else in a temporary file.
fn check_sha(source: &Arc<dyn Object>, sha256: [u8; 32]) -> Result<Option<Finding>> {
    let archive = Arc::new(Archive::open(source.clone())?);
    let gathered = archive
        .streams()
        .list
        .iter()
        .filter(|stream| stream.is_gathered());
    let open: u64 = gathered.map(|stream| stream.block_length(0) as u64).sum();
    if open <= IN_MEMORY {
        let same = hash(&Original(archive))? == sha256;
        let wrong = damaged("the SHA-256 of the original is another one than its bytes have");
        return Ok((!same).then(|| Finding::of(&wrong)));
    }
    let spool = Spool::new(archive.streams().original)?;
    match restore_object(source, &spool, 1, None) {
        Ok(_) => Ok(None),
        Err(Error::Io { what, cause }) => Err(Error::Io { what, cause }),
        Err(error) => Ok(Some(Finding::of(&error))),
    }
}

/// Reads back what was packed or restored, all of it, and compares it with what was read for that.
///
/// # Errors
/// What differs or is damaged, and failures of reading.
pub fn verify(written: &Arc<dyn Object>, packed: &Packed) -> Result<()> {
    let wrong = |why: &str| Error::Damaged(format!("the output does not have what was asked for: {why}"));
    if !is_archive(&**written)? {
        return match hash(&**written)? == packed.sha256 {
            true => Ok(()),
            false => Err(wrong("the SHA-256 of its bytes is another one")),
        };
    }
    let (findings, _) = check(written)?;
    if let Some(first) = findings.first() {
        return Err(wrong(&first.what));
    }
    match Archive::open(written.clone())?.sha256()? == packed.sha256 {
        true => Ok(()),
        false => Err(wrong("the SHA-256 of its original is another one")),
    }
}

fn hash(source: &dyn Object) -> Result<[u8; 32]> {
    let size = known_size(source)?;
    let mut sha = Sha256::new();
    let mut piece = Vec::new();
    let mut at = 0;
    while at < size {
        resize(&mut piece, PIECE.min(size - at) as usize)?;
        source
            .read_exact_at(at, &mut piece)
            .map_err(|e| Error::io("cannot read", e))?;
        sha.update(&piece);
        at += piece.len() as u64;
    }
    Ok(sha.finalize().into())
}

/// Decodes a stored block. A repeated element leaves `data` empty.
pub(super) fn decode(
    front: &Front,
    header: &Header,
    stored: &[u8],
    data: &mut Vec<u8>,
    scratch: &mut Scratch,
) -> Result<()> {
    data.clear();
    let stream = &front.streams.list[header.stream as usize];
    let Content::Stored { mask, .. } = header.content else {
        return Ok(());
    };
    header.check_stored(stored)?;
    let length = stream.block_length(header.number);
    stream
        .filters
        .decode(stream.element as usize, mask, stored, data, length, scratch)
}
