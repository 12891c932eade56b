//! Writing the data of a netCDF-4 file.

use crate::format::netcdf4::hdf5_error::hdf5_error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ncutils_hdf5::{FileSettings, FileSpace, FileWriter, FillSpec, LayoutSpec, ObjectId, ObjectSpecKind};

use super::datatypes::byte_order;
use super::elements::ElementShape;
use super::external::ExternalStorage;
use super::tree::DatasetTree;
use crate::chunk::{
    ChunkGrid, Region, byte_count, copy_region, element_count, fill_pattern, resize, swap_units,
};
use crate::error::{Error, Result};
use crate::filter::{ChunkShape, Pipeline, Scratch};
use crate::format::netcdf4::bytes::OutputBytes;
use crate::format::{EncodedChunk, Promised, Received, ReorderWindow, VariablePlan, Writer};
use crate::model::{Schema, SharedLayout, Storage, Values, VarId};
use crate::store::{Output, RawFiles};

/// A netCDF-4 file that is being written.
pub struct Netcdf4Writer {
    file: FileWriter,
    output: Arc<dyn Output>,
    vars: Vec<VariableState>,
    window: ReorderWindow<Submitted>,
    received: Received,
}

/// The state of one variable.
struct VariableState {
    path: String,
    dataset: ObjectId,
    /// True if an earlier variable is the same dataset, and its data is written.
    is_other_name: bool,
    layout: SharedLayout,
    promised: Promised,
    pipeline: Arc<Pipeline>,
    /// `None` unless chunked.
    grid: Option<Box<ChunkGrid>>,
    shape: ElementShape,
    /// Size, in bytes, of numbers to be reversed between [`Values`] and storage; 1 if none.
    swap: usize,
    /// Its raw data in other files; `None` if the file holds it.
    external: Option<Box<ExternalStorage>>,
    /// Bytes of values as stored, so far.
    stored_values: AtomicU64,
}

/// A piece of data that waits for its turn.
enum Submitted {
    /// A sequence number that this file has no piece for.
    Nothing,
    Chunk {
        var: VarId,
        chunk: u64,
        data: EncodedChunk,
    },
    Values {
        var: VarId,
        place: ChunkOrRange,
        values: Values,
    },
}

/// The place of values in their variable.
#[derive(Clone, Copy)]
enum ChunkOrRange {
    /// All elements of one chunk.
    Chunk(u64),
    /// A contiguous range that starts at this byte.
    Range(u64),
}

/// A piece that has had its turn and has a place in the file.
enum Write {
    At { address: u64, bytes: Vec<u8> },
    Storage { var: VarId, offset: u64, bytes: Vec<u8> },
    Nothing,
}

impl Netcdf4Writer {
    /// Creates the file that `tree` describes, and the raw data of variables in the files `raw`.
    ///
    /// # Errors
    /// If HDF5 cannot hold the dataset, or the output fails.
    pub fn create(
        output: Arc<dyn Output>,
        raw: Option<&Arc<RawFiles>>,
        schema: &Schema,
        plans: &[VariablePlan],
        tree: &dyn DatasetTree,
    ) -> Result<Self> {
        let settings = FileSettings {
            user_block: 0,
            space: pages(schema)?,
            behind: None,
        };
        Self::create_with(settings, output, raw, schema, plans, tree)
    }

