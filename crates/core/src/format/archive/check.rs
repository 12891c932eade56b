//! Checks an archive, and restores what is whole of a damaged one.

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::block::{self, Content, Found, HEADER, Header};
use super::fields::damaged;
use super::filter::Scratch;
use super::front::{Front, PRELUDE, Prelude};
use super::opened::{Archive, Original};
use super::restore::Blocks;
use super::scatter::Scatter;
use crate::chunk::resize;
use crate::error::{Error, Result};
use crate::store::{Object, Output, known_size, object_stream};

/// Bytes that are read at once.
const PIECE: u64 = 1 << 20;

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
    fn of(error: &Error) -> Self {
        Self {
            variable: None,
            block: None,
            what: error.to_string(),
        }
    }
}

/// Checks everything of an archive: each block, that the index agrees with the blocks, and the SHA-256 of the original.
/// Returns what is wrong; empty for a sound archive. After a structure that leads on to others was found damaged, what follows
/// it is not checked.
///
/// # Errors
/// If the archive cannot be read.
pub fn check(source: &Arc<dyn Object>) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let structure = (|| {
        let mut blocks = Blocks::open(object_stream(source.clone())?)?;
        let front = blocks.front.clone();
        let (mut stored, mut data) = (Vec::new(), Vec::new());
        let mut scratch = Scratch::default();
        while let Some(header) = blocks.next(&mut stored)? {
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
            let archive = Arc::new(Archive::open(source.clone())?);
            if hash(&Original(archive))? != sha256 {
                let wrong = damaged("the SHA-256 of the original is another one than its bytes have");
                findings.push(Finding::of(&wrong));
            }
        }
        Ok(_) => {}
    }
    Ok(findings)
}

fn hash(original: &Original) -> Result<[u8; 32]> {
    let size = known_size(original)?;
    let mut sha = Sha256::new();
    let mut piece = Vec::new();
    let mut at = 0;
    while at < size {
        resize(&mut piece, PIECE.min(size - at) as usize)?;
        original.0.read_original(at, &mut piece)?;
        sha.update(&piece);
        at += piece.len() as u64;
    }
    Ok(sha.finalize().into())
}

/// Decodes a stored block. A repeated element leaves `data` empty.
fn decode(
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

/// What salvaging restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Salvaged {
    /// Bytes of the original.
    pub original: u64,
    /// The ranges of the original that are lost, and hold zeros; ascending and apart.
    pub lost: Vec<Range<u64>>,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// Restores what is whole of an archive whose front is whole. What is lost reads as zeros. Blocks are found by their headers;
/// behind a damaged one, the next header is looked for. The output is not committed.
///
/// # Errors
/// A damaged front, and failures of reading and writing.
pub fn salvage(source: &Arc<dyn Object>, output: &dyn Output) -> Result<Salvaged> {
    let size = known_size(&**source)?;
    let mut input = object_stream(source.clone())?;
    let mut bytes = vec![0; PRELUDE];
    let cut = |_| damaged("the front is cut");
    input.read_exact(&mut bytes).map_err(cut)?;
    let front_length = Prelude::decode(&bytes)?.front;
    if front_length > size {
        return Err(damaged("the front is cut"));
    }
    resize(&mut bytes, front_length as usize)?;
    input.read_exact(&mut bytes[PRELUDE..]).map_err(cut)?;
    let front = Front::decode(&bytes)?;
    let streams = &front.streams;
    let cannot = |e| Error::io("cannot write", e);
    output.set_size(streams.original).map_err(cannot)?;
    output.write_all_at(0, &front.header).map_err(cannot)?;

    let scatter = Scatter::unbuffered(output, streams);
    let mut findings = Vec::new();
    let mut have: Vec<Vec<Range<u64>>> = vec![Vec::new(); streams.list.len()];
    let (mut data, mut scratch) = (Vec::new(), Scratch::default());
    let mut at = front_length;
    let mut seeks = false;
    while at < size {
        let Some((header, stored)) = block_at(&**source, &front, at, size)? else {
            if ended(&**source, at, size)? {
                break;
            }
            if !seeks {
                findings.push(Finding::of(&damaged(format!("no block is at byte {at}"))));
            }
            seeks = true;
            at += 1;
            continue;
        };
        seeks = false;
        at += (HEADER + stored.len()) as u64;
        let number = header.stream as usize;
        let stream = &streams.list[number];
        let block = u64::from(stream.block);
        let start = header.number * block;
        let end = ((header.number + header.run()) * block).min(stream.length());
        let put = match header.content {
            Content::Repeated { element, .. } => {
                scatter.put_repeated(number, start, end, &element[..stream.element as usize])
            }
            Content::Stored { .. } => match decode(&front, &header, &stored, &mut data, &mut scratch) {
                Ok(()) => scatter.put(number, start, &data),
                Err(error) => {
                    findings.push(Finding {
                        variable: (number < streams.rest()).then_some(number),
                        block: Some(header.number),
                        what: error.to_string(),
                    });
                    continue;
                }
            },
        };
        put?;
        have[number].push(start..end);
    }
    let mut lost = Vec::new();
    for (n, ranges) in have.iter_mut().enumerate() {
        ranges.sort_by_key(|range| range.start);
        let mut next = 0;
        let whole = streams.list[n].length();
        let end = whole..whole;
        for range in ranges.iter().chain([&end]) {
            while next < range.start {
                let Some((place, length)) = streams.place(n, next, range.start - next) else {
                    break;
                };
                lost.push(place..place + length);
                next += length;
            }
            next = next.max(range.end);
        }
    }
    lost.sort_by_key(|range| range.start);
    lost.dedup_by(|next, before| {
        let touch = before.end == next.start;
        if touch {
            before.end = next.end;
        }
        touch
    });
    Ok(Salvaged {
        original: streams.original,
        lost,
        findings,
    })
}

/// True if the end of the blocks is at a position.
fn ended(source: &dyn Object, at: u64, size: u64) -> Result<bool> {
    let mut header = [0; HEADER];
    if size - at < HEADER as u64 {
        return Ok(true);
    }
    source
        .read_exact_at(at, &mut header)
        .map_err(|e| Error::io("cannot read", e))?;
    Ok(matches!(block::decode(&header), Ok(Found::End(_))))
}

/// The block at a position, if its header is whole and fits the streams.
fn block_at(source: &dyn Object, front: &Front, at: u64, size: u64) -> Result<Option<(Header, Vec<u8>)>> {
    let mut bytes = [0; HEADER];
    if size - at < HEADER as u64 {
        return Ok(None);
    }
    let cannot = |e| Error::io("cannot read", e);
    source.read_exact_at(at, &mut bytes).map_err(cannot)?;
    let Ok(Found::Block(header)) = block::decode(&bytes) else {
        return Ok(None);
    };
    let Some(stream) = front.streams.list.get(header.stream as usize) else {
        return Ok(None);
    };
    let fits = header
        .number
        .checked_add(header.run())
        .is_some_and(|end| end <= stream.blocks());
    let length = header.stored();
    if !fits || length > stream.block_length(header.number) || (length as u64) > size - at - HEADER as u64 {
        return Ok(None);
    }
    let mut stored = Vec::new();
    resize(&mut stored, length)?;
    source
        .read_exact_at(at + HEADER as u64, &mut stored)
        .map_err(cannot)?;
    Ok(Some((header, stored)))
}
