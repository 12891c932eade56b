//! Copies between a reader and a writer in memory, compared with a model that moves one element at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;

use super::run::run_jobs;
use super::{CopyPlan, Progress, RunOptions, VariableCopy, prepare, run};
use crate::chunk::{ChunkGrid, byte_count, copy_region, fill_pattern, swap_units};
use crate::error::{Error, Result};
use crate::filter::pipeline::{self, Scratch};
use crate::format::region::{chunk_context, chunk_filters, read_region, swap_unit};
use crate::format::{EncodedChunk, Reader, Region, Writer};
use crate::model::{
    DimId, Dimension, Encoding, Endian, Fill, FillTime, FilterSpec, Kind, Schema, Storage, Type, Values,
    VarId, Variable, VariableLayout,
};

/// A variable in memory: `data` are all elements of the extent, little-endian.
struct Source {
    layout: VariableLayout,
    data: Vec<u8>,
    missing: BTreeSet<u64>,
}

struct Input {
    schema: Schema,
    sources: Vec<Source>,
    reads: AtomicU64,
    /// Reading this chunk of any variable fails.
    bad: Option<u64>,
    panics: bool,
}

impl Source {
    fn grid(&self) -> ChunkGrid {
        ChunkGrid::new(&self.layout.extent, self.layout.chunk_shape()).unwrap()
    }

    fn stored(&self) -> Vec<u64> {
        (0..self.grid().len())
            .filter(|i| !self.missing.contains(i))
            .collect()
    }

    fn encoded(&self, chunk: u64) -> EncodedChunk {
        let grid = self.grid();
        let region = grid.region(chunk);
        let context = chunk_context(&self.layout, grid.chunk()).unwrap();
        let mut bytes = vec![0xCD; context.chunk_size];
        let origin = vec![0; region.rank()];
        copy_region(
            &self.data,
            &self.layout.extent,
            &region.start,
            &mut bytes,
            grid.chunk(),
            &origin,
            &region.count,
            self.layout.element_size,
            swap_unit(&self.layout),
        )
        .unwrap();
        let filters = chunk_filters(&self.layout, grid.is_edge(chunk));
        pipeline::encode(filters, &bytes, &mut Scratch::new(), &context).unwrap()
    }