    /// Like [`create`](Self::create), for a file with these properties. The caller writes the user block.
    ///
    /// # Errors
    /// Those of [`create`](Self::create).
    pub fn create_with(
        settings: FileSettings,
        output: Arc<dyn Output>,
        raw: Option<&Arc<RawFiles>>,
        schema: &Schema,
        plans: &[VariablePlan],
        tree: &dyn DatasetTree,
    ) -> Result<Self> {
        let mut vars = Vec::with_capacity(plans.len());
        for (i, plan) in plans.iter().enumerate() {
            let layout = plan.layout.clone();
            let grid = match &layout.storage {
                Storage::Chunked { shape } => Some(Box::new(ChunkGrid::new(&layout.extent, shape)?)),
                _ => None,
            };
            let external = plan
                .external
                .as_deref()
                .map(|parts| ExternalStorage::new(parts, raw).map(Box::new));
            let external = external
                .transpose()
                .map_err(|error| error.in_variable(&schema.var_path(VarId(i))))?;
            let big = byte_order(plan) == ncutils_hdf5::ByteOrder::Big;
            vars.push(VariableState {
                path: schema.var_path(VarId(i)),
                promised: plan.promised,
                dataset: tree.dataset(VarId(i)),
                is_other_name: tree.is_other_name(VarId(i)),
                grid,
                shape: ElementShape::new(schema, schema.vars[i].ty),
                swap: if big { layout.element_size } else { 1 },
                layout,
                pipeline: Arc::clone(&plan.pipeline),
                external,
                stored_values: AtomicU64::new(0),
            });
        }
        let compact_fill = compact_fill(&vars, tree)?;
        for var in &vars {
            var.fill_external(tree)?;
        }
        let file = FileWriter::create_with(settings, Arc::new(OutputBytes(output.clone())), tree)?;
        for (dataset, data) in compact_fill {
            file.write_storage(dataset, 0, &data).map_err(hdf5_error)?;
        }
        Ok(Self {
            file,
            output,
            vars,
            window: ReorderWindow::new(),
            received: Received::new(plans),
        })
    }

    /// The file below.
    pub fn file(&self) -> &FileWriter {
        &self.file
    }

    /// Takes a sequence number of a piece that lies elsewhere.
    ///
    /// # Errors
    /// If the output fails.
    pub fn pass(&self, sequence: u64) -> Result<()> {
        self.submit(sequence, Submitted::Nothing)
    }

    fn var(&self, var: VarId) -> Result<&VariableState> {
        self.vars
            .get(var.0)
            .ok_or_else(|| Error::Usage(format!("there is no variable {}", var.0)))
    }

    fn submit(&self, sequence: u64, piece: Submitted) -> Result<()> {
        self.window.submit(
            sequence,
            piece,
            |piece| self.turn(piece),
            |write| self.write(write),
        )
    }

    /// Gives a piece its place in the file. Called in the order of sequence numbers.
    fn turn(&self, piece: Submitted) -> Result<Write> {
        match &piece {
            Submitted::Chunk { var, .. } | Submitted::Values { var, .. }
                if !self.var(*var)?.is_other_name => {}
            _ => return Ok(Write::Nothing),
        }
        match piece {
            Submitted::Nothing => Ok(Write::Nothing),
            Submitted::Chunk { var, chunk, data } => self.reserve(var, chunk, data),
            Submitted::Values { var, place, values } => {
                let state = self.var(var)?;
                let in_variable = |e: Error| e.in_variable(&state.path);
                let mut bytes = state.shape.insert(values, &self.file).map_err(in_variable)?;
                swap_units(&mut bytes, state.swap);
                match place {
                    ChunkOrRange::Range(offset) => {
                        state.count(&bytes);
                        Ok(Write::Storage { var, offset, bytes })
                    }
                    ChunkOrRange::Chunk(chunk) => {
                        let data = state.encode(bytes).map_err(|e| state.in_chunk(e, chunk))?;
                        state.count(&data.bytes);
                        self.reserve(var, chunk, data)
                    }
                }
            }
        }
    }

    fn reserve(&self, var: VarId, chunk: u64, data: EncodedChunk) -> Result<Write> {
        let state = self.var(var)?;
        let size = data.bytes.len() as u64;
        let address = self
            .file
            .reserve_chunk(state.dataset, chunk, size, data.filter_mask)
            .map_err(|e| state.in_chunk(hdf5_error(e), chunk))?;
        Ok(Write::At {
            address,
            bytes: data.bytes,
        })
    }

