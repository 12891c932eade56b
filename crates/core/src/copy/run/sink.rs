//! The engine's view of the writer: errors name the output and the variable, not the input.

use std::ffi::OsStr;

use super::meters::Meters;
use crate::chunk::Region;
use crate::copy::task::Variable;
use crate::error::{Error, Result};
use crate::format::{EncodedChunk, RecordBlock, Writer};
use crate::model::Values;
use crate::store::StoredRange;

/// A [`Writer`] whose errors name the variable and the output.
#[derive(Clone, Copy)]
pub struct Sink<'a> {
    pub writer: &'a dyn Writer,
    /// The output's path, if it has one.
    pub path: Option<&'a OsStr>,
    /// Where bytes are counted.
    pub meters: &'a Meters,
}

impl Sink<'_> {
    /// See [`Writer::write_encoded_chunk`].
    pub fn write_encoded_chunk(
        &self,
        sequence: u64,
        var: &Variable,
        chunk: u64,
        data: EncodedChunk,
    ) -> Result<()> {
        self.meters.written(var.out, data.bytes.len() as u64);
        let written = self.writer.write_encoded_chunk(sequence, var.out, chunk, data);
        written.map_err(|e| self.name(e.in_variable(&var.name)))
    }

    /// See [`Writer::write_reference`].
    pub fn write_reference(
        &self,
        sequence: u64,
        var: &Variable,
        chunk: u64,
        place: StoredRange,
    ) -> Result<()> {
        let written = self.writer.write_reference(sequence, var.out, chunk, place);
        written.map_err(|e| self.name(e.in_variable(&var.name)))
    }

    /// See [`Writer::needs_lengths`].
    pub fn needs_lengths(&self) -> bool {
        self.writer.needs_lengths()
    }

    /// See [`Writer::skip_chunk`].
    pub fn skip_chunk(&self, sequence: u64, var: &Variable, chunk: u64) -> Result<()> {
        let skipped = self.writer.skip_chunk(sequence, var.out, chunk);
        skipped.map_err(|e| self.name(e.in_variable(&var.name)))
    }

    /// See [`Writer::write_range`].
    pub fn write_range(&self, var: &Variable, offset: u64, data: &[u8]) -> Result<()> {
        self.meters.written(var.out, data.len() as u64);
        let written = self.writer.write_range(var.out, offset, data);
        written.map_err(|e| self.name(e.in_variable(&var.name)))
    }

    /// See [`Writer::write_records`]. An error names `var`, unless it already names a variable.
    pub fn write_records(&self, var: &Variable, records: RecordBlock) -> Result<()> {
        for slab in records.slabs {
            self.meters.written(slab.var, slab.length * records.count());
        }
        let written = self.writer.write_records(records);
        written.map_err(|e| self.name(e.in_variable(&var.name)))
    }

    /// See [`Writer::write_values`]. The writer itself counts the bytes: [`Writer::stored_values`].
    pub fn write_values(&self, sequence: u64, var: &Variable, region: &Region, values: Values) -> Result<()> {
        let written = self.writer.write_values(sequence, var.out, region, values);
        written.map_err(|e| self.name(e.in_variable(&var.name)))
    }

    /// Adds the output's path to an error.
    fn name(&self, error: Error) -> Error {
        match self.path {
            Some(path) => error.in_file(path),
            None => error,
        }
    }
}