    /// The element at `at`, as it reads.
    fn element(&self, at: &[u64]) -> Vec<u8> {
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

impl Reader for Input {
    fn schema(&self) -> &Schema {
        &self.schema
    }
    fn layout(&self, var: VarId) -> &VariableLayout {
        &self.sources[var.0].layout
    }
    fn stored_chunks(&self, var: VarId) -> Result<Vec<u64>> {
        Ok(self.sources[var.0].stored())
    }
    fn stored_size(&self, var: VarId, chunk: u64) -> Result<Option<u64>> {
        let source = &self.sources[var.0];
        Ok((!source.missing.contains(&chunk)).then(|| source.encoded(chunk).bytes.len() as u64))
    }
    fn read_encoded_chunk(&self, var: VarId, chunk: u64) -> Result<Option<EncodedChunk>> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        if self.bad.is_some_and(|bad| chunk >= bad) {
            assert!(!self.panics, "asked to panic");
            return Err(Error::Damaged(format!("bad {chunk}")));
        }
        let source = &self.sources[var.0];
        Ok((!source.missing.contains(&chunk)).then(|| source.encoded(chunk)))
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
}

/// Everything that was written.
#[derive(Debug, Default, PartialEq)]
struct Log {
    chunks: BTreeMap<u64, (VarId, u64, EncodedChunk)>,
    values: BTreeMap<u64, (VarId, Region, Values)>,
    /// Bytes of contiguous variables, and whether each was written.
    ranges: BTreeMap<VarId, BTreeMap<u64, u8>>,
    finished: bool,
}

struct Output(Arc<Mutex<Log>>);

impl Writer for Output {
    fn write_encoded_chunk(&self, ticket: u64, var: VarId, chunk: u64, data: EncodedChunk) -> Result<()> {
        let before = self.0.lock().unwrap().chunks.insert(ticket, (var, chunk, data));
        assert!(before.is_none(), "ticket {ticket} twice");
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
    fn write_values(&self, ticket: u64, var: VarId, region: &Region, values: Values) -> Result<()> {
        let before = self
            .0
            .lock()
            .unwrap()
            .values
            .insert(ticket, (var, region.clone(), values));
        assert!(before.is_none(), "ticket {ticket} twice");
        Ok(())
    }
    fn finish(self: Box<Self>) -> Result<()> {
        self.0.lock().unwrap().finished = true;
        Ok(())
    }
}

fn layout(
    extent: &[u64],
    chunk: Option<&[u64]>,
    size: usize,
    endian: Endian,
    filters: usize,
) -> VariableLayout {
    let spec = |id, parameters: &[u32]| FilterSpec {
        id,
        optional: true,
        parameters: parameters.to_vec(),
        name: String::new(),
    };
    let filters = match filters {
        _ if chunk.is_none() => vec![],
        1 => vec![spec(2, &[size as u32]), spec(1, &[1])],
        2 => vec![spec(3, &[])],
        _ => vec![],
    };
    VariableLayout {
        storage: chunk.map_or(Storage::Contiguous, |c| Storage::Chunked { shape: c.to_vec() }),
        extent: extent.to_vec(),
        element_size: size,
        encoding: Encoding::Numbers { unit: size },
        endian,
        filters,
        edge_chunks_unfiltered: false,
        fill: Fill {
            value: Some(Values::from_bytes((0xF0..).take(size).collect())),
            explicit: true,
            no_fill: false,
            time: FillTime::IfSet,
        },
        allocated: true,
    }
}

fn source(layout: VariableLayout, missing: impl IntoIterator<Item = u64>) -> Source {
    let n = byte_count(&layout.extent, layout.element_size).unwrap();
    let missing = match layout.storage {
        Storage::Chunked { .. } => missing.into_iter().collect(),
        _ => BTreeSet::new(),
    };
    Source {
        data: (0..n).map(|i| (i * 31 + i / 255 + 7) as u8).collect(),
        layout,
        missing,
    }
}

fn schema(sources: &[VariableLayout]) -> Schema {
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
            attributes: Vec::new(),
        });
    }
    schema
}

fn input(sources: Vec<Source>) -> Input {
    Input {
        schema: schema(&sources.iter().map(|s| s.layout.clone()).collect::<Vec<_>>()),
        sources,
        reads: AtomicU64::new(0),
        bad: None,
        panics: false,
    }
}

fn plan(outputs: &[VariableLayout]) -> CopyPlan {
    CopyPlan {
        schema: schema(outputs),
        variables: outputs
            .iter()
            .enumerate()
            .map(|(n, layout)| VariableCopy {
                source: Some(VarId(n)),
                layout: layout.clone(),
            })
            .collect(),
    }
}

fn copy(input: &Input, plan: &CopyPlan, threads: usize, memory: u64) -> Result<Log> {
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
    let chunked: u64 = prepared.plans.iter().map(|p| p.chunk_count).sum();
    assert_eq!(log.chunks.len() as u64, chunked);
    assert!(log.chunks.keys().copied().eq(0..chunked), "tickets have no gap");
    Ok(log)
}

