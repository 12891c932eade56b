//! Streams: which bytes of the original belong to which variable.
//!
//! ```text
//! original │ header │ fixed a │ gap │ record 0: x │ pad │ y │ record 1: x │ pad │ y │ trailing bytes │
//! streams             a               x ───────── y ─────────
//! rest                        gap           pad ─────────────                        trailing bytes
//! ```
//!
//! A stream is (begin, slab, stride, count): `count` slabs of `slab` bytes, one every `stride` bytes from `begin`. The last
//! stream, the rest, has all bytes after the header that no other stream has, in the order of the file.

use std::ops::Range;

use super::block::Header;
use super::fields::{Fields, damaged};
use super::filter::Filters;
use crate::error::Result;

/// Largest block, in bytes.
pub const LARGEST_BLOCK: u32 = 1 << 28;

/// Bytes of a stream's record, without filters.
const RECORD: usize = 48;

/// One stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stream {
    /// Position of the first byte in the original. 0 for the rest.
    pub begin: u64,
    /// Bytes of a slab.
    pub slab: u64,
    /// Bytes from one slab to the next.
    pub stride: u64,
    /// Number of slabs; 0 for a stream without bytes.
    pub count: u64,
    /// Bytes of a block, a multiple of the element.
    pub block: u32,
    /// Bytes of an element, 1 to 8.
    pub element: u32,
    /// The filters of its blocks.
    pub filters: Filters,
}

impl Stream {
    /// Bytes of the stream. Checked not to overflow.
    pub fn length(&self) -> u64 {
        self.slab.saturating_mul(self.count)
    }

    /// Number of blocks.
    pub fn blocks(&self) -> u64 {
        self.length().div_ceil(self.block.into())
    }

    /// Bytes of a block; 0 past the last one.
    pub fn block_length(&self, number: u64) -> usize {
        let start = number.saturating_mul(self.block.into());
        self.length().saturating_sub(start).min(self.block.into()) as usize
    }

    /// The bytes of the stream that a header stands for.
    pub fn bytes(&self, header: &Header) -> Range<u64> {
        let block = u64::from(self.block);
        let end = header.number.saturating_add(header.run()).saturating_mul(block);
        header.number.saturating_mul(block)..end.min(self.length())
    }

    /// True if its slabs lie apart.
    pub fn is_gathered(&self) -> bool {
        self.count > 1
    }

    /// Position after its last byte.
    fn end(&self) -> Option<u64> {
        let last = self.count.checked_sub(1)?.checked_mul(self.stride)?;
        self.begin.checked_add(last)?.checked_add(self.slab)
    }
}

/// A part of one slab, or of the rest, within the records.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordPiece {
    /// Offset within a record.
    pub offset: u64,
    pub length: u64,
    pub stream: usize,
    /// Position in the stream at record 0.
    pub linear: u64,
    /// Bytes of the stream in a record.
    pub step: u64,
}

/// A part of the original after the header.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OriginalPart {
    pub begin: u64,
    pub end: u64,
    /// The stream and the position in it; `None` for the records.
    pub of: Option<(usize, u64)>,
}

/// A piece of the original that is contiguous in one stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    pub at: u64,
    pub length: u64,
    pub stream: usize,
    pub linear: u64,
}

/// All streams of an archive, and the map of the original that they make.
#[derive(Debug, Clone)]
pub(crate) struct Streams {
    /// Bytes of the original's header.
    pub header: u64,
    /// Bytes of the original.
    pub original: u64,
    /// One stream a variable, and the rest.
    pub list: Vec<Stream>,
    /// The original from the header on, without gaps.
    pub parts: Vec<OriginalPart>,
    /// One record, without gaps; empty if no stream is gathered.
    pub pattern: Vec<RecordPiece>,
    /// Bytes from one record to the next.
    pub stride: u64,
    /// The part that has the records.
    region: Option<OriginalPart>,
    /// The pieces of `pattern` that are the rest's, in order.
    rest_pattern: Vec<RecordPiece>,
    /// Where the rest begins in each part that has some: position in the rest, number of the part.
    rest: Vec<(u64, usize)>,
}

