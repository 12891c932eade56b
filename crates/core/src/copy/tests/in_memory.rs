//! A reader and a writer in memory, and copies from one to the other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::super::{CopyPlan, RunOptions, Sources, VariableCopy, prepare, run};
use crate::chunk::{ChunkGrid, byte_count, copy_region, swap_units};
use crate::error::{Error, Result};
use crate::filter::{ChunkType, Pipeline, Registry, Scratch};
use crate::format::read_region::{chunk_shape, chunk_size, read_region, swap_unit};
use crate::format::{ChunkPlace, ChunkReader, EncodedChunk, Extensions, Reader, Region, Writer, Written};
use crate::model::{
    CodecSpec, DimId, Dimension, Encoding, Endian, Fill, Kind, Schema, Storage, Type, Values, VarId,
    Variable, VariableLayout,
};

/// A variable in memory: `data` are all elements of the extent, little-endian.
pub(super) struct InMemoryVariable {
    pub(super) layout: VariableLayout,
    pub(super) data: Vec<u8>,
    pub(super) missing: BTreeSet<u64>,
    pub(super) unwritten: bool,
    /// Chunks that reach past the extent are stored without filters.
    pub(super) unfiltered_edges: bool,
}

pub(super) struct InMemoryInput {
    pub(super) schema: Schema,
    pub(super) sources: Vec<InMemoryVariable>,
    pub(super) reads: AtomicU64,
    /// Reading this chunk of any variable fails.
    pub(super) bad: Option<u64>,
    pub(super) panics: bool,
    /// The last byte of this chunk of any variable is wrong.
    pub(super) damaged: Option<u64>,
}

impl InMemoryVariable {
    pub(super) fn grid(&self) -> ChunkGrid {
        ChunkGrid::new(&self.layout.extent, self.layout.chunk_shape()).unwrap()
    }

    pub(super) fn stored(&self) -> Vec<u64> {
        (0..self.grid().len())
            .filter(|i| !self.missing.contains(i))
            .collect()
    }

    pub(super) fn encoded(&self, chunk: u64) -> EncodedChunk {
        let grid = self.grid();
        let region = grid.region(chunk);
        let shape = self.layout.stored_shape(&region.count);
        let mut bytes = vec![0xCD; chunk_size(&self.layout, shape).unwrap()];
        let origin = vec![0; region.rank()];
        copy_region(
            &self.data,
            &self.layout.extent,
            &region.start,
            &mut bytes,
            shape,
            &origin,
            &region.count,
            self.layout.element_size,
            swap_unit(&self.layout),
        )
        .unwrap();
        if self.unfiltered_edges && grid.is_edge(chunk) {
            return EncodedChunk {
                bytes,
                filter_mask: (1 << self.layout.filters.len()) - 1,
            };
        }
        let shape = chunk_shape(&self.layout, &region.count);
        let encoded = pipeline(&self.layout).encode(&bytes, shape, &mut Scratch::new());
        encoded.unwrap()
    }

    /// The element at `at`, as a reader returns it.
    pub(super) fn element(&self, at: &[u64]) -> Vec<u8> {
        let size = self.layout.element_size;
        let fill = || self.layout.fill.value.as_ref().unwrap().bytes.clone();
        if at.iter().zip(&self.layout.extent).any(|(a, e)| a >= e) {
            return fill();
        }
        let of: Vec<u64> = at
            .iter()
            .zip(self.layout.chunk_shape())
            .map(|(a, c)| a / c)
            .collect();
        if self.missing.contains(&self.grid().index(&of)) {
            return fill();
        }
        let n = at.iter().zip(&self.layout.extent).fold(0, |n, (a, e)| n * e + a) as usize;
        self.data[n * size..(n + 1) * size].to_vec()
    }
}

impl Reader for InMemoryInput {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        &self.sources[var.0].layout
    }

    fn written(&self, var: VarId) -> Result<Written> {
        let source = &self.sources[var.0];
        Ok(match source.layout.storage {
            _ if source.unwritten => Written::Nothing,
            Storage::Chunked { .. } => Written::of_chunks(source.stored(), &source.grid()),
            _ => Written::All,
        })
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        let source = &self.sources[var.0];
        let mut stored = source.data.clone();
        swap_units(&mut stored, swap_unit(&source.layout));
        let from = offset as usize;
        buf.copy_from_slice(&stored[from..from + buf.len()]);
        Ok(())
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        read_region(self, var, region)
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            chunks: Some(self),
            ..Extensions::NONE
        }
    }
}

