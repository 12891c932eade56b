//! Puts the bytes of streams back into their places.
//!
//! Small slabs are collected in windows of whole records, which are written when all their bytes are there. Where windows
//! take too much memory, the latest one is written before it is complete, and read back when more of it comes. Blocks come
//! stream by stream, from the first record to the last, so the earlier windows are wanted sooner again. A window of few records
//! is not read back: its slabs are written one by one.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::chunk::fill_pattern;
use crate::error::{Error, Result};
use crate::format::archive::structure::block::{Content, Header};
use crate::format::archive::structure::streams::Streams;
use crate::store::Output;

/// Least bytes of a window.
const WINDOW: u64 = 1 << 20;

/// Mean length of slabs, in bytes, below which windows are used.
const SMALL: u64 = 4096;

/// Records of a window, below which it takes less time to write each slab than to read the window back.
const FEW: u64 = 256;

/// Bytes of a repeated element that are made at once.
const REPEATED: u64 = 1 << 20;

/// Most bytes of a repeated element, which take no room in an archive, that are written without asking for room in the
/// output.
const CHECKED: u64 = 64 << 20;

/// Writes streams to an output.
pub(crate) struct Scatter<'a> {
    output: &'a dyn Output,
    streams: &'a Streams,
    /// Bytes of a window; `None` if slabs are written one by one.
    window: Option<u64>,
    /// Most bytes of windows in memory.
    open: u64,
    windows: Mutex<Windows>,
}

#[derive(Default)]
struct Windows {
    open: BTreeMap<u64, Window>,
    bytes: u64,
    /// Windows that were written before they were complete, and the bytes that are missing in each.
    early: BTreeMap<u64, u64>,
}

struct Window {
    data: Vec<u8>,
    /// Bytes that are missing.
    missing: u64,
}

impl<'a> Scatter<'a> {
    /// Begins with an output of the original's size whose bytes are zeros. Windows take at most `open` bytes; records that are
    /// longer get none.
    pub fn new(output: &'a dyn Output, streams: &'a Streams, open: u64) -> Self {
        let slabs = streams.pattern.len().max(1) as u64;
        let is_small =
            streams.records().is_some() && streams.stride / slabs < SMALL && streams.stride <= open;
        let records = (WINDOW.min(open) / streams.stride.max(1)).max(1);
        Self {
            output,
            streams,
            window: is_small.then(|| records * streams.stride),
            open,
            windows: Mutex::default(),
        }
    }

    /// The same without windows, for streams that may not come whole.
    pub fn unbuffered(output: &'a dyn Output, streams: &'a Streams) -> Self {
        Self {
            window: None,
            ..Self::new(output, streams, 0)
        }
    }

    fn windows(&self) -> MutexGuard<'_, Windows> {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Position before which everything that was put is in the output.
    pub fn written_to(&self) -> u64 {
        let (Some(window), Some(records)) = (self.window, self.streams.records()) else {
            return u64::MAX;
        };
        let windows = self.windows();
        let first = windows.open.keys().chain(windows.early.keys()).min();
        first.map_or(u64::MAX, |first| records.begin + first * window)
    }

    /// Fails if a window is not complete.
    ///
    /// # Errors
    /// If bytes are missing, which the blocks' numbers rule out.
    pub fn finish(&self) -> Result<()> {
        let windows = self.windows();
        match windows.open.is_empty() && windows.early.is_empty() {
            true => Ok(()),
            false => Err(Error::Internal("records that are not complete".to_owned())),
        }
    }

    /// Puts a block, or a part of a run of blocks, at these bytes of its stream. `data` is the block, decoded; a repeated
    /// element has none.
    ///
    /// # Errors
    /// If writing fails.
    pub fn put_block(&self, header: &Header, bytes: Range<u64>, data: &[u8]) -> Result<()> {
        let stream = header.stream as usize;
        match header.content {
            Content::Repeated { element, .. } => {
                let element = &element[..self.streams.list[stream].element as usize];
                self.put_repeated(stream, bytes.start, bytes.end, element)
            }
            Content::Stored { .. } => self.put(stream, bytes.start, data),
        }
    }

    /// Puts one element into a range of a stream.
    fn put_repeated(&self, stream: usize, mut start: u64, end: u64, element: &[u8]) -> Result<()> {
        let zeros = element.iter().all(|byte| *byte == 0);
        let in_windows = self.window.is_some()
            && (self.streams.list[stream].is_gathered() || stream == self.streams.rest());
        if zeros && !in_windows {
            return Ok(());
        }
        let length = end.saturating_sub(start);
        if !zeros && length > CHECKED && self.output.room().is_some_and(|room| length > room) {
            return Err(Error::io(
                format!("cannot write {length} bytes of one repeated element"),
                io::ErrorKind::StorageFull.into(),
            ));
        }
        let size = element.len() as u64;
        let mut data = vec![0; (REPEATED / size * size).min(end.saturating_sub(start)) as usize];
        fill_pattern(&mut data, element);
        while start < end {
            let count = (end - start).min(data.len() as u64) as usize;
            self.put(stream, start, &data[..count])?;
            start += count as u64;
        }
        Ok(())
    }