impl Streams {
    /// Checks streams, and makes the map of the original. The last stream's length is set if it is `None`.
    ///
    /// # Errors
    /// Streams that overlap or reach out of the original, and a rest of another length than the map leaves.
    pub fn new(header: u64, original: u64, mut list: Vec<Stream>, sets_rest: bool) -> Result<Self> {
        let (rest, others) = list
            .split_last()
            .ok_or_else(|| damaged("the table of streams is empty"))?;
        let rest_number = others.len();
        let wrong = |n: usize, why: &str| damaged(format!("stream {n} {why}"));
        let mut fixed = Vec::new();
        let mut gathered = Vec::new();
        for (n, stream) in others.iter().enumerate() {
            let element = u64::from(stream.element);
            if !(1..=8).contains(&element) || stream.block == 0 || stream.block > LARGEST_BLOCK {
                return Err(wrong(n, "has an impossible element or block"));
            }
            if !u64::from(stream.block).is_multiple_of(element) {
                return Err(wrong(n, "has blocks that are no multiple of its element"));
            }
            if stream.count == 0 {
                if (stream.begin, stream.slab, stream.stride) != (0, 0, 0) {
                    return Err(wrong(n, "has a place and no bytes"));
                }
                continue;
            }
            let end = stream.end().filter(|end| *end <= original);
            if stream.slab == 0 || stream.begin < header || end.is_none() {
                return Err(wrong(n, "lies outside of the original"));
            }
            match stream.is_gathered() {
                true => gathered.push(n),
                false => fixed.push(n),
            }
        }
        if rest.element != 1 || rest.block == 0 || rest.block > LARGEST_BLOCK {
            return Err(wrong(rest_number, "has an impossible element or block"));
        }
        let begin_of = |n: &usize| others[*n].begin;
        fixed.sort_by_key(begin_of);
        gathered.sort_by_key(begin_of);
        let overlap = || damaged("streams overlap");

        // One record, with the bytes of the rest between slabs.
        let mut pattern = Vec::new();
        let (mut region, mut stride, mut rest_step) = (None, 0, 0);
        if let [first, .., last] | [first @ last] = gathered[..] {
            let (first, last) = (&others[first], &others[last]);
            stride = first.stride;
            let span = last.begin - first.begin + last.slab;
            let mut at = 0;
            for n in gathered {
                let stream = &others[n];
                if (stream.stride, stream.count) != (stride, first.count) {
                    return Err(wrong(n, "has other records than the streams before it"));
                }
                let offset = stream.begin - first.begin;
                let gap = offset.checked_sub(at).ok_or_else(overlap)?;
                let piece = |offset, length, stream| RecordPiece {
                    offset,
                    length,
                    stream,
                    linear: 0,
                    step: length,
                };
                if gap > 0 {
                    pattern.push(piece(at, gap, rest_number));
                    rest_step += gap;
                }
                pattern.push(piece(offset, stream.slab, n));
                at = offset.checked_add(stream.slab).ok_or_else(overlap)?;
            }
            let after = stride.checked_sub(at).ok_or_else(overlap)?;
            if after > 0 {
                pattern.push(RecordPiece {
                    offset: at,
                    length: after,
                    stream: rest_number,
                    linear: 0,
                    step: after,
                });
                rest_step += after;
            }
            region = Some((
                first.begin,
                first.begin + (first.count - 1) * stride + span,
                after,
            ));
        }

        let mut parts = Vec::with_capacity(2 * fixed.len() + 3);
        let (mut at, mut in_rest) = (header, 0);
        let mut rest_parts = Vec::new();
        let mut places: Vec<(u64, u64, Option<usize>)> = fixed
            .iter()
            .map(|n| (others[*n].begin, others[*n].begin + others[*n].slab, Some(*n)))
            .collect();
        places.extend(region.map(|(begin, end, _)| (begin, end, None)));
        places.sort_by_key(|place| place.0);
        places.push((original, original, None));
        let last = places.len() - 1;
        for (n, (begin, end, stream)) in places.into_iter().enumerate() {
            let gap = begin.checked_sub(at).ok_or_else(overlap)?;
            if gap > 0 {
                rest_parts.push((in_rest, parts.len()));
                parts.push(OriginalPart {
                    begin: at,
                    end: begin,
                    of: Some((rest_number, in_rest)),
                });
                in_rest += gap;
            }
            match (stream, region) {
                _ if n == last => {}
                (Some(stream), _) => parts.push(OriginalPart {
                    begin,
                    end,
                    of: Some((stream, 0)),
                }),
                (None, Some((_, _, after))) => {
                    let mut linear = in_rest;
                    for piece in pattern.iter_mut().filter(|piece| piece.stream == rest_number) {
                        (piece.linear, piece.step) = (linear, rest_step);
                        linear += piece.length;
                    }
                    let records = (end - begin).div_ceil(stride);
                    if rest_step > 0 {
                        rest_parts.push((in_rest, parts.len()));
                        in_rest += rest_step * records - after;
                    }
                    parts.push(OriginalPart { begin, end, of: None });
                }
                (None, None) => {}
            }
            at = end;
        }
        let rest = &mut list[rest_number];
        if sets_rest {
            (rest.slab, rest.stride, rest.count) = match in_rest {
                0 => (0, 0, 0),
                length => (length, length, 1),
            };
        }
        if rest.begin != 0 || rest.count > 1 || rest.stride != rest.slab || rest.length() != in_rest {
            return Err(wrong(rest_number, "is not what the other streams leave"));
        }
        Ok(Self {
            region: parts.iter().find(|part| part.of.is_none()).copied(),
            rest_pattern: pattern
                .iter()
                .filter(|piece| piece.stream == rest_number)
                .copied()
                .collect(),
            header,
            original,
            list,
            parts,
            pattern,
            stride,
            rest: rest_parts,
        })
    }

