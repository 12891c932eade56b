//! Restores what is whole of a damaged archive.

use std::io;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use super::finding::{Finding, MOST_FINDINGS};
use crate::chunk::resize;
use crate::error::{Error, Result};
use crate::format::archive::random_access::opened::Archive;
use crate::format::archive::restore::blocks::decode;
use crate::format::archive::restore::scatter::Scatter;
use crate::format::archive::stream_names::names;
use crate::format::archive::structure::block::{self, BlockOrEnd, HEADER, Header};
use crate::format::archive::structure::fields::damaged;
use crate::format::archive::structure::filter::Scratch;
use crate::format::archive::structure::front::{Front, PRELUDE, Prelude};
use crate::format::archive::structure::streams::Streams;
use crate::store::{Object, Output, known_size, object_stream};

/// Bytes in which the next block header is looked for at once.
const PIECE: usize = 1 << 20;

/// A part of the original that is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostRange {
    /// The variable, by its number in the header; `None` for bytes that belong to no variable.
    pub variable: Option<usize>,
    /// Bytes of the variable's data in linear order, or of all bytes that belong to no variable.
    pub bytes: Range<u64>,
}

/// What salvaging restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Salvaged {
    /// Bytes of the original.
    pub original: u64,
    /// What is lost, and reads as zeros: by variable, ascending and apart. There are at most as many ranges as the archive has
    /// blocks and variables.
    pub lost: Vec<LostRange>,
    /// Names of all variables, as far as the header can be read.
    pub variables: Vec<String>,
    /// What is wrong, up to 10,000 things.
    pub findings: Vec<Finding>,
}

/// Restores what is whole of an archive whose front is whole. What is lost reads as zeros. Blocks are found by their headers;
/// behind a damaged one, the next header is looked for. The output is not committed.
///
/// # Errors
/// A damaged front, and failures of reading and writing.
pub fn salvage(source: &Arc<dyn Object>, output: &dyn Output) -> Result<Salvaged> {
    let size = known_size(&**source)?;
    let front = read_front(source, size)?;
    let streams = &front.streams;
    let cannot = |e| Error::io("cannot write", e);
    output.set_size(streams.original).map_err(cannot)?;
    output.write_all_at(0, &front.header).map_err(cannot)?;

    let scatter = Scatter::unbuffered(output, streams);
    let mut findings = Vec::new();
    let mut have: Vec<Vec<Range<u64>>> = vec![Vec::new(); streams.list.len()];
    let (mut data, mut scratch) = (Vec::new(), Scratch::default());
    let mut at = front.prelude.front;
    let mut ended = false;
    let mut search = HeaderSearch::of(&**source, size);
    let mut is_in_gap = false;
    while at < size {
        let Some((header, stored)) = block_at(&**source, &front, at, size)? else {
            if is_end(&**source, at, size)? {
                ended = true;
                break;
            }
            // One gap may hold many headers that fit no stream.
            if !is_in_gap && findings.len() < MOST_FINDINGS {
                findings.push(Finding::of(&damaged(format!("no block is at byte {at}"))));
            }
            is_in_gap = true;
            at = search.next(at + 1)?;
            continue;
        };
        is_in_gap = false;
        at += (HEADER + stored.len()) as u64;
        let number = header.stream as usize;
        let stream = &streams.list[number];
        let Range { start, end } = stream.bytes(&header);
        if have[number]
            .last()
            .is_some_and(|last| last.start <= start && end <= last.end)
        {
            // Hostile archives have the same block again and again.
            continue;
        }
        if let Err(error) = decode(&front, &header, &stored, &mut data, &mut scratch) {
            if findings.len() < MOST_FINDINGS {
                findings.push(Finding {
                    variable: (number < streams.rest()).then_some(number),
                    block: Some(header.number),
                    byte: Some(at - (HEADER + stored.len()) as u64),
                    what: error.to_string(),
                });
            }
            continue;
        }
        scatter.put_block(&header, start..end, &data)?;
        match have[number].last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => have[number].push(start..end),
        }
    }
    if !ended {
        findings.push(Finding::of(&damaged("the end of the blocks is missing")));
    }
    if let Err(error) = check_back(source) {
        findings.push(Finding::of(&error));
    }
    Ok(Salvaged {
        original: streams.original,
        lost: missing(streams, have),
        variables: names(&front),
        findings,
    })
}

