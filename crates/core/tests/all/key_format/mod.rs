//! A format that lives outside the crate: chunks, shards and metadata under the keys of a store. The engine, the reader of
//! CDL and the printer of CDL run on it unchanged.
//!
//! ```text
//! dataset.json      metadata (metadata.rs)
//! VARIABLE/c/N      chunk N                                       ┐
//! VARIABLE/s/N      shard N: its chunks, then where each begins   ┴ reader.rs, writer.rs
//! ```

mod metadata;
mod reader;
mod slow_keys;
mod transpose;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ncutils_core::cdl::read::{CdlReader, PlanOptions, Text, declare, plan as plan_of_text};
use ncutils_core::chunk::Selection;
use ncutils_core::copy::plan::{CopyOptions, plan};
use ncutils_core::copy::{self, CopyPlan, RunOptions, SourcePart, Sources, prepare};
use ncutils_core::filter::{Registry, spec::filter_argument};
use ncutils_core::format::{self, Reader};
use ncutils_core::model::{CodecSpec, Configuration, EdgeChunks, Kind, VarId, VariableLayout, ZarrVersion};
use ncutils_core::print::{DataOf, DumpOptions, cdl};
use ncutils_core::store::FolderCheck;
use ncutils_core::store::{
    DirectoryKeys, DirectoryOutput, GetRange, KeyOutput, KeyStore, MemoryKeys, MemoryOutput, ZipKeys,
    ZipOutput,
};

use metadata::{CAN, METADATA, in_chunks};
use reader::KeyReader;
use slow_keys::SlowKeys;
use writer::KeyWriter;

fn registry() -> Registry {
    let mut registry = Registry::builtin();
    registry.add(Arc::new(transpose::Reverse));
    registry
}

fn testdata(name: &str) -> Box<dyn Reader> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata")
        .join(name);
    let bytes = std::fs::read(path).unwrap();
    format::open(Arc::new(bytes), &registry()).unwrap()
}

