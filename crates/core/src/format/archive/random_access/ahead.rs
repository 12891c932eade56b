//! Reads many ranges of a stream from a slow store at once.
//!
//! ```text
//! ranges ─► blocks that are not kept ─► Object::fetch, which joins neighbours ─► decoded, once each ─► ranges
//! ```

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::opened::{Archive, copy_part};
use crate::chunk::resize;
use crate::error::{Error, Result};
use crate::format::archive::index::entry::StreamEntry;
use crate::format::archive::structure::fields::damaged;
use crate::format::archive::structure::filter::Scratch;
use crate::store::{ByteRange, Done};

/// Ranges of a stream, and their bytes.
struct Wanted {
    stream: usize,
    ranges: Vec<Range<u64>>,
    found: Vec<Vec<u8>>,
    /// The blocks to fetch.
    entries: Vec<StreamEntry>,
}

impl Archive {
    /// Reads ranges of a stream, and passes them to `done` in the same order. Returns once the blocks are requested.
    ///
    /// # Errors
    /// `done` receives the error if a block cannot be read or is damaged, or the stream ends before.
    pub fn fetch(self: Arc<Self>, stream: usize, ranges: Vec<Range<u64>>, done: Done<Result<Vec<Vec<u8>>>>) {
        let mut wanted = match self.wanted(stream, ranges) {
            Ok(wanted) => wanted,
            Err(error) => return done(Err(error)),
        };
        if wanted.entries.is_empty() {
            return done(Ok(wanted.found));
        }
        let places = wanted.entries.iter().map(|entry| ByteRange {
            offset: entry.at,
            length: entry.stored(),
        });
        let (source, places) = (self.source.clone(), places.collect());
        let fetched = move |bytes: io::Result<Vec<Vec<u8>>>| {
            let filled = bytes
                .map_err(|e| Error::io("cannot read", e))
                .and_then(|bytes| self.fill(&mut wanted, bytes));
            done(filled.map(|()| wanted.found));
        };
        source.fetch(places, Box::new(fetched));
    }

    /// Fills what is known without a request, and lists the blocks that must be fetched.
    fn wanted(&self, stream: usize, ranges: Vec<Range<u64>>) -> Result<Wanted> {
        let short = || {
            damaged(format!(
                "stream {stream} ends before the bytes that are asked for"
            ))
        };
        let of = self.streams().list.get(stream).ok_or_else(short)?;
        let block = u64::from(of.block);
        let index = self.index(stream)?;
        let mut found = Vec::with_capacity(ranges.len());
        let mut entries = Vec::new();
        for range in &ranges {
            if range.start > range.end || range.end > of.length() {
                return Err(short());
            }
            let mut bytes = Vec::new();
            resize(
                &mut bytes,
                usize::try_from(range.end - range.start).unwrap_or(usize::MAX),
            )?;
            let blocks = range.start / block..range.end.div_ceil(block);
            entries.extend(self.fill_known(stream, &index, blocks, range.start, &mut bytes)?);
            found.push(bytes);
        }
        entries.sort_by_key(|entry| entry.number);
        entries.dedup_by_key(|entry| entry.number);
        Ok(Wanted {
            stream,
            ranges,
            found,
            entries,
        })
    }

    /// Decodes blocks into the ranges that meet them. A block that reaches out of a range is kept.
    fn fill(&self, wanted: &mut Wanted, bytes: Vec<Vec<u8>>) -> Result<()> {
        let (mut scratch, mut decoded) = (Scratch::default(), Vec::new());
        let block = u64::from(self.streams().list[wanted.stream].block);
        for (entry, bytes) in wanted.entries.iter().zip(bytes) {
            self.decode(wanted.stream, entry, &bytes, &mut decoded, &mut scratch)?;
            let start = entry.number * block;
            let end = start + decoded.len() as u64;
            let mut inside = false;
            for (range, found) in wanted.ranges.iter().zip(&mut wanted.found) {
                if range.start < end && start < range.end {
                    copy_part(&decoded, start, range.start, found);
                    inside |= range.start <= start && end <= range.end;
                }
            }
            if !inside {
                self.keep(wanted.stream, entry.number, std::mem::take(&mut decoded));
            }
        }
        Ok(())
    }
}