    fn write(&self, write: Write) -> Result<()> {
        match write {
            Write::Nothing => Ok(()),
            Write::At { address, bytes } => Ok(self.file.write_at(address, &bytes).map_err(hdf5_error)?),
            Write::Storage { var, offset, bytes } => {
                let state = self.var(var)?;
                match &state.external {
                    Some(external) => external
                        .write(offset, &bytes)
                        .map_err(|e| e.in_variable(&state.path)),
                    None => Ok(self
                        .file
                        .write_storage(state.dataset, offset, &bytes)
                        .map_err(hdf5_error)?),
                }
            }
        }
    }
}

/// The pages that a schema asks for.
///
/// # Errors
/// HDF5 has no pages of such a size.
pub fn pages(schema: &Schema) -> Result<Option<FileSpace>> {
    schema
        .page_size
        .map(FileSpace::pages)
        .transpose()
        .map_err(hdf5_error)
}

/// The data of compact variables that will not be written: fill values, because compact data always exists.
fn compact_fill(vars: &[VariableState], tree: &dyn DatasetTree) -> Result<Vec<(ObjectId, Vec<u8>)>> {
    let mut all = Vec::new();
    for var in vars {
        if var.layout.storage != Storage::Compact || !var.promised.is_nothing() {
            continue;
        }
        let object = tree.object(var.dataset)?;
        if let ObjectSpecKind::Dataset(spec) = &object.kind
            && let (LayoutSpec::Compact { size }, FillSpec::Defined(fill)) = (&spec.layout, &spec.fill)
        {
            let mut data = Vec::new();
            resize(&mut data, usize::try_from(*size).unwrap_or(usize::MAX))?;
            fill_pattern(&mut data, &fill.bytes);
            all.push((var.dataset, data));
        }
    }
    Ok(all)
}

impl Writer for Netcdf4Writer {
    fn write_encoded_chunk(&self, sequence: u64, var: VarId, chunk: u64, data: EncodedChunk) -> Result<()> {
        let state = self.var(var)?;
        if state.grid.as_ref().is_none_or(|grid| chunk >= grid.len()) {
            return Err(Error::Usage(format!("there is no chunk {chunk}")).in_variable(&state.path));
        }
        self.received.add_chunk(var);
        self.submit(sequence, Submitted::Chunk { var, chunk, data })
    }

    fn write_range(&self, var: VarId, offset: u64, data: &[u8]) -> Result<()> {
        let state = self.var(var)?;
        self.received.add(var, data.len() as u64);
        let written = match &state.external {
            Some(external) => external.write(offset, data),
            None => self
                .file
                .write_storage(state.dataset, offset, data)
                .map_err(hdf5_error),
        };
        written.map_err(|e| e.in_variable(&state.path))
    }

    fn write_values(&self, sequence: u64, var: VarId, region: &Region, values: Values) -> Result<()> {
        let state = self.var(var)?;
        self.received.add(var, values.bytes.len() as u64);
        let piece = state
            .place(region, values)
            .map_err(|e| e.in_variable(&state.path))
            .map(|(place, values)| Submitted::Values { var, place, values })?;
        self.submit(sequence, piece)
    }

    fn stored_values(&self, var: VarId) -> Option<u64> {
        let state = self.vars.get(var.0)?;
        Some(state.stored_values.load(Ordering::Relaxed))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.window.close()?;
        self.received.check(|var| self.vars[var.0].path.clone())?;
        self.file.finish().map_err(hdf5_error)?;
        self.output
            .commit()
            .map_err(|e| Error::io("cannot complete the file", e))
    }
}

impl VariableState {
    fn count(&self, stored: &[u8]) {
        self.stored_values
            .fetch_add(stored.len() as u64, Ordering::Relaxed);
    }