fn text(reader: &dyn Reader) -> String {
    let mut out = Vec::new();
    let options = DumpOptions {
        data: DataOf::All,
        ..DumpOptions::default()
    };
    cdl::dump(reader, "x", &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// A plan to copy to the format: `chunk` elements in each dimension of a chunk, `shard` chunks in each of a shard.
fn to_keys(reader: &dyn Reader, chunk: u64, shard: Option<u64>, edges: EdgeChunks) -> CopyPlan {
    let options = CopyOptions {
        kind: Some(Kind::Other(&CAN)),
        registry: registry(),
        ..CopyOptions::default()
    };
    let mut plan = plan(reader, &options).unwrap();
    for copy in &mut plan.variables {
        let layout = &mut copy.layout;
        if chunk > 0 {
            *layout = VariableLayout::clone(layout)
                .in_chunks(vec![chunk; layout.extent.len()])
                .into();
        }
        in_chunks(layout);
        layout.shard = shard.map(|n| layout.chunk_shape().iter().map(|c| c * n).collect());
        layout.edges = edges;
        let level = Configuration::from_iter([("level".to_owned(), 1.into())]);
        layout.filters = vec![
            CodecSpec::zarr(ZarrVersion::V3, transpose::NAME, Configuration::default()),
            CodecSpec::zarr(ZarrVersion::V3, "numcodecs.zlib", level),
        ];
    }
    plan
}

fn copy_to_keys(reader: &dyn Reader, plan: &CopyPlan, threads: usize) -> MemoryKeys {
    let keys = MemoryKeys::new();
    let prepared = prepare(reader, plan).unwrap();
    let writer = KeyWriter::create(Arc::new(keys.output()), &plan.schema, &prepared.plans).unwrap();
    copy::run(reader, &prepared, Box::new(writer), &run_options(threads)).unwrap();
    keys
}

fn run_options(threads: usize) -> RunOptions<'static> {
    RunOptions {
        threads: Some(threads),
        ..RunOptions::default()
    }
}

fn copy_to_file(reader: &dyn Reader, kind: Kind) -> Vec<u8> {
    let options = CopyOptions {
        kind: Some(kind),
        registry: registry(),
        // The codecs of the test format have no HDF5 form.
        filters: vec![filter_argument::parse("*,none").unwrap()],
        ..CopyOptions::default()
    };
    let plan = plan(reader, &options).unwrap();
    let prepared = prepare(reader, &plan).unwrap();
    let output = Arc::new(MemoryOutput::new());
    let writer = format::create(output.clone(), &plan.schema, &prepared.plans).unwrap();
    copy::run(reader, &prepared, writer, &run_options(2)).unwrap();
    output.bytes()
}

fn open(keys: &MemoryKeys) -> KeyReader {
    KeyReader::open(Arc::new(keys.clone()), &registry()).unwrap()
}

fn contents(store: &dyn KeyStore) -> Vec<(String, Vec<u8>)> {
    let keys = store.list("").unwrap();
    keys.into_iter()
        .map(|key| (key.clone(), store.get(&key, GetRange::Whole).unwrap().unwrap()))
        .collect()
}

#[test]
fn copies_both_ways_keep_every_value() {
    for name in ["sample.nc", "classic/cdf1.nc"] {
        let input = testdata(name);
        let expected = text(&*input);
        for (chunk, shard, edges) in [
            (0, None, EdgeChunks::Full),
            (7, None, EdgeChunks::Clipped),
            (5, Some(2), EdgeChunks::Full),
            (4, Some(3), EdgeChunks::Clipped),
        ] {
            let plan = to_keys(&*input, chunk, shard, edges);
            let keys = copy_to_keys(&*input, &plan, 1);
            assert_eq!(
                contents(&keys),
                contents(&copy_to_keys(&*input, &plan, 4)),
                "threads change nothing"
            );
            let stored = open(&keys);
            assert_eq!(
                text(&stored),
                expected,
                "{name} in chunks of {chunk}, shards of {shard:?}"
            );
            let back = copy_to_file(&stored, input.schema().kind);
            assert_eq!(
                text(&*format::open(Arc::new(back), &registry()).unwrap()),
                expected
            );
        }
    }
}

#[test]
fn shards_and_chunks_change_between_stores_and_encoded_chunks_pass() {
    let input = testdata("sample.nc");
    let first = open(&copy_to_keys(
        &*input,
        &to_keys(&*input, 5, Some(2), EdgeChunks::Full),
        2,
    ));
    // Other shards: the chunks pass as they are.
    let other = open(&copy_to_keys(
        &first,
        &to_keys(&first, 5, Some(3), EdgeChunks::Full),
        4,
    ));
    assert_eq!(text(&other), text(&*input));
    for var in (0..input.schema().vars.len()).map(VarId) {
        assert_eq!(first.written(var).unwrap(), other.written(var).unwrap());
        let chunk = |reader: &dyn Reader| reader.read_encoded_chunk(var, 0).unwrap();
        assert_eq!(chunk(&first), chunk(&other));
    }
    // Other chunks, and no shards.
    let rechunked = open(&copy_to_keys(
        &other,
        &to_keys(&other, 8, None, EdgeChunks::Clipped),
        4,
    ));
    assert_eq!(text(&rechunked), text(&*input));
}

#[test]
fn a_zip_has_the_same_bytes_whatever_the_threads() {
    let input = testdata("sample.nc");
    for shard in [None, Some(2)] {
        let plan = to_keys(&*input, 3, shard, EdgeChunks::Full);
        let zipped = |threads| {
            let memory = Arc::new(MemoryOutput::new());
            let zip = Arc::new(ZipOutput::create(memory.clone(), None).unwrap());
            let prepared = prepare(&*input, &plan).unwrap();
            let writer = KeyWriter::create(zip, &plan.schema, &prepared.plans).unwrap();
            copy::run(&*input, &prepared, Box::new(writer), &run_options(threads)).unwrap();
            memory.bytes()
        };
        let bytes = zipped(1);
        assert!((2..5).all(|threads| zipped(threads) == bytes));
        let keys = Arc::new(ZipKeys::open(Arc::new(bytes)).unwrap());
        let stored = KeyReader::open(keys, &registry()).unwrap();
        assert_eq!(text(&stored), text(&*input));
    }
}

#[test]
fn chunks_of_fill_are_left_out_on_demand() {
    let input = testdata("sample.nc");
    let mut plan = to_keys(&*input, 2, Some(2), EdgeChunks::Clipped);
    let stored = |plan: &CopyPlan| {
        let keys = copy_to_keys(&*input, plan, 4);
        assert_eq!(contents(&keys), contents(&copy_to_keys(&*input, plan, 1)));
        open(&keys)
    };
    let count = |reader: &KeyReader| -> u64 {
        let chunks = |(n, layout): (usize, &VariableLayout)| {
            let grid = metadata::grids(layout).unwrap().1;
            reader.written(VarId(n)).unwrap().chunks(&grid).len()
        };
        (0..reader.schema().vars.len())
            .map(|n| chunks((n, reader.layout(VarId(n)))))
            .sum()
    };
    // One chunk holds nothing but what the variable is filled with.
    for copy in &mut plan.variables {
        if let Sources::Whole(var) = copy.sources {
            let first = format::Region {
                start: vec![0; copy.layout.extent.len()],
                count: vec![1; copy.layout.extent.len()],
            };
            copy.layout.fill.value = Some(input.read_region(var, &first).unwrap());
        }
    }
    let all = stored(&plan);
    plan.variables.iter_mut().for_each(|copy| copy.skips_fill = true);
    let some = stored(&plan);
    assert!(count(&some) < count(&all), "{} {}", count(&some), count(&all));
    assert_eq!(text(&some), text(&all));
}

#[test]
fn a_slice_reads_what_it_meets() {
    let input = testdata("sample.nc");
    let keys = copy_to_keys(&*input, &to_keys(&*input, 5, None, EdgeChunks::Full), 2);
    let slow = Arc::new(SlowKeys::new(keys, 8));
    let stored = KeyReader::open(slow.clone(), &registry()).unwrap();
    let var = stored.schema().var_at("temp").unwrap();
    let mut plan = to_keys(&stored, 5, None, EdgeChunks::Full);
    let rank = stored.layout(var).extent.len();
    for (n, copy) in plan.variables.iter_mut().enumerate() {
        copy.sources = Sources::Nothing;
        if VarId(n) == var {
            let mut selection = vec![
                vec![0; rank],
                vec![1; rank],
                copy.layout.extent.clone(),
                vec![0; rank],
            ];
            // Rows 5 to 9 of the second dimension, at the beginning.
            selection[0][1] = 5;
            selection[2][1] = 5;
            let [start, stride, count, at] = selection.try_into().unwrap();
            let selection = Selection::new(start, stride, count, at).unwrap();
            copy.sources = Sources::Parts(vec![SourcePart::new(var, selection)]);
        }
    }
    let before = slow.requests.load(Ordering::SeqCst);
    let slice = open(&copy_to_keys(&stored, &plan, 2));
    let met = slice
        .written(var)
        .unwrap()
        .chunks(&metadata::grids(slice.layout(var)).unwrap().1)
        .len();
    let asked = slow.requests.load(Ordering::SeqCst) - before;
    assert!(asked as u64 <= met + 2, "{asked} requests for {met} chunks");
    let region = |first| format::Region {
        start: (0..rank).map(|d| if d == 1 { first } else { 0 }).collect(),
        count: stored
            .layout(var)
            .extent
            .iter()
            .enumerate()
            .map(|(d, n)| if d == 1 { 5 } else { *n })
            .collect(),
    };
    assert_eq!(
        slice.read_region(var, &region(0)).unwrap(),
        stored.read_region(var, &region(5)).unwrap()
    );
}

#[test]
fn ncgen_writes_it() {
    let cdl = "netcdf x {\ndimensions:\n\tt = UNLIMITED ;\n\tx = 3 ;\nvariables:\n\tint v(t, x) ;\n\t\tv:units = \"m\" ;\n\
               \tdouble s ;\ndata:\n v = 1, 2, 3, 4, 5, _ ;\n s = 2.5 ;\n}\n";
    let source = Text::new(Arc::new(cdl.as_bytes().to_vec()), "x.cdl").unwrap();
    let reader = CdlReader::new(source.clone(), declare(&source).unwrap()).unwrap();
    let options = PlanOptions {
        kind: Kind::Other(&CAN),
        no_fill: false,
        header_only: false,
        string_length: None,
    };
    let mut plan = plan_of_text(&reader, reader.storages(), options, &registry()).unwrap();
    plan.variables
        .iter_mut()
        .for_each(|copy| in_chunks(&mut copy.layout));
    let keys = copy_to_keys(&reader, &plan, 2);
    let expected = "netcdf x {\ndimensions:\n\tt = UNLIMITED ; // (2 currently)\n\tx = 3 ;\nvariables:\n\tint v(t, x) ;\n\
                    \t\tv:units = \"m\" ;\n\tdouble s ;\ndata:\n\n v =\n  1, 2, 3,\n  4, 5, _ ;\n\n s = 2.5 ;\n}\n";
    assert_eq!(text(&open(&keys)), expected);
}

fn any_folder() -> FolderCheck {
    Arc::new(|_| Ok(()))
}

/// Three processes: two write a part each, the third publishes.
#[test]
fn parts_of_two_processes_are_published_by_a_third() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.keys");
    let input = testdata("sample.nc");
    let plan = to_keys(&*input, 5, Some(2), EdgeChunks::Full);
    let prepared = prepare(&*input, &plan).unwrap();
    let stage = folder.path().join("stage");
    DirectoryOutput::create_shared(&target, &stage, &any_folder()).unwrap();
    let begun = DirectoryOutput::join_shared(&target, &stage, any_folder()).unwrap();
    writer::begin(&begun, &plan.schema, &prepared.plans).unwrap();
    let child = |what: &str| {
        let done = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "key_format::one_process", "--nocapture"])
            .env("KEY_FORMAT_TARGET", &target)
            .env("KEY_FORMAT_STAGE", &stage)
            .env("KEY_FORMAT_DO", what)
            .status()
            .unwrap();
        assert!(done.success());
    };
    child("1");
    assert!(!target.exists(), "nothing is seen before it is published");
    child("0");
    assert!(!target.exists());
    child("publish");
    let published = DirectoryKeys::open(&target).unwrap();
    let whole = copy_to_keys(&*input, &plan, 2);
    assert_eq!(
        contents(&published),
        contents(&whole),
        "the same as of one process"
    );
}