/// Compares what was written of variable `n` with the model.
fn check(source: &Source, out: &VariableLayout, n: usize, log: &Log, raw: bool) {
    let size = out.element_size;
    let grid = ChunkGrid::new(&out.extent, out.chunk_shape()).unwrap();
    let ones = vec![1; out.extent.len()];
    if !matches!(out.storage, Storage::Chunked { .. }) {
        let elements = ChunkGrid::new(&out.extent, &ones).unwrap();
        let Some(ranges) = log.ranges.get(&VarId(n)) else {
            assert!(elements.is_empty() || source.stored().is_empty());
            return;
        };
        let mut written: Vec<u8> = ranges.values().copied().collect();
        assert_eq!(
            written.len() as u64,
            elements.len() * size as u64,
            "every byte is written"
        );
        swap_units(&mut written, swap_unit(out));
        for e in 0..elements.len() {
            let at = e as usize * size;
            assert_eq!(written[at..at + size], source.element(&elements.coordinates(e)));
        }
        return;
    }
    let written: BTreeMap<u64, &EncodedChunk> = log
        .chunks
        .values()
        .filter(|(var, ..)| *var == VarId(n))
        .map(|(_, chunk, data)| (*chunk, data))
        .collect();
    let under: BTreeSet<u64> = if matches!(source.layout.storage, Storage::Chunked { .. }) {
        let regions = source.stored().into_iter().map(|i| source.grid().region(i));
        regions
            .flat_map(|r| grid.chunks_in(&r).collect::<Vec<_>>())
            .collect()
    } else {
        grid.chunks_in(&Region::whole(&source.layout.extent)).collect()
    };
    assert_eq!(
        written.keys().copied().collect::<BTreeSet<_>>(),
        under,
        "only what has data is written"
    );
    for (index, data) in written {
        let context = chunk_context(out, grid.chunk()).unwrap();
        let filters = chunk_filters(out, grid.is_edge(index));
        let mut bytes = pipeline::decode(filters, (*data).clone(), &context, &mut Scratch::new()).unwrap();
        swap_units(&mut bytes, swap_unit(out));
        let cells = ChunkGrid::new(grid.chunk(), &ones).unwrap();
        let origin = grid.origin(index);
        for e in 0..cells.len() {
            let at: Vec<u64> = cells
                .coordinates(e)
                .iter()
                .zip(&origin)
                .map(|(a, b)| a + b)
                .collect();
            let past = at.iter().zip(&out.extent).any(|(a, e)| a >= e);
            let expected = match past {
                true if raw => continue,
                true => out.fill.value.as_ref().unwrap().bytes.clone(),
                false => source.element(&at),
            };
            let from = e as usize * size;
            assert_eq!(
                bytes[from..from + size],
                expected,
                "chunk {index}, element {at:?}"
            );
        }
    }
}

#[derive(Debug, Clone)]
struct Case {
    /// Length, input chunk, output chunk, growth.
    dims: Vec<(u64, u64, u64, u64)>,
    chunked: (bool, bool),
    size: usize,
    big: (bool, bool),
    filters: (usize, usize),
    edge: (bool, bool),
    missing: Vec<u64>,
}

fn case() -> impl Strategy<Value = Case> {
    let dims = proptest::collection::vec(
        (
            0u64..12,
            1u64..6,
            1u64..6,
            prop_oneof![3 => Just(0u64), 1 => 0u64..4],
        ),
        0..4,
    );
    let bools = || {
        (
            prop_oneof![1 => Just(false), 4 => Just(true)],
            prop_oneof![1 => Just(false), 4 => Just(true)],
        )
    };
    (
        dims,
        bools(),
        proptest::sample::select(vec![1usize, 2, 4, 8]),
        (any::<bool>(), any::<bool>()),
        (0usize..3, 0usize..3),
        (any::<bool>(), any::<bool>()),
        proptest::collection::vec(0u64..12, 0..8),
        any::<bool>(),
    )
        .prop_map(|(mut dims, chunked, size, big, filters, edge, missing, same)| {
            if same {
                dims.iter_mut().for_each(|d| d.2 = d.1);
            }
            // A scalar is not chunked.
            let chunked = if dims.is_empty() { (false, false) } else { chunked };
            Case {
                dims,
                chunked,
                size,
                big,
                filters,
                edge,
                missing,
            }
        })
}

