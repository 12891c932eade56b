//! The byte ranges that hold a region of a variable in one piece.

use std::collections::VecDeque;
use std::ops::Range;

use super::reader::Reader;
use crate::chunk::{Axis, ChunkGrid, Region, byte_count, copy_strided, resize};
use crate::error::{Error, Result};
use crate::model::{Storage, VarId, VariableLayout};
use crate::store::{ByteRange, awaited};

/// Longest range, in bytes, that is read in one go to collect small pieces of a region.
const SPAN: usize = 1 << 20;

/// Most bytes of the ranges that one region requests from a slow store at once.
const AT_ONCE: u64 = 16 << 20;

/// Most ranges that one region requests from a slow store at once.
const MOST_RANGES: usize = 4096;

/// Reads a region of a contiguous or compact variable, within its extent, into `out`. The old content of
/// `out` is lost. Elements are in C order and in the layout's byte order.
///
/// # Errors
/// If the region does not fit into memory, or the reader fails.
pub fn read_ranges(reader: &dyn Reader, var: VarId, region: &Region, out: &mut Vec<u8>) -> Result<()> {
    let list = RangeList::new(reader.layout(var), region)?;
    if reader.requests().ahead {
        return read_at_once(reader, var, &list, out);
    }
    list.read(out, |range, buf| reader.read_range(var, range.offset, buf))
}

/// Like [`read_ranges`], with many ranges requested at once.
fn read_at_once(reader: &dyn Reader, var: VarId, list: &RangeList, out: &mut Vec<u8>) -> Result<()> {
    let block = match reader.layout(var).storage {
        Storage::Blocks { bytes } => bytes.max(1),
        _ => 1,
    };
    let all = list.count();
    let mut fetched = VecDeque::new();
    let mut asked = 0;
    list.read(out, |range, buf| {
        if fetched.is_empty() && all > 1 {
            let batch = list.some_ranges(asked, block)?;
            asked += batch.len() as u64;
            let lost = || Error::Internal("a store gave no answer".into());
            let found = awaited(|done| reader.fetch_ranges(var, batch, done));
            fetched = found.unwrap_or_else(|| Err(lost()))?.into();
        }
        match fetched.pop_front() {
            Some(bytes) if bytes.len() == buf.len() => buf.copy_from_slice(&bytes),
            _ => reader.read_range(var, range.offset, buf)?,
        }
        Ok(())
    })
}

/// The byte ranges that hold a region of a contiguous variable, and the places of their elements in the
/// region.
///
/// The dimensions from `level` on are read as one range, because they are contiguous in storage, or nearly
/// so. The dimensions before `level` are walked element by element.
#[derive(Debug)]
pub struct RangeList<'a> {
    extent: &'a [u64],
    region: &'a Region,
    element: usize,
    src_strides: Vec<usize>,
    dst_strides: Vec<usize>,
    level: usize,
    /// Bytes of a range.
    span: usize,
    /// Bytes of the region's elements within a range.
    whole: usize,
    /// Bytes of the region.
    size: usize,
}

impl<'a> RangeList<'a> {
    /// The ranges of `region`, which lies within the extent of a contiguous or compact variable.
    ///
    /// # Errors
    /// If the region lies outside, or is larger than memory.
    pub fn new(layout: &'a VariableLayout, region: &'a Region) -> Result<Self> {
        let (extent, element) = (layout.extent.as_slice(), layout.element_size);
        let size = byte_count(&region.count, element).filter(|_| region.fits(extent));
        let size = size.ok_or_else(|| Error::Damaged("a region outside its variable".into()))?;
        let src_strides = strides(extent, element)?;
        let dst_strides = strides(&region.count, element)?;
        let rank = extent.len();
        let (mut level, mut span, mut wanted) = (rank, element, element);
        if size > 0 {
            for d in (0..rank).rev() {
                let count = region.count[d] as usize;
                let length = (count - 1) * src_strides[d] + span;
                wanted *= count;
                if length != wanted && (length > SPAN || length / 16 > wanted) {
                    break;
                }
                (level, span) = (d, length);
            }
        }
        let whole = region.count[level..].iter().product::<u64>() as usize * element;
        Ok(Self {
            extent,
            region,
            element,
            src_strides,
            dst_strides,
            level,
            span,
            whole,
            size,
        })
    }

    /// Number of ranges.
    fn count(&self) -> u64 {
        match self.size {
            0 => 0,
            _ => self.region.count[..self.level].iter().product(),
        }
    }