/// What a process of the test above does.
#[test]
fn one_process() {
    let Ok(what) = std::env::var("KEY_FORMAT_DO") else {
        return;
    };
    let path = |name| PathBuf::from(std::env::var_os(name).unwrap());
    let (target, stage) = (path("KEY_FORMAT_TARGET"), path("KEY_FORMAT_STAGE"));
    let output = DirectoryOutput::join_shared(&target, &stage, any_folder()).unwrap();
    if what == "publish" {
        return output.publish().unwrap();
    }
    let input = testdata("sample.nc");
    let plan = to_keys(&*input, 5, Some(2), EdgeChunks::Full);
    let part = prepare(&*input, &plan)
        .unwrap()
        .into_share(what.parse().unwrap(), 2)
        .unwrap();
    let writer = KeyWriter::part(Arc::new(output), &plan.schema, &part.plans).unwrap();
    copy::run(&*input, &part, Box::new(writer), &run_options(2)).unwrap();
}

/// Values that nobody stored: as many chunks as are asked for, each of the same bytes.
struct Endless(Vec<u8>, u64, Vec<u8>);

impl KeyStore for Endless {
    fn get(&self, key: &str, _: GetRange) -> std::io::Result<Option<Vec<u8>>> {
        Ok(Some(if key == METADATA {
            self.0.clone()
        } else {
            self.2.clone()
        }))
    }
    fn size(&self, _: &str) -> std::io::Result<Option<u64>> {
        Ok(None)
    }
    fn list(&self, prefix: &str) -> std::io::Result<Vec<String>> {
        Ok((0..self.1).map(|n| format!("{prefix}{n}")).collect())
    }
}