fn build(case: &Case) -> (Source, VariableLayout) {
    let endian = |big| if big { Endian::Big } else { Endian::Little };
    let extent: Vec<u64> = case.dims.iter().map(|d| d.0).collect();
    let grown: Vec<u64> = case.dims.iter().map(|d| d.0 + d.3).collect();
    let a: Vec<u64> = case.dims.iter().map(|d| d.1).collect();
    let b: Vec<u64> = case.dims.iter().map(|d| d.2).collect();
    let mut from = layout(
        &extent,
        case.chunked.0.then_some(&a),
        case.size,
        endian(case.big.0),
        case.filters.0,
    );
    let mut to = layout(
        &grown,
        case.chunked.1.then_some(&b),
        case.size,
        endian(case.big.1),
        case.filters.1,
    );
    from.edge_chunks_unfiltered = case.edge.0;
    to.edge_chunks_unfiltered = case.edge.1;
    (source(from, case.missing.iter().copied()), to)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn copies_equal_the_model(
        cases in proptest::collection::vec(case(), 1..4),
        threads in 1usize..4,
        memory in proptest::sample::select(vec![1u64, 60, 300, 2_000, 1 << 30]),
    ) {
        let (sources, outputs): (Vec<_>, Vec<_>) = cases.iter().map(build).unzip();
        let input = input(sources);
        let plan = plan(&outputs);
        let log = copy(&input, &plan, threads, memory).unwrap();
        for (n, out) in outputs.iter().enumerate() {
            let source = &input.sources[n];
            let raw = source.layout.filters == out.filters && source.layout.storage == out.storage;
            check(source, out, n, &log, raw);
        }
        // Neither threads nor memory change what is written, nor where.
        let again = copy(&input, &plan, 1, 1 << 30).unwrap();
        prop_assert_eq!(log, again);
    }
}

fn rechunk(extent: &[u64], from: &[u64], to: &[u64]) -> (Input, CopyPlan) {
    let from = layout(extent, Some(from), 4, Endian::Little, 1);
    let to = layout(extent, Some(to), 4, Endian::Little, 1);
    (input(vec![source(from, [])]), plan(&[to]))
}

#[test]
fn each_input_chunk_is_decoded_once_where_memory_allows() {
    for (extent, a, b) in [
        (&[40u64, 60, 50][..], &[1u64, 60, 50][..], &[40u64, 7, 9][..]),
        (&[40, 60, 50], &[10, 10, 10], &[3, 5, 50]),
        (&[40, 60, 50], &[40, 7, 9], &[1, 60, 50]),
    ] {
        let (input, plan) = rechunk(extent, a, b);
        copy(&input, &plan, 3, 1 << 30).unwrap();
        assert_eq!(input.reads.load(Ordering::Relaxed), input.sources[0].grid().len());
    }
}

#[test]
fn tiles_are_decoded_once_even_in_little_memory() {
    let (input, plan) = rechunk(&[64, 60, 50], &[8, 30, 50], &[16, 20, 25]);
    // A tile is 16 × 60 × 50 elements: 192 kB.
    copy(&input, &plan, 1, 400_000).unwrap();
    assert_eq!(input.reads.load(Ordering::Relaxed), input.sources[0].grid().len());
}

#[test]
fn what_does_not_fit_is_written_down_rather_than_decoded_again() {
    let (input, plan) = rechunk(&[40, 60, 50], &[1, 60, 50], &[40, 6, 5]);
    let chunks = input.sources[0].grid().len();
    let expected = copy(&input, &plan, 2, 1 << 30).unwrap();
    input.reads.store(0, Ordering::Relaxed);
    // A fifth of the variable at most, so that there are several blocks.
    assert_eq!(copy(&input, &plan, 2, 150_000).unwrap(), expected);
    assert_eq!(input.reads.load(Ordering::Relaxed), chunks);

    // Without a folder for it, chunks are decoded again.
    let prepared = prepare(&input, &plan).unwrap();
    let log = Arc::new(Mutex::new(Log::default()));
    let options = RunOptions {
        threads: Some(2),
        memory: Some(150_000),
        folder: Some(std::path::Path::new("/nonexistent")),
        ..RunOptions::default()
    };
    input.reads.store(0, Ordering::Relaxed);
    run(&input, &prepared, Box::new(Output(Arc::clone(&log))), &options).unwrap();
    assert_eq!(*log.lock().unwrap(), expected);
    assert!(input.reads.load(Ordering::Relaxed) > 2 * chunks);
}