    /// Number of the rest.
    pub fn rest(&self) -> usize {
        self.list.len() - 1
    }

    /// The table of streams, as it is stored.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(4 + self.list.len() * (RECORD + 12));
        out.extend((self.list.len() as u32).to_le_bytes());
        for stream in &self.list {
            for number in [stream.begin, stream.slab, stream.stride, stream.count] {
                out.extend(number.to_le_bytes());
            }
            out.extend(stream.block.to_le_bytes());
            out.extend(stream.element.to_le_bytes());
            out.extend((stream.filters.list().len() as u64).to_le_bytes());
            stream.filters.write(&mut out);
        }
        out
    }

    /// Reads the stored table of streams of an original with these lengths.
    ///
    /// # Errors
    /// A cut table, and the errors of [`Streams::new`].
    pub fn decode(header: u64, original: u64, bytes: &[u8]) -> Result<Self> {
        let mut fields = Fields::new(bytes, "the table of streams");
        let count = fields.u32()? as usize;
        if count > bytes.len() / RECORD {
            return Err(damaged(format!("the table of streams claims {count} streams")));
        }
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            let (begin, slab, stride, count) = (fields.u64()?, fields.u64()?, fields.u64()?, fields.u64()?);
            let (block, element) = (fields.u32()?, fields.u32()?);
            let filters = usize::try_from(fields.u64()?).unwrap_or(usize::MAX);
            list.push(Stream {
                begin,
                slab,
                stride,
                count,
                block,
                element,
                filters: Filters::read(&mut fields, filters)?,
            });
        }
        fields.end()?;
        Self::new(header, original, list, false)
    }

    /// The longest piece of the original from position `at` on, at most to `end`, that is contiguous in one stream. `None`
    /// before the header's end and at the end of the original.
    pub fn locate(&self, at: u64, end: u64) -> Option<Segment> {
        let n = self.parts.partition_point(|part| part.end <= at);
        let part = self.parts.get(n).filter(|part| part.begin <= at)?;
        let end = end.min(part.end);
        if let Some((stream, linear)) = part.of {
            return Some(Segment {
                at,
                length: end.checked_sub(at)?,
                stream,
                linear: linear + (at - part.begin),
            });
        }
        let (record, offset) = ((at - part.begin) / self.stride, (at - part.begin) % self.stride);
        let n = self
            .pattern
            .partition_point(|piece| piece.offset + piece.length <= offset);
        let piece = self.pattern.get(n)?;
        let within = offset - piece.offset;
        Some(Segment {
            at,
            length: (piece.length - within).min(end.checked_sub(at)?),
            stream: piece.stream,
            linear: piece.linear + record * piece.step + within,
        })
    }

    /// The place of the byte `linear` of a stream in the original, and how many bytes of the stream follow there, at most
    /// `limit`.
    pub fn place(&self, stream: usize, linear: u64, limit: u64) -> Option<(u64, u64)> {
        if stream != self.rest() {
            let of = self.list.get(stream).filter(|of| linear < of.length())?;
            let (record, within) = (linear / of.slab, linear % of.slab);
            return Some((
                of.begin + record * of.stride + within,
                limit.min(of.slab - within),
            ));
        }
        let n = self
            .rest
            .partition_point(|(start, _)| *start <= linear)
            .checked_sub(1)?;
        let (start, part) = self.rest[n];
        let part = &self.parts[part];
        let into = linear - start;
        if part.of.is_some() {
            let left = (part.end - part.begin)
                .checked_sub(into)
                .filter(|left| *left > 0)?;
            return Some((part.begin + into, limit.min(left)));
        }
        let step = self.rest_pattern.first()?.step;
        let (record, within) = (into / step, into % step);
        let n = self
            .rest_pattern
            .partition_point(|piece| piece.linear - start + piece.length <= within);
        let piece = self.rest_pattern.get(n)?;
        let skip = within - (piece.linear - start);
        let at = part.begin + record * self.stride + piece.offset + skip;
        let left = (piece.length - skip).min(part.end.checked_sub(at)?);
        (left > 0).then(|| (at, limit.min(left)))
    }

    /// Length of the longest block, in bytes.
    pub fn longest_block(&self) -> u64 {
        let lengths = self.list.iter().map(|stream| stream.block_length(0) as u64);
        lengths.max().unwrap_or(0)
    }

    /// The records: their part of the original.
    pub fn records(&self) -> Option<&OriginalPart> {
        self.region.as_ref()
    }
}

#[cfg(test)]
mod tests;