    /// Calls `each` with every range, and the offset of its elements in the region in bytes.
    fn walk(&self, each: impl FnMut(ByteRange, usize) -> Result<()>) -> Result<()> {
        self.walk_some(0..self.count(), each)
    }

    /// Like [`walk`](Self::walk), of the ranges with these numbers.
    fn walk_some(
        &self,
        numbers: Range<u64>,
        mut each: impl FnMut(ByteRange, usize) -> Result<()>,
    ) -> Result<()> {
        if numbers.is_empty() {
            return Ok(());
        }
        let outer = ChunkGrid::new(&self.region.count[..self.level], &vec![1; self.level])?;
        let mut at = self.region.start.clone();
        for n in numbers {
            let step = outer.coordinates(n);
            let mut dst_at = 0;
            for (d, s) in step.iter().enumerate() {
                at[d] = self.region.start[d] + s;
                dst_at += *s as usize * self.dst_strides[d];
            }
            let range = ByteRange {
                offset: byte_offset(self.extent, &at, self.element)?,
                length: self.span,
            };
            each(range, dst_at)?;
        }
        Ok(())
    }

    /// All ranges, in the order in which [`read`](Self::read) requests them.
    ///
    /// # Errors
    /// If an offset overflows.
    pub fn ranges(&self) -> Result<Vec<ByteRange>> {
        let mut ranges = Vec::new();
        self.walk(|range, _| {
            ranges.push(range);
            Ok(())
        })?;
        Ok(ranges)
    }

    /// The ranges from number `first` on that are requested at once. They are stored in blocks of `block` bytes, which are read
    /// whole.
    fn some_ranges(&self, first: u64, block: u64) -> Result<Vec<ByteRange>> {
        let mut ranges = Vec::new();
        let (mut bytes, mut block_end) = (0, 0);
        let mut next = first;
        while next < self.count() && ranges.len() < MOST_RANGES && bytes < AT_ONCE {
            self.walk_some(next..next + 1, |range, _| {
                let end = range.offset + range.length as u64;
                if end > block_end {
                    let from = range.offset.max(block_end) / block * block;
                    block_end = end.div_ceil(block).saturating_mul(block);
                    bytes = bytes.saturating_add(block_end - from);
                }
                ranges.push(range);
                Ok(())
            })?;
            next += 1;
        }
        Ok(ranges)
    }

    /// Fills `out` with the elements of the region in C order. `read` fills a buffer with the bytes of a
    /// range.
    ///
    /// # Errors
    /// If the region does not fit into memory, or `read` fails.
    pub fn read(
        &self,
        out: &mut Vec<u8>,
        mut read: impl FnMut(ByteRange, &mut [u8]) -> Result<()>,
    ) -> Result<()> {
        resize(out, self.size)?;
        let mut piece = Vec::new();
        if self.span != self.whole && self.size > 0 {
            resize(&mut piece, self.span)?;
        }
        self.walk(|range, dst_at| {
            if self.span == self.whole {
                return read(range, &mut out[dst_at..dst_at + self.span]);
            }
            read(range, &mut piece)?;
            let mut axes = (self.level..self.extent.len())
                .map(|d| Axis {
                    count: self.region.count[d] as usize,
                    src: self.src_strides[d],
                    dst: self.dst_strides[d],
                })
                .collect();
            copy_strided(&piece, 0, out, dst_at, &mut axes, self.element, 1)
        })
    }
}

/// Bytes from one element to the next in each dimension of a row-major buffer.
fn strides(shape: &[u64], element: usize) -> Result<Vec<usize>> {
    let mut out = vec![0; shape.len()];
    let mut stride = element;
    for (s, length) in out.iter_mut().zip(shape).rev() {
        *s = stride;
        stride = usize::try_from(*length)
            .ok()
            .and_then(|n| stride.checked_mul(n))
            .ok_or_else(|| Error::Damaged("a variable larger than can be addressed".into()))?;
    }
    Ok(out)
}

/// Offset of an element, in bytes, in the storage of a contiguous variable.
pub fn byte_offset(extent: &[u64], at: &[u64], element: usize) -> Result<u64> {
    at.iter()
        .zip(extent)
        .try_fold(0u64, |o, (a, length)| o.checked_mul(*length)?.checked_add(*a))
        .and_then(|o| o.checked_mul(element as u64))
        .ok_or_else(|| Error::Damaged("a variable larger than can be addressed".into()))
}
