//! [`Packs`]: what the parts of a job have made, as one sequence of pieces.

use std::ops::Range;
use std::sync::Arc;

use super::index::{self, Entry, Item};
use crate::copy::{CountWritten, Packed};
use crate::distributed::notes::Notes;
use crate::error::{Error, Result};
use crate::filter::EncodedChunk;
use crate::format::Writer;
use crate::model::VarId;
use crate::store::{ByteRange, GetRange, KeyStore};
use crate::threads;

/// Most bytes of a pack that a thread reads at once, unless one piece has more.
const RUN: u64 = 4 << 20;

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
    entries: Option<Vec<Entry>>,
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

    /// The entries of a part that have a sequence number, or the others.
    fn entries(&self, part: u64, numbered: bool) -> Result<Vec<Entry>> {
        let index = self.notes.index(part)?;
        let mut entries = index::read(&index).map_err(|e| e.in_file(self.notes.index_name(part)))?;
        entries.retain(|entry| entry.is_numbered() == numbered);
        match entries
            .iter()
            .all(|entry| (entry.variable as usize) < self.variables)
        {
            true => Ok(entries),
            false => Err(
                Error::Damaged("the pack has a variable that the output lacks".to_owned())
                    .in_file(self.notes.index_name(part)),
            ),
        }
    }

    /// Writes entries of one part, which are in the order of sequence numbers from `sequence` on.
    fn write(
        &self,
        part: u64,
        entries: &[Entry],
        sequence: u64,
        writer: &dyn Writer,
        written: CountWritten<'_>,
    ) -> Result<()> {
        let runs = runs_of(entries);
        // Threads take runs in their order, so a writer holds few pieces that come early.
        let write = |run: &Range<usize>| {
            let sequence = sequence + run.start as u64;
            self.write_run(part, &entries[run.clone()], sequence, writer, written)
        };
        threads::try_map(threads::count(), 1, &runs, write).map(drop)
    }

    /// Writes a run of entries, which lie one behind the other in the pack.
    fn write_run(
        &self,
        part: u64,
        entries: &[Entry],
        sequence: u64,
        writer: &dyn Writer,
        written: CountWritten<'_>,
    ) -> Result<()> {
        let name = self.notes.pack_name(part);
        let damaged =
            || Error::Damaged("the pack is damaged or cut; run the part again".to_owned()).in_file(&name);
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
            return Ok(());
        };
        let (begin, end) = (first.at, last.at + last.length);
        let range = ByteRange {
            offset: begin,
            length: usize::try_from(end - begin).map_err(|_| damaged())?,
        };
        let bytes = match range.length {
            0 => Vec::new(),
            _ => self
                .store
                .get(&name, GetRange::Range(range))
                .map_err(|e| Error::io("cannot read", e).in_file(&name))?
                .ok_or_else(damaged)?,
        };
        for (n, entry) in (0u64..).zip(entries) {
            let at = usize::try_from(entry.at - begin).map_err(|_| damaged())?;
            let length = usize::try_from(entry.length).map_err(|_| damaged())?;
            let data = at
                .checked_add(length)
                .and_then(|end| bytes.get(at..end))
                .ok_or_else(damaged)?;
            if crc32c::crc32c(data) != entry.crc {
                return Err(damaged());
            }
            let var = VarId(entry.variable as usize);
            match entry.item {
                Item::Chunk { number, filter_mask } => {
                    let data = EncodedChunk {
                        bytes: data.to_vec(),
                        filter_mask,
                    };
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
            let entries = match self.entries.take() {
                Some(entries) => entries,
                None => self.entries(part, true)?,
            };
            let some = usize::try_from(count)
                .unwrap_or(usize::MAX)
                .min(entries.len() - done);
            self.write(part, &entries[done..done + some], sequence, writer, written)?;
            count -= some as u64;
            sequence += some as u64;
            if done + some == entries.len() {
                self.next = (part + 1, 0);
            } else {
                self.next = (part, done + some);
                self.entries = Some(entries);
            }
        }
        Ok(())
    }

    fn write_ranges(&mut self, writer: &dyn Writer, written: CountWritten<'_>) -> Result<()> {
        for part in 0..self.parts {
            let entries = self.entries(part, false)?;
            self.write(part, &entries, 0, writer, written)?;
        }
        Ok(())
    }
}
