//! Reads a classic file front to back, and gathers its bytes into the blocks of streams.
//!
//! ```text
//! file ─► pieces, in order ─► SHA-256
//!                          └► open blocks, one a stream ─► whole blocks, by the place of their last byte
//! ```
//!
//! Where the open blocks of interleaved variables would take too much memory, the records are read again for the variables
//! that are left. The order of blocks is that of [`Order`](super::order::Order).

use std::collections::VecDeque;

use sha2::{Digest, Sha256};

use super::order::passes;
use crate::chunk::resize;
use crate::error::Result;
use crate::format::archive::structure::read::read_at;
use crate::format::archive::structure::streams::Streams;
use crate::store::Object;

/// Bytes that are read at once.
const PIECE: u64 = 256 << 10;

/// Most buffers that are kept for blocks to come.
const POOL: usize = 16;

/// A whole block.
pub(crate) struct WholeBlock {
    pub stream: usize,
    pub number: u64,
    pub data: Vec<u8>,
}

/// A block that is being filled.
#[derive(Default)]
struct Open {
    number: u64,
    data: Vec<u8>,
}

impl Open {
    /// Makes room for a block when its first bytes come, so that no stream holds a buffer before, and none grows beyond it.
    fn prepare(&mut self, length: usize, pool: &mut Vec<Vec<u8>>) {
        if self.data.is_empty() && length > 0 {
            if self.data.capacity() == 0 {
                self.data = pool.pop().unwrap_or_default();
                self.data.clear();
            }
            self.data.reserve_exact(length);
        }
    }
}

/// The scan of a file.
pub(crate) struct Scan<'a> {
    source: &'a dyn Object,
    streams: &'a Streams,
    /// The pass in which each stream is read.
    pass_of: Vec<u32>,
    pass: u32,
    /// Position of the next byte to read.
    at: u64,
    open: Vec<Open>,
    sha: Sha256,
    piece: Vec<u8>,
    /// Blocks that one step completed, each with the position after its last byte.
    complete: Vec<(u64, WholeBlock)>,
    /// Whole blocks in their order.
    whole: VecDeque<WholeBlock>,
    pool: Vec<Vec<u8>>,
}

impl<'a> Scan<'a> {
    /// Begins a scan with passes of `open` bytes. Hashes the header.
    pub fn new(source: &'a dyn Object, streams: &'a Streams, header: &[u8], open: u64) -> Self {
        Self {
            source,
            streams,
            pass_of: passes(streams, open),
            pass: 0,
            at: streams.header,
            open: streams.list.iter().map(|_| Open::default()).collect(),
            sha: Sha256::new_with_prefix(header),
            piece: Vec::new(),
            complete: Vec::new(),
            whole: VecDeque::new(),
            pool: Vec::new(),
        }
    }

    /// The SHA-256 of the file, once all was read.
    pub fn sha(self) -> [u8; 32] {
        self.sha.finalize().into()
    }

    /// Takes a buffer back.
    pub fn recycle(&mut self, buffer: Vec<u8>) {
        if self.pool.len() < POOL && buffer.capacity() > 0 {
            self.pool.push(buffer);
        }
    }

