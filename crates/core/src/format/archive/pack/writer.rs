//! Writing a dataset as an archive: of exactly the file that the classic writer makes.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use super::pack_file::{PackOptions, pack};
use crate::error::{Error, Result};
use crate::format::classic::ClassicWriter;
use crate::format::{EncodedChunk, RecordBlock, Region, VariablePlan, Writer};
use crate::model::{Schema, Values, VarId};
use crate::store::{Output, StagedOutput, temporary_file};

/// An archive that is being written. The classic file goes to a temporary file first, as the order of its bytes is not that in
/// which values come. `finish` packs it.
pub struct ArchiveWriter {
    classic: ClassicWriter,
    spool: Arc<StagedOutput>,
    output: Arc<dyn Output>,
    options: PackOptions,
}

impl ArchiveWriter {
    /// Begins an archive of `schema`, whose kind is that of an archive.
    ///
    /// # Errors
    /// Those of [`ClassicWriter::create`], and of making a temporary file.
    pub fn create(
        output: Arc<dyn Output>,
        schema: &Schema,
        plans: &[VariablePlan],
        options: PackOptions,
    ) -> Result<Self> {
        let schema = as_original(schema);
        let file = temporary_file(None, 0).map_err(|e| Error::io("cannot write", e))?;
        let spool = Arc::new(StagedOutput::new(Arc::new(Spool(file))));
        Ok(Self {
            classic: ClassicWriter::create(spool.clone(), &schema, plans)?,
            spool,
            output,
            options,
        })
    }
}

/// The schema of the classic file that is packed.
pub(in crate::format) fn as_original(schema: &Schema) -> Schema {
    let mut schema = schema.clone();
    schema.kind = schema.kind.unpacked().unwrap_or(schema.kind);
    schema
}

/// A classic file that was not packed yet.
struct Spool(File);

impl Output for Spool {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write_all_at(data, offset)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.0.set_len(size)
    }

    fn commit(&self) -> io::Result<()> {
        Ok(())
    }

    fn read_back_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(buf, offset)
    }
}

impl Writer for ArchiveWriter {
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
        let Self {
            classic,
            spool,
            output,
            options,
        } = *self;
        Box::new(classic).finish()?;
        pack(&*spool, &*output, &options)?;
        output.commit().map_err(|e| Error::io("cannot write", e))
    }
}
