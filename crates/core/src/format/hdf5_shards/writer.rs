//! [`DualWriter`]: a hierarchy and the netCDF-4 file in it, written from the same pieces.

use super::variable_form::VariableForm;
use crate::chunk::Region;
use crate::error::{Error, Result};
use crate::format::netcdf4::Netcdf4Writer;
use crate::format::{EncodedChunk, Writer};
use crate::model::{Values, VarId};

/// A hierarchy whose shards are HDF5 files, and the netCDF-4 file in it. The hierarchy appears when both are complete.
pub struct DualWriter {
    hierarchy: Box<dyn Writer>,
    file: Netcdf4Writer,
    forms: Vec<VariableForm>,
}

impl DualWriter {
    /// Writes to both.
    pub fn new(hierarchy: Box<dyn Writer>, file: Netcdf4Writer, forms: Vec<VariableForm>) -> Self {
        Self {
            hierarchy,
            file,
            forms,
        }
    }

    fn form(&self, var: VarId) -> Result<&VariableForm> {
        let form = self.forms.get(var.0);
        form.ok_or_else(|| Error::Usage(format!("there is no variable {}", var.0)))
    }
}

impl Writer for DualWriter {
    fn write_encoded_chunk(&self, sequence: u64, var: VarId, chunk: u64, data: EncodedChunk) -> Result<()> {
        match self.form(var)? {
            VariableForm::InShards(_) => {}
            VariableForm::Scalar => self.file.write_range(var, 0, &data.bytes)?,
            VariableForm::Plain => {
                return Err(Error::Internal("a chunk of values without a common form".into()));
            }
        }
        self.file.pass(sequence)?;
        self.hierarchy.write_encoded_chunk(sequence, var, chunk, data)
    }

    fn skip_chunk(&self, sequence: u64, var: VarId, chunk: u64) -> Result<()> {
        if !matches!(self.form(var)?, VariableForm::InShards(_)) {
            return Err(Error::Internal("a chunk that cannot be left out".into()));
        }
        self.file.pass(sequence)?;
        self.hierarchy.skip_chunk(sequence, var, chunk)
    }

    fn write_range(&self, var: VarId, offset: u64, data: &[u8]) -> Result<()> {
        self.hierarchy.write_range(var, offset, data)
    }

    fn write_values(&self, sequence: u64, var: VarId, region: &Region, values: Values) -> Result<()> {
        self.file.write_values(sequence, var, region, values.clone())?;
        self.hierarchy.write_values(sequence, var, region, values)
    }

    fn stored_values(&self, var: VarId) -> Option<u64> {
        self.hierarchy.stored_values(var)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let Self { hierarchy, file, .. } = *self;
        Box::new(file).finish()?;
        hierarchy.finish()
    }
}