#[test]
fn the_ledger_stays_within_the_budget() {
    let routes = [
        // Extent, input chunk, output chunk.
        (
            &[40u64, 60, 50][..],
            Some(&[1u64, 60, 50][..]),
            Some(&[1u64, 60, 50][..]),
        ),
        (&[40, 60, 50], Some(&[1, 60, 50]), Some(&[40, 6, 5])),
        (&[40, 60, 50], Some(&[40, 6, 5]), Some(&[1, 60, 50])),
        (&[40, 60, 50], Some(&[10, 6, 5]), None),
        (&[40, 60, 50], None, Some(&[10, 6, 5])),
        (&[40, 60, 50], None, None),
    ];
    for (extent, a, b) in routes {
        for filters in [0, 1] {
            let from = layout(extent, a, 4, Endian::Little, 1);
            let to = layout(extent, b, 4, Endian::Big, filters);
            let most = |l: &VariableLayout| match l.storage {
                Storage::Chunked { .. } => 4 * byte_count(l.chunk_shape(), 4).unwrap() as u64,
                _ => 0,
            };
            // A slab of contiguous storage is the whole variable here.
            let need = most(&from) + most(&to) + if b.is_none() && a.is_some() { 480_000 } else { 0 };
            let input = input(vec![source(from, [])]);
            let prepared = prepare(&input, &plan(&[to])).unwrap();
            for (threads, memory) in [(1, 1), (2, 1), (1, 200_000), (3, 200_000), (3, 1_000_000)] {
                let options = RunOptions {
                    threads: Some(threads),
                    memory: Some(memory),
                    ..RunOptions::default()
                };
                let peak = run_jobs(&input, &prepared, &Output(Arc::default()), &options).unwrap();
                let allowed = memory.max(need + 8192);
                assert!(
                    peak <= allowed,
                    "{a:?} to {b:?}, {threads} threads: {peak} of {allowed}"
                );
            }
        }
    }
}

#[test]
fn raw_chunks_pass_through_filters_that_are_not_known() {
    let mut from = layout(&[10, 10], Some(&[4, 4]), 4, Endian::Little, 0);
    let source_chunks = source(from.clone(), [3]);
    let unknown = FilterSpec {
        id: 32_999,
        optional: false,
        parameters: vec![1, 2],
        name: "odd".into(),
    };
    from.filters = vec![unknown];
    struct Opaque(Input, Source);
    impl Reader for Opaque {
        fn schema(&self) -> &Schema {
            &self.0.schema
        }
        fn layout(&self, var: VarId) -> &VariableLayout {
            self.0.layout(var)
        }
        fn stored_chunks(&self, var: VarId) -> Result<Vec<u64>> {
            self.0.stored_chunks(var)
        }
        fn stored_size(&self, _: VarId, chunk: u64) -> Result<Option<u64>> {
            Ok(Some(self.1.encoded(chunk).bytes.len() as u64))
        }
        fn read_encoded_chunk(&self, _: VarId, chunk: u64) -> Result<Option<EncodedChunk>> {
            let bytes = self.1.encoded(chunk).bytes;
            Ok(Some(EncodedChunk {
                bytes,
                filter_mask: 5,
            }))
        }
        fn read_range(&self, _: VarId, _: u64, _: &mut [u8]) -> Result<()> {
            Err(Error::Unsupported("a range of chunks".into()))
        }
        fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
            read_region(self, var, region)
        }
    }
    let mut hidden = source(layout(&[10, 10], Some(&[4, 4]), 4, Endian::Little, 0), [3]);
    hidden.layout = from.clone();
    let reader = Opaque(input(vec![hidden]), source_chunks);
    let log = Arc::new(Mutex::new(Log::default()));
    let prepared = prepare(&reader, &plan(&[from.clone()])).unwrap();
    run(
        &reader,
        &prepared,
        Box::new(Output(Arc::clone(&log))),
        &RunOptions::default(),
    )
    .unwrap();
    let log = log.lock().unwrap();
    assert_eq!(log.chunks.len(), 8);
    for (_, chunk, data) in log.chunks.values() {
        assert_eq!(data.bytes, reader.1.encoded(*chunk).bytes);
        assert_eq!(data.filter_mask, 5);
    }
    // What must be decoded says which filter it lacks, before anything is written.
    let mut other = from;
    other.storage = Storage::Chunked { shape: vec![5, 5] };
    let error = prepare(&reader, &plan(&[other])).unwrap_err().to_string();
    assert!(error.contains("v0") && error.contains("32999"), "{error}");
}

