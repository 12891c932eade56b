//! [`Packs`]: what the parts of a job have made, as one sequence of pieces.

use std::ops::Range;
use std::sync::Arc;

use super::index::{self, PackEntry, PackItem};
use crate::copy::{CountWritten, Packed};
use crate::distributed::notes::{Notes, again};
use crate::error::{Error, Result};
use crate::filter::EncodedChunk;
use crate::format::Writer;
use crate::format::classic::ClassicWriter;
use crate::model::VarId;
use crate::store::{ByteRange, GetRange, KeyStore, Output};
use crate::threads;

/// Most bytes of several pieces that a thread reads at once. A piece that it reads alone is not copied.
const MOST_TOGETHER: u64 = 256 << 10;

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
    entries: Vec<PackEntry>,
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
        let index = self.notes.index(part)?;
        let (attempt, mut entries) = index::read(&index).map_err(|_| {
            let why = format!("the index of the pack is damaged; {}", again(part));
            named(Error::Damaged(why))
        })?;
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

    /// Completes a classic file that all parts have written: what they could not write at its place is written, and the rest is
    /// noted, so that the writer fills nothing of it when it is finished.
    ///
    /// # Errors
    /// A pack that is damaged; what the writer fails with.
    pub fn complete_classic(&self, output: &dyn Output, size: u64, writer: &ClassicWriter) -> Result<()> {
        for part in 0..self.parts {
            let pieces = self.pieces(part, false)?;
            for entry in &pieces.entries {
                match entry.item {
                    PackItem::Written { offset, count } => {
                        writer.note(VarId(entry.variable as usize), offset..offset + count)?;
                    }
                    PackItem::Place { offset } if offset.saturating_add(entry.length) <= size => {
                        let bytes = self.bytes(&pieces, entry.at, entry.length)?;
                        if crc32c::crc32c(&bytes) != entry.crc {
                            return Err(pieces.damaged());
                        }
                        let written = output.write_all_at(offset, &bytes);
                        written.map_err(|e| Error::io("cannot write", e))?;
                    }
                    _ => return Err(pieces.damaged()),
                }
            }
        }
        Ok(())
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

    /// Bytes of a pack.
    fn bytes(&self, pieces: &Pieces, offset: u64, length: u64) -> Result<Vec<u8>> {
        let length = usize::try_from(length).map_err(|_| pieces.damaged())?;
        if length == 0 {
            return Ok(Vec::new());
        }
        let bytes = self
            .store
            .get(&pieces.pack, GetRange::Range(ByteRange { offset, length }))
            .map_err(|e| Error::io("cannot read", e).in_file(&pieces.pack))?;
        bytes
            .filter(|bytes| bytes.len() == length)
            .ok_or_else(|| pieces.damaged())
    }

    /// Writes a run of entries, which lie one behind the other in the pack.
    fn write_run(
        &self,
        pieces: &Pieces,
        entries: &[PackEntry],
        sequence: u64,
        writer: &dyn Writer,
        written: CountWritten<'_>,
    ) -> Result<()> {
        let damaged = || pieces.damaged();
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
            return Ok(());
        };
        let (begin, end) = (first.at, last.at + last.length);
        let mut bytes = self.bytes(pieces, begin, end - begin)?;
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
                PackItem::Chunk { number, filter_mask } => {
                    let bytes = match place == (0..bytes.len()) {
                        true => std::mem::take(&mut bytes),
                        false => data.to_vec(),
                    };
                    let data = EncodedChunk { bytes, filter_mask };
                    writer.write_encoded_chunk(sequence + n, var, number, data)?;
                }
                PackItem::Skipped { number } => writer.skip_chunk(sequence + n, var, number)?,
                PackItem::Range { offset } => writer.write_range(var, offset, data)?,
                PackItem::Place { .. } | PackItem::Written { .. } => return Err(damaged()),
            }
            written(var, entry.length);
        }
        Ok(())
    }
}

impl Pieces {
    fn damaged(&self) -> Error {
        let why = format!("the pack is damaged or cut; {}", again(self.part));
        Error::Damaged(why).in_file(&self.pack)
    }
}

/// Runs of entries that lie one behind the other, each of at most [`MOST_TOGETHER`] bytes or one entry.
fn runs_of(entries: &[PackEntry]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut begin = 0;
    for (n, entry) in entries.iter().enumerate() {
        let goes_on = n > 0 && {
            let before = &entries[n - 1];
            before.at + before.length == entry.at && entry.at + entry.length - begin <= MOST_TOGETHER
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