fn read_front(source: &Arc<dyn Object>, size: u64) -> Result<Front> {
    let mut input = object_stream(source.clone())?;
    let mut bytes = vec![0; PRELUDE];
    let cut = |e: io::Error| match e.kind() {
        io::ErrorKind::UnexpectedEof => damaged("the front is truncated"),
        _ => Error::io("cannot read", e),
    };
    input.read_exact(&mut bytes).map_err(cut)?;
    let length = Prelude::decode(&bytes)?.front;
    if length > size {
        return Err(damaged("the front is truncated"));
    }
    resize(&mut bytes, length as usize)?;
    input.read_exact(&mut bytes[PRELUDE..]).map_err(cut)?;
    Front::decode(&bytes)
}

/// Reads the directory, the SHA-256 and all indexes, which salvaging does without.
fn check_back(source: &Arc<dyn Object>) -> Result<()> {
    let archive = Archive::open(source.clone())?;
    (0..archive.streams().list.len()).try_for_each(|n| archive.index(n).map(|_| ()))
}

/// What is missing between the ranges of each stream.
fn missing(streams: &Streams, have: Vec<Vec<Range<u64>>>) -> Vec<LostRange> {
    let mut lost = Vec::new();
    for (n, mut ranges) in have.into_iter().enumerate() {
        ranges.sort_by_key(|range| range.start);
        let whole = streams.list[n].length();
        let end = whole..whole;
        let mut next = 0;
        for range in ranges.iter().chain([&end]) {
            if next < range.start {
                lost.push(LostRange {
                    variable: (n < streams.rest()).then_some(n),
                    bytes: next..range.start,
                });
            }
            next = next.max(range.end);
        }
    }
    lost
}

/// Looks for block headers.
struct HeaderSearch<'a> {
    source: &'a dyn Object,
    size: u64,
    /// Bytes of the source from `start` on.
    piece: Vec<u8>,
    start: u64,
}

impl<'a> HeaderSearch<'a> {
    fn of(source: &'a dyn Object, size: u64) -> Self {
        Self {
            source,
            size,
            piece: Vec::new(),
            start: 0,
        }
    }

    /// The first position from `at` on where a header with a right checksum is, or the size of the archive.
    fn next(&mut self, mut at: u64) -> Result<u64> {
        while self.size.saturating_sub(at) >= HEADER as u64 {
            let within = at.checked_sub(self.start).and_then(|at| usize::try_from(at).ok());
            let rest = match within.and_then(|within| self.piece.get(within..)) {
                Some(rest) if rest.len() >= HEADER => rest,
                _ => {
                    let length = (self.size - at).min(PIECE as u64) as usize;
                    resize(&mut self.piece, length)?;
                    let read = self.source.read_exact_at(at, &mut self.piece);
                    read.map_err(|e| Error::io("cannot read", e))?;
                    self.start = at;
                    &self.piece
                }
            };
            let mut windows = rest.windows(HEADER);
            if let Some(found) = windows.position(|window| block::decode(window).is_ok()) {
                return Ok(at + found as u64);
            }
            at += (rest.len() - HEADER + 1) as u64;
        }
        Ok(self.size)
    }
}

/// True if the end of the blocks is at a position.
fn is_end(source: &dyn Object, at: u64, size: u64) -> Result<bool> {
    let mut header = [0; HEADER];
    if size - at < HEADER as u64 {
        return Ok(false);
    }
    source
        .read_exact_at(at, &mut header)
        .map_err(|e| Error::io("cannot read", e))?;
    Ok(matches!(block::decode(&header), Ok(BlockOrEnd::End(_))))
}

/// The block at a position, if its header is whole and fits the streams.
fn block_at(source: &dyn Object, front: &Front, at: u64, size: u64) -> Result<Option<(Header, Vec<u8>)>> {
    let mut bytes = [0; HEADER];
    if size - at < HEADER as u64 {
        return Ok(None);
    }
    let cannot = |e| Error::io("cannot read", e);
    source.read_exact_at(at, &mut bytes).map_err(cannot)?;
    let Ok(BlockOrEnd::Block(header)) = block::decode(&bytes) else {
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