#[test]
fn the_first_failure_is_reported_whatever_the_threads() {
    for threads in [1, 2, 4] {
        let (mut input, plan) = rechunk(&[40, 60, 50], &[1, 60, 50], &[1, 30, 50]);
        input.bad = Some(17);
        let error = copy(&input, &plan, threads, 1 << 30).unwrap_err().to_string();
        assert_eq!(error, "variable v0: chunk [17, 0, 0]: damaged file: bad 17");
    }
}

#[test]
fn a_panic_becomes_an_error() {
    for chunk in [[40, 30, 50], [1, 60, 50]] {
        let (mut input, mut plan) = rechunk(&[40, 60, 50], &[1, 60, 50], &chunk);
        plan.variables[0].layout.filters.clear();
        input.bad = Some(3);
        input.panics = true;
        let error = copy(&input, &plan, 2, 300_000).unwrap_err().to_string();
        assert_eq!(error, "variable v0: internal error: asked to panic");
    }
}

#[test]
fn progress_ends_at_its_total() {
    #[derive(Default)]
    struct Count(AtomicU64, AtomicU64);
    impl Progress for Count {
        fn start(&self, total: u64) {
            self.0.store(total, Ordering::Relaxed);
        }
        fn advance(&self, bytes: u64) {
            self.1.fetch_add(bytes, Ordering::Relaxed);
        }
    }
    let from = [
        layout(&[10, 10], Some(&[3, 3]), 4, Endian::Little, 1),
        layout(&[10, 10], Some(&[3, 3]), 4, Endian::Little, 1),
        layout(&[10, 10], Some(&[3, 3]), 4, Endian::Little, 1),
        layout(&[10, 10], None, 4, Endian::Little, 0),
        layout(&[10, 10], None, 4, Endian::Little, 0),
    ];
    let to = [
        layout(&[10, 10], Some(&[3, 3]), 4, Endian::Little, 1),
        layout(&[10, 10], Some(&[3, 3]), 4, Endian::Little, 2),
        layout(&[10, 10], Some(&[10, 2]), 4, Endian::Little, 1),
        layout(&[10, 10], None, 4, Endian::Big, 0),
        layout(&[10, 10], Some(&[4, 4]), 4, Endian::Little, 1),
    ];
    let input = input(from.into_iter().map(|l| source(l, [1])).collect());
    let prepared = prepare(&input, &plan(&to)).unwrap();
    for memory in [100, 1 << 30] {
        let count = Count::default();
        let options = RunOptions {
            threads: Some(2),
            memory: Some(memory),
            progress: Some(&count),
            ..RunOptions::default()
        };
        run(&input, &prepared, Box::new(Output(Arc::default())), &options).unwrap();
        assert!(count.0.load(Ordering::Relaxed) > 0);
        assert_eq!(count.0.load(Ordering::Relaxed), count.1.load(Ordering::Relaxed));
    }
}