/// Counts the chunks that it is given.
struct Sink(Arc<AtomicUsize>);

impl format::Writer for Sink {
    fn write_encoded_chunk(
        &self,
        _: u64,
        _: VarId,
        _: u64,
        _: format::EncodedChunk,
    ) -> ncutils_core::Result<()> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
    fn write_range(&self, _: VarId, _: u64, _: &[u8]) -> ncutils_core::Result<()> {
        Ok(())
    }
    fn write_values(
        &self,
        _: u64,
        _: VarId,
        _: &format::Region,
        _: ncutils_core::model::Values,
    ) -> ncutils_core::Result<()> {
        Ok(())
    }
    fn finish(self: Box<Self>) -> ncutils_core::Result<()> {
        Ok(())
    }
}

#[test]
fn many_requests_are_under_way_at_once() {
    let chunks: u64 = 100;
    let length = chunks << 17;
    let document = serde_json::json!({
        "dims": [["x", length, false]],
        "variables": [{"name": "v", "type": "double", "dims": [0], "extent": [length], "chunk": [1 << 17], "big": false}],
    });
    let store = Endless(document.to_string().into_bytes(), chunks, vec![1; 1 << 20]);
    let slow = Arc::new(SlowKeys::new(store, 100));
    let reader = KeyReader::open(slow.clone(), &registry()).unwrap();
    let mut plan = to_keys(&reader, 0, None, EdgeChunks::Full);
    for codecs in [false, true] {
        plan.variables[0].layout.filters.truncate(usize::from(codecs));
        let prepared = prepare(&reader, &plan).unwrap();
        let options = RunOptions {
            memory: Some(256_000_000),
            ..run_options(2)
        };
        let written = Arc::new(AtomicUsize::new(0));
        slow.gate.most();
        slow.gate.hold_until(40);
        copy::run(&reader, &prepared, Box::new(Sink(written.clone())), &options).unwrap();
        assert_eq!(written.load(Ordering::SeqCst) as u64, chunks);
        let most = slow.gate.most();
        assert!(most >= 40, "{most} at once, codecs: {codecs}");
        plan = to_keys(&reader, 0, None, EdgeChunks::Full);
    }
}
