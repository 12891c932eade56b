//! [`Netcdf4Reader`]: an open file, its variables and their chunk indexes.

use crate::format::netcdf4::hdf5_error::hdf5_error;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ncutils_hdf5::{ChunkRecord, ChunkTable, Layout};

use super::data::stored::{StoredData, StoredVariable};
use super::object::hierarchy::ExternalLink;
use super::object::links::OpenFile;
use crate::chunk::ChunkGrid;
use crate::error::{Error, Result};
use crate::filter::{Pipeline, SharedPipelines};
use crate::format::Fault;
use crate::model::{Schema, VarId, VariableLayout};
use crate::store::ByteRange;

/// Chunks of an index whose blocks do not stay in the cache.
const LONG_INDEX: usize = 1 << 16;

/// An open netCDF-4 file, or another HDF5 file.
pub struct Netcdf4Reader {
    pub(super) schema: Schema,
    pub(super) files: Vec<OpenFile>,
    pub(super) variables: Vec<OpenedVariable>,
    pub(super) pipelines: SharedPipelines,
    /// The external links of all groups.
    pub(super) links: Vec<ExternalLink>,
    /// True if the file was opened although it may be damaged.
    pub(super) damaged: bool,
    /// What is wrong with the structure of a damaged file.
    pub(super) faults: Vec<Fault>,
}

/// A variable, with its chunk index once it was read.
pub(super) struct OpenedVariable {
    pub(super) stored: StoredVariable,
    pub(super) chunks: OnceLock<Box<ChunkTable>>,
    /// The codecs, once they were bound.
    pub(super) pipeline: OnceLock<Arc<Pipeline>>,
    /// Locked while the index is read, so that it is read only once.
    pub(super) reading: Mutex<()>,
    /// What is wrong with the index of a damaged file.
    pub(super) faults: OnceLock<Vec<Error>>,
}

impl OpenedVariable {
    /// A variable whose index was not read.
    pub(super) fn new(stored: StoredVariable) -> Self {
        Self {
            stored,
            chunks: OnceLock::new(),
            pipeline: OnceLock::new(),
            reading: Mutex::new(()),
            faults: OnceLock::new(),
        }
    }
}

impl Netcdf4Reader {
    /// Address of the dataset of a variable; `None` if it lies in another file.
    pub fn object_address(&self, var: VarId) -> Option<u64> {
        let stored = &self.variables.get(var.0)?.stored;
        (stored.file == 0).then_some(stored.object)
    }

    /// True if the file has neither variables nor groups nor attributes.
    pub fn is_empty(&self) -> bool {
        let Schema { vars, groups, .. } = &self.schema;
        vars.is_empty() && groups.len() <= 1 && groups.iter().all(|group| group.attributes.is_empty())
    }

    pub(super) fn file(&self, var: VarId) -> &OpenFile {
        &self.files[self.variables[var.0].stored.file]
    }

    pub(super) fn named(&self, var: VarId) -> impl FnOnce(Error) -> Error + '_ {
        move |e| e.in_variable(&self.schema.var_path(var))
    }

    /// Adds the variable and a chunk of it to an error.
    pub(super) fn named_chunk(&self, var: VarId, chunk: u64) -> impl FnOnce(Error) -> Error + '_ {
        move |e| {
            in_chunk(e, &self.variables[var.0].stored.layout, chunk).in_variable(&self.schema.var_path(var))
        }
    }

    /// The chunk index of a variable. The first call reads it.
    pub(in crate::format::netcdf4) fn chunks(&self, var: VarId) -> Result<&ChunkTable> {
        let variable = &self.variables[var.0];
        if let Some(table) = variable.chunks.get() {
            return Ok(table);
        }
        let _reading = variable.reading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = variable.chunks.get() {
            return Ok(table);
        }
        let StoredData::Chunked(dataset) = &variable.stored.data else {
            return Err(self.named(var)(Error::Internal("it has no chunks".into())));
        };
        let file = &self.file(var).file;
        let table = match self.damaged {
            false => file.chunk_table(dataset),
            true => file.chunk_table_of_damaged(dataset).map(|(table, faults)| {
                let _ = variable.faults.set(faults.into_iter().map(hdf5_error).collect());
                table
            }),
        };
        let table = table.map_err(|e| self.named(var)(hdf5_error(e)))?;
        if table.len() > LONG_INDEX {
            // Its blocks would only keep others out of the cache.
            file.forget_metadata();
        }
        Ok(variable.chunks.get_or_init(|| Box::new(table)))
    }

    /// What is wrong with the chunk index of a damaged file, once it was read.
    pub(super) fn index_faults(&self, var: VarId) -> &[Error] {
        self.variables[var.0].faults.get().map_or(&[], Vec::as_slice)
    }

    /// The filter mask of a chunk. A layout may say that chunks which reach past the extent are stored without
    /// filters. The mask of such a chunk disables all filters.
    pub(in crate::format::netcdf4) fn mask(&self, var: VarId, chunk: u64, record: &ChunkRecord) -> u32 {
        let stored = &self.variables[var.0].stored;
        let unfiltered = match &stored.data {
            StoredData::Chunked(dataset) => {
                matches!(&dataset.layout, Layout::Chunked(layout) if layout.edge_chunks_unfiltered)
            }
            _ => false,
        };
        let layout = &stored.layout;
        if unfiltered
            && ChunkGrid::new(&layout.extent, layout.chunk_shape()).is_ok_and(|grid| grid.is_edge(chunk))
        {
            return 1u32
                .checked_shl(layout.filters.len() as u32)
                .unwrap_or(0)
                .wrapping_sub(1);
        }
        record.filter_mask
    }

    /// Converts addresses and sizes in a variable's file to ranges of the object.
    pub(super) fn ranges(
        &self,
        var: VarId,
        asked: impl Iterator<Item = (u64, u64)>,
    ) -> Result<Vec<ByteRange>> {
        asked
            .map(|(address, size)| self.range(var, address, size))
            .collect()
    }

    /// The range of the object that an address and a size in a variable's file are.
    pub(super) fn range(&self, var: VarId, address: u64, size: u64) -> Result<ByteRange> {
        let file = self.file(var);
        // Addresses count from behind a user block, the object's size from its beginning.
        let offset = file.file.user_block_size().checked_add(address);
        let end = offset.and_then(|offset| offset.checked_add(size));
        let end = end.filter(|end| *end <= file.size);
        match (end, offset, usize::try_from(size)) {
            (Some(_), Some(offset), Ok(length)) => Ok(ByteRange { offset, length }),
            _ => Err(hdf5_error(ncutils_hdf5::Error::Truncated {
                what: "raw data",
                offset: address,
                need: size,
            })),
        }
    }

    pub(super) fn chunk(&self, var: VarId, chunk: u64) -> Result<Option<ChunkRecord>> {
        let record = self.chunks(var)?.get(chunk);
        record.map_err(|e| self.named_chunk(var, chunk)(hdf5_error(e)))
    }
}

/// Adds a chunk of a variable to an error.
pub(super) fn in_chunk(error: Error, layout: &VariableLayout, chunk: u64) -> Error {
    match ChunkGrid::new(&layout.extent, layout.chunk_shape()) {
        Ok(grid) => error.in_chunk(&grid.coordinates(chunk)),
        Err(_) => error,
    }
}