#[test]
fn values_are_written_as_values_or_encoded() {
    // The reader's elements must be converted; the output's are plain numbers, or have a heap.
    for structured in [false, true] {
        for contiguous in [false, true] {
            let mut from = layout(&[10, 7], Some(&[4, 4]), 4, Endian::Big, 1);
            from.encoding = Encoding::Numbers { unit: 4 };
            let mut to = layout(&[10, 7], Some(&[3, 7]), 4, Endian::Little, 1);
            if contiguous {
                to.storage = Storage::Contiguous;
                to.filters.clear();
            }
            let model = to.clone();
            if structured {
                to.encoding = Encoding::Structured;
            } else {
                from.encoding = Encoding::Structured;
            }
            let mut input = input(vec![source(from, [])]);
            if !structured {
                // read_region must still give numbers.
                input.sources[0].layout.endian = Endian::Little;
            }
            let plan = plan(&[to]);
            let prepared = prepare(&input, &plan).unwrap();
            let log = Arc::new(Mutex::new(Log::default()));
            run(
                &input,
                &prepared,
                Box::new(Output(Arc::clone(&log))),
                &RunOptions::default(),
            )
            .unwrap();
            let log = log.lock().unwrap();
            if !structured {
                check(&input.sources[0], &model, 0, &log, false);
                continue;
            }
            assert!(log.values.keys().copied().eq(0..log.values.len() as u64));
            let mut elements = 0;
            for (_, region, values) in log.values.values() {
                elements += region.element_count().unwrap();
                assert_eq!(values, &input.read_region(VarId(0), region).unwrap());
            }
            assert_eq!(elements, 70);
        }
    }
}

#[test]
fn a_variable_without_source_or_storage_is_not_written() {
    let mut from = layout(&[10], None, 4, Endian::Little, 0);
    from.allocated = false;
    let to = layout(&[10], Some(&[4]), 4, Endian::Little, 0);
    let empty = source(layout(&[10], Some(&[4]), 4, Endian::Little, 0), [0, 1, 2]);
    let input = input(vec![source(from.clone(), []), empty]);
    let mut plan = plan(&[to.clone(), from, to]);
    plan.variables[1].source = Some(VarId(1));
    plan.variables[2].source = None;
    let prepared = prepare(&input, &plan).unwrap();
    assert!(
        prepared
            .plans
            .iter()
            .all(|p| p.chunk_count == 0 && !p.layout.allocated)
    );
    let log = copy(&input, &plan, 2, 1 << 30).unwrap();
    assert!(log.chunks.is_empty() && log.ranges.is_empty());
}

#[test]
fn a_fill_pattern_goes_past_the_extent() {
    let from = layout(&[5], Some(&[4]), 4, Endian::Little, 1);
    let to = layout(&[5], Some(&[4]), 4, Endian::Big, 2);
    let input = input(vec![source(from, [])]);
    let log = copy(&input, &plan(std::slice::from_ref(&to)), 1, 1 << 30).unwrap();
    let last = &log.chunks[&1].2.bytes;
    let mut expected = vec![0; 12];
    fill_pattern(&mut expected, &[0xF3, 0xF2, 0xF1, 0xF0]);
    assert_eq!(last[4..16], expected);
}

#[test]
fn what_cannot_be_written_names_the_output() {
    struct Full;
    impl Writer for Full {
        fn write_encoded_chunk(&self, _: u64, _: VarId, _: u64, _: EncodedChunk) -> Result<()> {
            Err(Error::Unsupported("a full disk".into()))
        }
        fn write_range(&self, _: VarId, _: u64, _: &[u8]) -> Result<()> {
            Err(Error::Unsupported("a full disk".into()))
        }
        fn write_values(&self, _: u64, _: VarId, _: &Region, _: Values) -> Result<()> {
            Err(Error::Unsupported("a full disk".into()))
        }
        fn finish(self: Box<Self>) -> Result<()> {
            Ok(())
        }
    }
    for (a, b) in [
        (Some(&[4u64, 4][..]), Some(&[4u64, 4][..])),
        (Some(&[4, 4]), None),
        (Some(&[4, 4]), Some(&[3, 9])),
    ] {
        let input = input(vec![source(layout(&[10, 10], a, 4, Endian::Little, 1), [])]);
        let prepared = prepare(&input, &plan(&[layout(&[10, 10], b, 4, Endian::Little, 1)])).unwrap();
        let options = RunOptions {
            output: Some(std::path::Path::new("out.nc")),
            ..RunOptions::default()
        };
        let error = run(&input, &prepared, Box::new(Full), &options)
            .unwrap_err()
            .to_string();
        assert_eq!(error, "out.nc: variable v0: a full disk is not supported");
    }
}