    /// Writes fill values where the external files of the variable get no data: their bytes always exist.
    fn fill_external(&self, tree: &dyn DatasetTree) -> Result<()> {
        let Some(external) = &self.external else {
            return Ok(());
        };
        let object = tree.object(self.dataset)?;
        let ObjectSpecKind::Dataset(spec) = &object.kind else {
            return Ok(());
        };
        let written = match self.promised {
            Promised::Bytes(bytes) => bytes,
            _ => 0,
        };
        let element = u64::from(spec.datatype.datatype().size);
        let end = spec
            .dataspace
            .count()
            .and_then(|count| count.checked_mul(element));
        let end = end.ok_or_else(|| Error::Unsupported("more data than 2^64 bytes".to_owned()))?;
        external
            .fill(&spec.fill, written, end)
            .map_err(|e| e.in_variable(&self.path))
    }

    fn in_chunk(&self, error: Error, chunk: u64) -> Error {
        let index = self
            .grid
            .as_ref()
            .map(|grid| grid.coordinates(chunk))
            .unwrap_or_default();
        error.in_chunk(&index).in_variable(&self.path)
    }

    /// Finds the place of a region's values. Values of a chunk that reaches past the extent are completed.
    fn place(&self, region: &Region, values: Values) -> Result<(ChunkOrRange, Values)> {
        let size = self.layout.element_size;
        if !region.fits(&self.layout.extent) || byte_count(&region.count, size) != Some(values.bytes.len()) {
            return Err(Error::Usage(format!(
                "{} bytes of values for a region of {:?} at {:?}",
                values.bytes.len(),
                region.count,
                region.start
            )));
        }
        let Some(grid) = &self.grid else {
            let offset = linear(&region.start, &self.layout.extent)
                .and_then(|n| n.checked_mul(size as u64))
                .ok_or_else(|| Error::Usage("a region past 2^64 bytes".to_owned()))?;
            return Ok((ChunkOrRange::Range(offset), values));
        };
        let chunk = grid.span(region).map(|span| grid.index(&span.start));
        let Some(chunk) = chunk.filter(|chunk| grid.region(*chunk) == *region) else {
            return Err(Error::Usage(format!(
                "a region of {:?} at {:?} is not one chunk",
                region.count, region.start
            )));
        };
        let values = if grid.is_edge(chunk) {
            self.complete(grid.chunk(), region, values)?
        } else {
            values
        };
        Ok((ChunkOrRange::Chunk(chunk), values))
    }

    /// A whole chunk: the values, with fill values past the extent.
    fn complete(&self, shape: &[u64], region: &Region, mut values: Values) -> Result<Values> {
        let size = self.layout.element_size;
        let bytes = byte_count(shape, size)
            .ok_or_else(|| Error::Unsupported("a chunk larger than memory".to_owned()))?;
        let fill = self
            .layout
            .fill
            .value
            .as_ref()
            .filter(|value| value.bytes.len() == size);
        let mut whole = vec![0; bytes];
        if let Some(fill) = fill {
            let element = self.shape.rebase(fill, &mut values.heap)?;
            fill_pattern(&mut whole, &element);
        }
        let origin = vec![0; shape.len()];
        copy_region(
            &values.bytes,
            &region.count,
            &origin,
            &mut whole,
            shape,
            &origin,
            &region.count,
            size,
            1,
        )?;
        Ok(Values {
            bytes: whole,
            heap: values.heap,
        })
    }

    fn encode(&self, bytes: Vec<u8>) -> Result<EncodedChunk> {
        if self.pipeline.is_empty() {
            return Ok(EncodedChunk {
                bytes,
                filter_mask: 0,
            });
        }
        self.pipeline
            .encode(&bytes, ChunkShape::Full, &mut Scratch::new())
    }
}

/// Number of the element at `start`, in C order over `extent`.
fn linear(start: &[u64], extent: &[u64]) -> Option<u64> {
    element_count(extent)?;
    let mut number = 0u64;
    for (s, n) in start.iter().zip(extent) {
        number = number.checked_mul(*n)?.checked_add(*s)?;
    }
    Some(number)
}
