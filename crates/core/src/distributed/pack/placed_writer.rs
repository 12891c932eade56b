//! [`PlacedWriter`]: the writer of a part of a classic file, whose data has known places.
//!
//! ```text
//! engine ─► ClassicWriter ─► SharedFile ─┬─► whole blocks: the file that all processes write
//!                                        └─► parts of blocks: the pack, with what was written of each variable
//! ```

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::index::PackItem;
use super::pack::Pack;
use crate::chunk::Region;
use crate::distributed::notes::PartNotes;
use crate::error::{Error, Result};
use crate::filter::EncodedChunk;
use crate::format::classic::ClassicWriter;
use crate::format::{RecordBlock, VariablePlan, Writer};
use crate::model::{Schema, Values, VarId};
use crate::store::SharedFile;

/// Writes a part of a classic file at its places.
pub struct PlacedWriter {
    classic: ClassicWriter,
    pack: Arc<Pack>,
}

impl PlacedWriter {
    /// Begins a part of the file that all processes write. `plans` promise what the part writes. Nothing goes into the pack once
    /// `is_over` is true, and nothing into the file once it has taken its name.
    ///
    /// # Errors
    /// The file cannot be written, or the store of the job fails.
    pub fn create(
        file: &Path,
        notes: Arc<PartNotes>,
        schema: &Schema,
        plans: &[VariablePlan],
        is_over: Arc<AtomicBool>,
    ) -> Result<Self> {
        let pack = Arc::new(Pack::create(notes, is_over)?);
        let spilled = Arc::clone(&pack);
        let spill = move |offset, bytes: &[u8]| {
            let added = spilled.add(VarId(0), PackItem::Place { offset }, bytes);
            added.map_err(io::Error::other)
        };
        let shared = SharedFile::open(file, Box::new(spill)).map_err(|e| Error::io("cannot write", e))?;
        Ok(Self {
            classic: ClassicWriter::create_part(Arc::new(shared), schema, plans)?,
            pack,
        })
    }
}

impl Writer for PlacedWriter {
    fn write_encoded_chunk(&self, sequence: u64, var: VarId, chunk: u64, data: EncodedChunk) -> Result<()> {
        self.classic.write_encoded_chunk(sequence, var, chunk, data)
    }

    fn write_range(&self, var: VarId, offset: u64, data: &[u8]) -> Result<()> {
        self.classic.write_range(var, offset, data)
    }

    fn interleaves(&self, var: VarId) -> bool {
        self.classic.interleaves(var)
    }

    fn write_records(&self, records: RecordBlock) -> Result<()> {
        self.classic.write_records(records)
    }

    fn write_values(&self, sequence: u64, var: VarId, region: &Region, values: Values) -> Result<()> {
        self.classic.write_values(sequence, var, region, values)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let Self { classic, pack } = *self;
        for (var, range) in classic.end_part()? {
            let item = PackItem::Written {
                offset: range.start,
                count: range.end - range.start,
            };
            pack.add(var, item, &[])?;
        }
        // The file has a hold of the pack.
        drop(classic);
        let pack = Arc::into_inner(pack);
        pack.ok_or_else(|| Error::Internal("a pack that is still written".to_owned()))?
            // Which blocks are whole depends on the threads.
            .end(false)
    }
}