    /// Puts bytes of a stream from position `linear` on.
    fn put(&self, stream: usize, mut linear: u64, mut data: &[u8]) -> Result<()> {
        let records = self.streams.records();
        while !data.is_empty() {
            let place = self.streams.place(stream, linear, data.len() as u64);
            let (at, length) = place.ok_or_else(|| Error::Internal("bytes of no stream".to_owned()))?;
            let inside = records.filter(|part| part.begin <= at && at < part.end);
            let count = match (self.window, inside) {
                (Some(window), Some(part)) => {
                    self.put_in_window(stream, linear, at - part.begin, window, data)?
                }
                _ => {
                    let now = &data[..length as usize];
                    let written = self.output.write_all_at(at, now);
                    written.map_err(|e| Error::io("cannot write", e))?;
                    now.len()
                }
            };
            data = &data[count..];
            linear += count as u64;
        }
        Ok(())
    }

    /// Puts as many bytes as lie in the window of the first one, which is at `offset` in the records. Returns their number.
    fn put_in_window(
        &self,
        stream: usize,
        linear: u64,
        offset: u64,
        window: u64,
        data: &[u8],
    ) -> Result<usize> {
        let Some(records) = self.streams.records() else {
            return Ok(0);
        };
        let number = offset / window;
        let begin = records.begin + number * window;
        let length = window.min(records.end - begin);
        let mut windows = self.windows();
        let is_full = windows.bytes + length > self.open && !windows.open.is_empty();
        let stride = self.streams.stride;
        if is_full && length / stride < FEW && !windows.open.contains_key(&number) {
            let missing = windows.early.remove(&number).unwrap_or(length);
            let done = self.put_slabs(stream, linear, begin..begin + length, data)?;
            let missing = missing.saturating_sub(done as u64);
            if missing > 0 {
                windows.early.insert(number, missing);
            }
            return Ok(done);
        }
        let mut open = match windows.open.remove(&number) {
            Some(open) => open,
            None => {
                windows.bytes += length;
                self.open_window(&mut windows, number, begin, length)?
            }
        };
        let mut done = 0;
        let slab = self.streams.list[stream].slab;
        while done < data.len() {
            let left = (data.len() - done) as u64;
            let Some((at, count)) = self.streams.place(stream, linear + done as u64, left) else {
                break;
            };
            let Some(within) = at.checked_sub(begin).filter(|within| *within < length) else {
                break;
            };
            let whole = (length - within).div_ceil(stride).min(left / slab.max(1)) as usize;
            if self.streams.list[stream].is_gathered() && count == slab && whole > 1 {
                let to = &mut open.data[within as usize..];
                // The last record may end within the window's last stride.
                scatter_slabs(&data[done..], slab as usize, whole, to, stride as usize);
                done += whole * slab as usize;
                continue;
            }
            let count = count as usize;
            open.data[within as usize..within as usize + count].copy_from_slice(&data[done..done + count]);
            done += count;
        }
        open.missing = open.missing.saturating_sub(done as u64);
        if open.missing == 0 {
            windows.bytes -= length;
            return self.write(begin, &open.data).map(|()| done);
        }
        if windows.bytes > self.open && !windows.open.is_empty() {
            windows.bytes -= length;
            windows.early.insert(number, open.missing);
            self.write(begin, &open.data)?;
        } else {
            windows.open.insert(number, open);
        }
        Ok(done)
    }

    /// Writes as many bytes as lie in a range of the output, slab by slab. Returns their number.
    fn put_slabs(&self, stream: usize, linear: u64, range: Range<u64>, data: &[u8]) -> Result<usize> {
        let mut done = 0;
        while done < data.len() {
            let left = (data.len() - done) as u64;
            let place = self.streams.place(stream, linear + done as u64, left);
            let Some((at, count)) = place.filter(|(at, _)| range.contains(at)) else {
                break;
            };
            let count = count as usize;
            self.write(at, &data[done..done + count])?;
            done += count;
        }
        Ok(done)
    }

    fn open_window(&self, windows: &mut Windows, number: u64, begin: u64, length: u64) -> Result<Window> {
        let mut data = vec![0; length as usize];
        let missing = match windows.early.remove(&number) {
            Some(missing) => {
                let read = self.output.read_back_at(begin, &mut data);
                read.map_err(|e| Error::io("cannot read back what was written", e))?;
                missing
            }
            None => length,
        };
        Ok(Window { data, missing })
    }

    fn write(&self, at: u64, data: &[u8]) -> Result<()> {
        let written = self.output.write_all_at(at, data);
        written.map_err(|e| Error::io("cannot write", e))
    }
}

/// Puts `count` slabs at the beginnings of strides.
fn scatter_slabs(from: &[u8], slab: usize, count: usize, to: &mut [u8], stride: usize) {
    fn fixed<const N: usize>(from: &[u8], count: usize, to: &mut [u8], stride: usize) {
        let (slabs, _) = from.as_chunks::<N>();
        for (slab, to) in slabs.iter().take(count).zip(to.chunks_mut(stride)) {
            if let Some(first) = to.first_chunk_mut() {
                *first = *slab;
            }
        }
    }
    match slab {
        1 => fixed::<1>(from, count, to, stride),
        2 => fixed::<2>(from, count, to, stride),
        4 => fixed::<4>(from, count, to, stride),
        8 => fixed::<8>(from, count, to, stride),
        _ => {
            for (slab, to) in from.chunks_exact(slab).take(count).zip(to.chunks_mut(stride)) {
                to[..slab.len()].copy_from_slice(slab);
            }
        }
    }
}