impl ChunkReader for InMemoryInput {
    fn pipeline(&self, var: VarId) -> Result<Arc<Pipeline>> {
        Ok(Arc::new(pipeline(&self.sources[var.0].layout)))
    }

    fn stored_size(&self, var: VarId, chunk: u64) -> Option<u64> {
        let source = &self.sources[var.0];
        (!source.missing.contains(&chunk)).then(|| source.encoded(chunk).bytes.len() as u64)
    }

    fn chunk_place(&self, _: VarId, _: u64) -> Option<ChunkPlace> {
        None
    }

    fn read_encoded_chunk_into(&self, var: VarId, chunk: u64, bytes: &mut Vec<u8>) -> Result<Option<u32>> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        if self.bad.is_some_and(|bad| chunk >= bad) {
            assert!(!self.panics, "asked to panic");
            return Err(Error::Damaged(format!("bad {chunk}")));
        }
        let source = &self.sources[var.0];
        if source.missing.contains(&chunk) {
            return Ok(None);
        }
        let data = source.encoded(chunk);
        *bytes = data.bytes;
        if let (Some(last), true) = (bytes.last_mut(), self.damaged == Some(chunk)) {
            *last ^= 1;
        }
        Ok(Some(data.filter_mask))
    }
}

/// Everything that was written.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Log {
    pub(super) chunks: BTreeMap<u64, (VarId, u64, EncodedChunk)>,
    pub(super) values: BTreeMap<u64, (VarId, Region, Values)>,
    /// Bytes of contiguous variables, and whether each was written.
    pub(super) ranges: BTreeMap<VarId, BTreeMap<u64, u8>>,
    /// Chunks that were left out, by sequence number.
    pub(super) skipped: BTreeMap<u64, u64>,
    pub(super) finished: bool,
}

pub(super) struct Output(pub(super) Arc<Mutex<Log>>);

impl Writer for Output {
    fn write_encoded_chunk(&self, sequence: u64, var: VarId, chunk: u64, data: EncodedChunk) -> Result<()> {
        let before = self.0.lock().unwrap().chunks.insert(sequence, (var, chunk, data));
        assert!(before.is_none(), "sequence number {sequence} twice");
        Ok(())
    }
    fn skip_chunk(&self, sequence: u64, _: VarId, chunk: u64) -> Result<()> {
        let before = self.0.lock().unwrap().skipped.insert(sequence, chunk);
        assert!(before.is_none(), "sequence number {sequence} twice");
        Ok(())
    }
    fn write_range(&self, var: VarId, offset: u64, data: &[u8]) -> Result<()> {
        let mut log = self.0.lock().unwrap();
        let bytes = log.ranges.entry(var).or_default();
        for (n, byte) in data.iter().enumerate() {
            assert!(
                bytes.insert(offset + n as u64, *byte).is_none(),
                "byte written twice"
            );
        }
        Ok(())
    }
    fn write_values(&self, sequence: u64, var: VarId, region: &Region, values: Values) -> Result<()> {
        let before = self
            .0
            .lock()
            .unwrap()
            .values
            .insert(sequence, (var, region.clone(), values));
        assert!(before.is_none(), "sequence number {sequence} twice");
        Ok(())
    }
    fn finish(self: Box<Self>) -> Result<()> {
        self.0.lock().unwrap().finished = true;
        Ok(())
    }
}

/// The codecs of a layout, bound to its chunks of bytes.
pub(super) fn pipeline(layout: &VariableLayout) -> Pipeline {
    let chunk = ChunkType::new(
        &Schema::new(Kind::Netcdf4),
        Type::Byte,
        layout,
        layout.chunk_shape(),
    );
    Registry::builtin().bind(&layout.filters, &chunk).unwrap()
}

