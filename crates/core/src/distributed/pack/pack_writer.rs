//! [`PackWriter`]: the writer of a part of an output that is one file.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::index::{self, Entry, Item};
use crate::chunk::Region;
use crate::distributed::content_sum::ContentSum;
use crate::distributed::notes::{PartNotes, over};
use crate::error::{Error, Result};
use crate::filter::EncodedChunk;
use crate::format::{Received, ReorderWindow, VariablePlan, Writer};
use crate::model::{Schema, Values, VarId};
use crate::store::ValueWriter;

/// Writes the pieces of a part into a pack. Pieces with a sequence number lie in that order, so that whoever completes the output
/// reads the pack from its begin to its end.
pub struct PackWriter {
    notes: Arc<PartNotes>,
    pack: Box<dyn ValueWriter>,
    /// Names the pack: two processes may make the same part at once.
    attempt: u64,
    paths: Vec<String>,
    window: ReorderWindow<Piece>,
    /// Bytes of the pack that have an owner.
    end: AtomicU64,
    entries: Mutex<Vec<Entry>>,
    received: Received,
    content: ContentSum,
    is_over: Arc<AtomicBool>,
}

/// A piece before it has its place in the pack.
struct Piece {
    variable: VarId,
    item: Item,
    bytes: Vec<u8>,
}

impl PackWriter {
    /// Begins the pack of a part of a dataset. `plans` promise what the part writes. Nothing is written once `is_over` is true.
    ///
    /// # Errors
    /// The store of the job fails.
    pub fn create(
        notes: Arc<PartNotes>,
        schema: &Schema,
        plans: &[VariablePlan],
        is_over: Arc<AtomicBool>,
    ) -> Result<Self> {
        let attempt = RandomState::new().hash_one(std::process::id());
        Ok(Self {
            pack: notes.create_pack(attempt)?,
            attempt,
            notes,
            paths: (0..schema.vars.len())
                .map(|n| schema.var_path(VarId(n)))
                .collect(),
            window: ReorderWindow::new(),
            end: AtomicU64::new(0),
            entries: Mutex::default(),
            received: Received::new(plans),
            content: ContentSum::default(),
            is_over,
        })
    }

    /// Gives a piece its place, and notes it.
    fn place(&self, variable: VarId, item: Item, bytes: &[u8]) -> Result<u64> {
        let length = bytes.len() as u64;
        let at = self.end.fetch_add(length, Ordering::Relaxed);
        let entry = Entry {
            variable: u32::try_from(variable.0)
                .map_err(|_| Error::Internal("more variables than a pack has numbers for".to_owned()))?,
            item,
            at,
            length,
            crc: crc32c::crc32c(bytes),
        };
        self.content.add(&entry.name(), length, entry.crc);
        self.entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(entry);
        Ok(at)
    }

    fn check_runs(&self) -> Result<()> {
        match self.is_over.load(Ordering::Relaxed) {
            false => Ok(()),
            true => Err(over()),
        }
    }

    fn write_at(&self, at: u64, bytes: &[u8]) -> Result<()> {
        self.check_runs()?;
        self.pack
            .write_at(at, bytes)
            .map_err(|e| Error::io("cannot write the pack", e))
    }

    fn submit(&self, sequence: u64, piece: Piece) -> Result<()> {
        self.received.add_chunk(piece.variable);
        let turn = |piece: Piece| {
            let at = self.place(piece.variable, piece.item, &piece.bytes)?;
            Ok((at, piece.bytes))
        };
        self.window
            .submit(sequence, piece, turn, |(at, bytes)| self.write_at(at, &bytes))
    }
}

impl Writer for PackWriter {
    fn write_encoded_chunk(&self, sequence: u64, var: VarId, chunk: u64, data: EncodedChunk) -> Result<()> {
        let item = Item::Chunk {
            number: chunk,
            filter_mask: data.filter_mask,
        };
        let piece = Piece {
            variable: var,
            item,
            bytes: data.bytes,
        };
        self.submit(sequence, piece)
    }

    fn skip_chunk(&self, sequence: u64, var: VarId, chunk: u64) -> Result<()> {
        let piece = Piece {
            variable: var,
            item: Item::Skipped { number: chunk },
            bytes: Vec::new(),
        };
        self.submit(sequence, piece)
    }

    fn write_range(&self, var: VarId, offset: u64, data: &[u8]) -> Result<()> {
        self.received.add(var, data.len() as u64);
        let at = self.place(var, Item::Range { offset }, data)?;
        self.write_at(at, data)
    }

    fn write_values(&self, _: u64, _: VarId, _: &Region, _: Values) -> Result<()> {
        Err(Error::Internal(
            "values that the process which completes the output writes".to_owned(),
        ))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.check_runs()?;
        self.window.close()?;
        self.received
            .check(|var| self.paths.get(var.0).cloned().unwrap_or_default())?;
        let cannot = |e| Error::io("cannot write the pack", e);
        self.pack.set_size(self.end.into_inner()).map_err(cannot)?;
        self.pack.finish().map_err(cannot)?;
        let entries = self.entries.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.notes.put_index(&index::write(self.attempt, &entries))?;
        self.notes.end(&self.content.content())
    }
}