    /// The next block; `None` at the end.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn next(&mut self) -> Result<Option<WholeBlock>> {
        while self.whole.is_empty() {
            if !self.step()? {
                return Ok(None);
            }
        }
        Ok(self.whole.pop_front())
    }

    /// Reads on. Returns false at the end.
    fn step(&mut self) -> Result<bool> {
        let (end, window) = match (self.pass, self.streams.records()) {
            (0, _) => (self.streams.original, None),
            (_, Some(records)) => (records.end, self.window()),
            (_, None) => return Ok(false),
        };
        if self.at >= end {
            self.pass += 1;
            let more = self.pass_of.contains(&self.pass);
            self.at = self.streams.records().map_or(0, |records| records.begin);
            return Ok(more);
        }
        match window {
            Some((low, high)) => self.read_windows(low, high, end)?,
            None => self.read_piece(end)?,
        }
        // Blocks of one piece are taken in the order of their last bytes, so that pieces of any length give one order.
        self.complete.sort_unstable_by_key(|block| block.0);
        self.whole.extend(self.complete.drain(..).map(|(_, block)| block));
        Ok(true)
    }

    /// In later passes, the part of each record that the pass reads, if it is much less than the record.
    fn window(&self) -> Option<(u64, u64)> {
        let mine = || {
            let pieces = self.streams.pattern.iter();
            pieces.filter(|piece| {
                piece.stream != self.streams.rest() && self.pass_of[piece.stream] == self.pass
            })
        };
        let low = mine().map(|piece| piece.offset).min()?;
        let high = mine().map(|piece| piece.offset + piece.length).max()?;
        (high - low <= self.streams.stride / 4 && self.streams.stride > PIECE / 16).then_some((low, high))
    }

    fn read_windows(&mut self, low: u64, high: u64, end: u64) -> Result<()> {
        let begin = self.streams.records().map_or(0, |records| records.begin);
        let mut read = 0;
        while self.at < end && read < PIECE {
            let record = (self.at - begin) / self.streams.stride;
            let start = begin + record * self.streams.stride;
            let (from, to) = ((start + low).max(self.at), (start + high).min(end));
            if from < to {
                let to = to.min(from + PIECE);
                let mut piece = std::mem::take(&mut self.piece);
                self.read(from, to - from, &mut piece)?;
                self.scatter(from, &piece);
                self.piece = piece;
                read += to - from;
                self.at = to;
                if to < (start + high).min(end) {
                    continue;
                }
            }
            self.at = start + self.streams.stride;
        }
        Ok(())
    }

    fn read_piece(&mut self, end: u64) -> Result<()> {
        if self.read_block(end)? {
            return Ok(());
        }
        let length = PIECE.min(end - self.at);
        let mut piece = std::mem::take(&mut self.piece);
        self.read(self.at, length, &mut piece)?;
        if self.pass == 0 {
            self.sha.update(&piece);
        }
        self.scatter(self.at, &piece);
        self.piece = piece;
        self.at += length;
        Ok(())
    }

    /// Reads a whole block that lies in one piece, without a copy. False if none begins here.
    fn read_block(&mut self, end: u64) -> Result<bool> {
        if self.pass > 0 {
            return Ok(false);
        }
        let Some(segment) = self.streams.locate(self.at, end) else {
            return Ok(false);
        };
        let stream = &self.streams.list[segment.stream];
        let block = u64::from(stream.block);
        let number = segment.linear / block;
        let length = stream.block_length(number);
        let whole = segment.linear.is_multiple_of(block) && segment.length >= length as u64;
        if !whole || self.pass_of[segment.stream] != 0 || length == 0 {
            return Ok(false);
        }
        let mut data = self.pool.pop().unwrap_or_default();
        self.read(self.at, length as u64, &mut data)?;
        self.sha.update(&data);
        self.open[segment.stream].number = number + 1;
        self.at += length as u64;
        let block = WholeBlock {
            stream: segment.stream,
            number,
            data,
        };
        self.complete.push((self.at, block));
        Ok(true)
    }

    fn read(&self, at: u64, length: u64, into: &mut Vec<u8>) -> Result<()> {
        resize(into, usize::try_from(length).unwrap_or(usize::MAX))?;
        read_at(self.source, at, into)
    }

    /// Puts bytes of the file into their streams.
    fn scatter(&mut self, mut at: u64, mut bytes: &[u8]) {
        let streams = self.streams;
        while !bytes.is_empty() {
            let end = at + bytes.len() as u64;
            if let Some(records) = streams.records().filter(|part| part.begin <= at && at < part.end)
                && (at - records.begin).is_multiple_of(streams.stride)
            {
                let whole = (end.min(records.end) - at) / streams.stride;
                if whole > 0 {
                    let length = (whole * streams.stride) as usize;
                    self.gather(&bytes[..length], whole as usize);
                    (at, bytes) = (at + length as u64, &bytes[length..]);
                    continue;
                }
            }
            let Some(segment) = streams.locate(at, end) else {
                return;
            };
            let (now, rest) = bytes.split_at(segment.length as usize);
            self.append(segment.stream, now);
            (at, bytes) = (at + segment.length, rest);
        }
    }

    /// Puts whole records into their streams.
    fn gather(&mut self, records: &[u8], count: usize) {
        let streams = self.streams;
        let rest = streams.rest();
        for piece in streams.pattern.iter().filter(|piece| piece.stream != rest) {
            if self.pass_of[piece.stream] != self.pass {
                continue;
            }
            let (offset, slab) = (piece.offset as usize, piece.length as usize);
            let mut done = 0;
            while done < count {
                let stream = &streams.list[piece.stream];
                let open = &mut self.open[piece.stream];
                open.prepare(stream.block_length(open.number), &mut self.pool);
                let room = stream.block_length(open.number) - open.data.len();
                let fit = (room / slab).min(count - done);
                let from = &records[done * streams.stride as usize..];
                if fit == 0 {
                    self.append(piece.stream, &from[offset..offset + slab]);
                    done += 1;
                    continue;
                }
                gather_slabs(
                    &from[offset..],
                    streams.stride as usize,
                    slab,
                    fit,
                    &mut open.data,
                );
                done += fit;
                self.close_if_full(piece.stream);
            }
        }
        if self.pass > 0 {
            return;
        }
        // The rest has several pieces in a record, so it is taken record by record.
        let pieces: Vec<(usize, usize)> = streams
            .pattern
            .iter()
            .filter(|piece| piece.stream == rest)
            .map(|piece| (piece.offset as usize, piece.length as usize))
            .collect();
        if pieces.is_empty() {
            return;
        }
        for record in records.chunks_exact(streams.stride as usize) {
            for (offset, length) in &pieces {
                self.append(rest, &record[*offset..offset + length]);
            }
        }
    }

    /// Appends bytes to a stream.
    fn append(&mut self, stream: usize, mut bytes: &[u8]) {
        if self.pass_of[stream] != self.pass {
            return;
        }
        while !bytes.is_empty() {
            let open = &mut self.open[stream];
            let length = self.streams.list[stream].block_length(open.number);
            open.prepare(length, &mut self.pool);
            let fit = (length - open.data.len()).min(bytes.len());
            if fit == 0 {
                return;
            }
            open.data.extend_from_slice(&bytes[..fit]);
            bytes = &bytes[fit..];
            self.close_if_full(stream);
        }
    }

    fn close_if_full(&mut self, stream: usize) {
        let of = &self.streams.list[stream];
        let open = &mut self.open[stream];
        if open.data.len() < of.block_length(open.number) {
            return;
        }
        let last = open.number * u64::from(of.block) + open.data.len() as u64 - 1;
        let place = self.streams.place(stream, last, 1);
        let block = WholeBlock {
            stream,
            number: open.number,
            data: std::mem::take(&mut open.data),
        };
        open.number += 1;
        self.complete
            .push((place.map_or(u64::MAX, |place| place.0 + 1), block));
    }
}

/// Appends `count` slabs, each at the beginning of a stride.
fn gather_slabs(from: &[u8], stride: usize, slab: usize, count: usize, to: &mut Vec<u8>) {
    fn fixed<const N: usize>(from: &[u8], stride: usize, count: usize, to: &mut Vec<u8>) {
        let old = to.len();
        to.resize(old + count * N, 0);
        let (slabs, _) = to[old..].as_chunks_mut::<N>();
        for (slab, from) in slabs.iter_mut().zip(from.chunks(stride)) {
            if let Some(first) = from.first_chunk() {
                *slab = *first;
            }
        }
    }
    match slab {
        1 => fixed::<1>(from, stride, count, to),
        2 => fixed::<2>(from, stride, count, to),
        4 => fixed::<4>(from, stride, count, to),
        8 => fixed::<8>(from, stride, count, to),
        _ => {
            for record in from.chunks(stride).take(count) {
                to.extend_from_slice(&record[..slab]);
            }
        }
    }
}