pub(super) fn layout(
    extent: &[u64],
    chunk: Option<&[u64]>,
    size: usize,
    endian: Endian,
    filters: usize,
) -> VariableLayout {
    let spec = |id, parameters: &[u32]| CodecSpec::hdf5(id, parameters);
    let filters = match filters {
        _ if chunk.is_none() => vec![],
        1 => vec![spec(2, &[size as u32]), spec(1, &[1])],
        2 => vec![spec(3, &[])],
        _ => vec![],
    };
    VariableLayout {
        storage: chunk.map_or(Storage::Contiguous, |c| Storage::Chunked { shape: c.to_vec() }),
        endian,
        filters,
        fill: Fill {
            value: Some(Values::from_bytes((0xF0..).take(size).collect())),
            explicit: true,
            no_fill: false,
            ..Fill::default()
        },
        ..VariableLayout::contiguous(extent.to_vec(), size, Encoding::Numbers { unit: size })
    }
}

pub(super) fn source(layout: VariableLayout, missing: impl IntoIterator<Item = u64>) -> InMemoryVariable {
    let n = byte_count(&layout.extent, layout.element_size).unwrap();
    let missing = match layout.storage {
        Storage::Chunked { .. } => missing.into_iter().collect(),
        _ => BTreeSet::new(),
    };
    InMemoryVariable {
        data: (0..n).map(|i| (i * 31 + i / 255 + 7) as u8).collect(),
        layout,
        missing,
        unwritten: false,
        unfiltered_edges: false,
    }
}

pub(super) fn schema(sources: &[VariableLayout]) -> Schema {
    let mut schema = Schema::new(Kind::Netcdf4);
    for (n, layout) in sources.iter().enumerate() {
        let dims: Vec<DimId> = layout
            .extent
            .iter()
            .enumerate()
            .map(|(d, length)| {
                schema.add_dim(Dimension {
                    name: format!("d{n}_{d}"),
                    group: Schema::ROOT,
                    length: *length,
                    unlimited: false,
                })
            })
            .collect();
        schema.add_var(Variable {
            name: format!("v{n}"),
            group: Schema::ROOT,
            ty: Type::Byte,
            dims,
            attributes: Vec::new().into(),
        });
    }
    schema
}

pub(super) fn input(sources: Vec<InMemoryVariable>) -> InMemoryInput {
    InMemoryInput {
        schema: schema(&sources.iter().map(|s| s.layout.clone()).collect::<Vec<_>>()),
        sources,
        reads: AtomicU64::new(0),
        bad: None,
        panics: false,
        damaged: None,
    }
}

pub(super) fn plan(outputs: &[VariableLayout]) -> CopyPlan {
    CopyPlan {
        schema: schema(outputs),
        variables: outputs
            .iter()
            .enumerate()
            .map(|(n, layout)| VariableCopy::new(Sources::Whole(VarId(n)), layout.clone()))
            .collect(),
        registry: Registry::builtin(),
        choices: Vec::new(),
        notices: crate::copy::plan::Notices::default(),
        grows: false,
    }
}

pub(super) fn copy(input: &dyn Reader, plan: &CopyPlan, threads: usize, memory: u64) -> Result<Log> {
    let prepared = prepare(input, plan)?;
    let log = Arc::new(Mutex::new(Log::default()));
    let options = RunOptions {
        threads: Some(threads),
        memory: Some(memory),
        ..RunOptions::default()
    };
    run(input, &prepared, Box::new(Output(Arc::clone(&log))), &options)?;
    let log = Arc::into_inner(log).unwrap().into_inner().unwrap();
    assert!(log.finished);
    let chunked: u64 = prepared.plans.iter().map(|p| p.promised.chunks()).sum();
    let sequence_numbers: BTreeSet<u64> = log.chunks.keys().chain(log.skipped.keys()).copied().collect();
    assert_eq!((log.chunks.len() + log.skipped.len()) as u64, chunked);
    assert!(
        sequence_numbers.into_iter().eq(0..chunked),
        "sequence numbers have no gap"
    );
    Ok(log)
}

/// One variable of 4-byte elements in chunks of shape `from`, and the plan to give it chunks of shape `to`.
pub(super) fn rechunk(extent: &[u64], from: &[u64], to: &[u64]) -> (InMemoryInput, CopyPlan) {
    let from = layout(extent, Some(from), 4, Endian::Little, 1);
    let to = layout(extent, Some(to), 4, Endian::Little, 1);
    (input(vec![source(from, [])]), plan(&[to]))
}
