//! [`Packs`]: what the parts of a job have made, as one sequence of pieces.

use std::ops::Range;
use std::sync::Arc;

use super::index::{self, Entry, Item};
use crate::copy::{CountWritten, Packed};
use crate::distributed::notes::{Notes, again};
use crate::error::{Error, Result};
use crate::filter::EncodedChunk;
use crate::format::Writer;
use crate::model::VarId;
use crate::store::{ByteRange, GetRange, KeyStore};
use crate::threads;

/// Most bytes of several pieces that a thread reads at once. A piece that it reads alone is not copied.
const RUN: u64 = 256 << 10;

/// The packs of all parts, in the order of parts.
pub struct Packs {
    store: Arc<dyn KeyStore>,
    notes: Notes,
    /// Number of variables of the output.
    variables: usize,
    parts: u64,
    /// The part whose pieces come next, and how many of them were written.
    next: (u64, usize),
    /// The numbered pieces of that part, once they were read.
    entries: Option<Pieces>,
}

/// Pieces of one part.
struct Pieces {
    part: u64,
    /// Key of the pack.
    pack: String,
    entries: Vec<Entry>,
}

impl Packs {
    /// The packs of a job that has `parts` parts, for an output with so many variables.
    ///
    /// # Errors
    /// The store of the job fails.
    pub fn new(notes: &Notes, parts: u64, variables: usize) -> Result<Self> {
        Ok(Self {
            store: notes.store()?,
            notes: notes.clone(),
            variables,
            parts,
            next: (0, 0),
            entries: None,
        })
    }

    /// The pieces of a part that have a sequence number, or the others.
    fn pieces(&self, part: u64, numbered: bool) -> Result<Pieces> {
        let named = |e: Error| e.in_file(self.notes.index_name(part));
        let (attempt, mut entries) = index::read(&self.notes.index(part)?).map_err(named)?;
        entries.retain(|entry| entry.is_numbered() == numbered);
        if !entries
            .iter()
            .all(|entry| (entry.variable as usize) < self.variables)
        {
            let why = "the pack has a variable that the output lacks".to_owned();
            return Err(named(Error::Damaged(why)));
        }
        Ok(Pieces {
            part,
            pack: self.notes.pack_name(part, attempt),
            entries,
        })
    }

    /// Writes some pieces of one part, which are in the order of sequence numbers from `sequence` on.
    fn write(
        &self,
        pieces: &Pieces,
        some: Range<usize>,
        sequence: u64,
        writer: &dyn Writer,
        written: CountWritten<'_>,
    ) -> Result<()> {
        let entries = &pieces.entries[some];
        let runs = runs_of(entries);
        // Threads take runs in their order, so a writer holds few pieces that come early.
        let write = |run: &Range<usize>| {
            let sequence = sequence + run.start as u64;
            self.write_run(pieces, &entries[run.clone()], sequence, writer, written)
        };
        threads::try_map(threads::count(), 1, &runs, write).map(drop)
    }

    /// Writes a run of entries, which lie one behind the other in the pack.
    fn write_run(
        &self,
        pieces: &Pieces,
        entries: &[Entry],
        sequence: u64,
        writer: &dyn Writer,
        written: CountWritten<'_>,
    ) -> Result<()> {
        let damaged = || {
            let why = format!("the pack is damaged or cut; {}", again(pieces.part));
            Error::Damaged(why).in_file(&pieces.pack)
        };
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
            return Ok(());
        };
        let (begin, end) = (first.at, last.at + last.length);
        let range = ByteRange {
            offset: begin,
            length: usize::try_from(end - begin).map_err(|_| damaged())?,
        };
        let mut bytes = match range.length {
            0 => Vec::new(),
            _ => self
                .store
                .get(&pieces.pack, GetRange::Range(range))
                .map_err(|e| Error::io("cannot read", e).in_file(&pieces.pack))?
                .ok_or_else(damaged)?,
        };
        for (n, entry) in (0u64..).zip(entries) {
            let at = usize::try_from(entry.at - begin).map_err(|_| damaged())?;
            let length = usize::try_from(entry.length).map_err(|_| damaged())?;
            let place = at..at.checked_add(length).ok_or_else(damaged)?;
            let data = bytes.get(place.clone()).ok_or_else(damaged)?;
            if crc32c::crc32c(data) != entry.crc {
                return Err(damaged());
            }
            let var = VarId(entry.variable as usize);
            match entry.item {
                Item::Chunk { number, filter_mask } => {
                    let bytes = match place == (0..bytes.len()) {
                        true => std::mem::take(&mut bytes),
                        false => data.to_vec(),
                    };
                    let data = EncodedChunk { bytes, filter_mask };
                    writer.write_encoded_chunk(sequence + n, var, number, data)?;
                }
                Item::Skipped { number } => writer.skip_chunk(sequence + n, var, number)?,
                Item::Range { offset } => writer.write_range(var, offset, data)?,
            }
            written(var, entry.length);
        }
        Ok(())
    }
}

/// Runs of entries that lie one behind the other, each of at most [`RUN`] bytes or one entry.
fn runs_of(entries: &[Entry]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut begin = 0;
    for (n, entry) in entries.iter().enumerate() {
        let goes_on = n > 0 && {
            let before = &entries[n - 1];
            before.at + before.length == entry.at && entry.at + entry.length - begin <= RUN
        };
        match runs.last_mut().filter(|_| goes_on) {
            Some(run) => run.end = n + 1,
            None => {
                begin = entry.at;
                runs.push(n..n + 1);
            }
        }
    }
    runs
}

impl Packed for Packs {
    fn write_next(
        &mut self,
        mut count: u64,
        mut sequence: u64,
        writer: &dyn Writer,
        written: CountWritten<'_>,
    ) -> Result<()> {
        while count > 0 {
            let (part, done) = self.next;
            if part == self.parts {
                return Err(Error::Damaged(
                    "the packs have fewer pieces than the plan".to_owned(),
                ));
            }
            let pieces = match self.entries.take() {
                Some(pieces) => pieces,
                None => self.pieces(part, true)?,
            };
            let left = pieces.entries.len() - done;
            let some = usize::try_from(count).unwrap_or(usize::MAX).min(left);
            self.write(&pieces, done..done + some, sequence, writer, written)?;
            count -= some as u64;
            sequence += some as u64;
            if some == left {
                self.next = (part + 1, 0);
            } else {
                self.next = (part, done + some);
                self.entries = Some(pieces);
            }
        }
        Ok(())
    }

    fn write_ranges(&mut self, writer: &dyn Writer, written: CountWritten<'_>) -> Result<()> {
        for part in 0..self.parts {
            let pieces = self.pieces(part, false)?;
            self.write(&pieces, 0..pieces.entries.len(), 0, writer, written)?;
        }
        Ok(())
    }
}
