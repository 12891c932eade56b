//! [`PackWriter`]: the writer of a part of an output that is one file.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::index::PackItem;
use super::pack::Pack;
use crate::chunk::Region;
use crate::distributed::notes::PartNotes;
use crate::error::{Error, Result};
use crate::filter::EncodedChunk;
use crate::format::{Received, ReorderWindow, VariablePlan, Writer};
use crate::model::{Schema, Values, VarId};

/// Writes the pieces of a part into a pack. Pieces with a sequence number lie in that order, so that whoever completes the output
/// reads the pack from its begin to its end.
pub struct PackWriter {
    pack: Pack,
    paths: Vec<String>,
    window: ReorderWindow<PackPiece>,
    received: Received,
}

/// A piece before it has its place in the pack.
struct PackPiece {
    variable: VarId,
    item: PackItem,
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
        Ok(Self {
            pack: Pack::create(notes, is_over)?,
            paths: (0..schema.vars.len())
                .map(|n| schema.var_path(VarId(n)))
                .collect(),
            window: ReorderWindow::new(),
            received: Received::new(plans),
        })
    }

    fn submit(&self, sequence: u64, piece: PackPiece) -> Result<()> {
        self.received.add_chunk(piece.variable);
        let turn = |piece: PackPiece| {
            let at = self.pack.place(piece.variable, piece.item, &piece.bytes)?;
            Ok((at, piece.bytes))
        };
        self.window
            .submit(sequence, piece, turn, |(at, bytes)| self.pack.write(at, &bytes))
    }
}

impl Writer for PackWriter {
    fn write_encoded_chunk(&self, sequence: u64, var: VarId, chunk: u64, data: EncodedChunk) -> Result<()> {
        let item = PackItem::Chunk {
            number: chunk,
            filter_mask: data.filter_mask,
        };
        let piece = PackPiece {
            variable: var,
            item,
            bytes: data.bytes,
        };
        self.submit(sequence, piece)
    }

    fn skip_chunk(&self, sequence: u64, var: VarId, chunk: u64) -> Result<()> {
        let piece = PackPiece {
            variable: var,
            item: PackItem::Skipped { number: chunk },
            bytes: Vec::new(),
        };
        self.submit(sequence, piece)
    }

    fn write_range(&self, var: VarId, offset: u64, data: &[u8]) -> Result<()> {
        self.received.add(var, data.len() as u64);
        self.pack.add(var, PackItem::Range { offset }, data)
    }

    fn write_values(&self, _: u64, _: VarId, _: &Region, _: Values) -> Result<()> {
        Err(Error::Internal(
            "values that the process which completes the output writes".to_owned(),
        ))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.window.close()?;
        self.received
            .check(|var| self.paths.get(var.0).cloned().unwrap_or_default())?;
        self.pack.end(true)
    }
}
