//! Opening a netCDF-4 file takes few requests to a source that is slow to answer.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ncutils_core::copy::plan::{CopyOptions, plan};
use ncutils_core::copy::{self, RunOptions, prepare};
use ncutils_core::filter::Registry;
use ncutils_core::format;
use ncutils_core::model::{Kind, Schema, Type, Values};
use ncutils_core::store::{ByteRange, Done, FetchPool, FileOutput, MemoryOutput, Object, Requests};

use crate::support::pooled_object::Pooled;
use crate::support::whole_variables::Dataset;

/// A source that counts requests, and how often its user waits for an answer: to one request, or to all of a batch.
struct Slow {
    bytes: Vec<u8>,
    readahead: usize,
    tells_size: bool,
    requests: AtomicU64,
    waits: AtomicU64,
}

impl Slow {
    fn new(bytes: Vec<u8>, readahead: usize, tells_size: bool) -> Arc<Self> {
        Arc::new(Self {
            bytes,
            readahead,
            tells_size,
            requests: AtomicU64::new(0),
            waits: AtomicU64::new(0),
        })
    }

    fn wait(&self, requests: usize) {
        self.requests.fetch_add(requests as u64, Ordering::Relaxed);
        self.waits.fetch_add(1, Ordering::Relaxed);
    }

    fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    fn waits(&self) -> u64 {
        self.waits.load(Ordering::Relaxed)
    }
}

impl Object for Slow {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(self.tells_size.then_some(self.bytes.len() as u64))
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.wait(1);
        Object::read_exact_at(&self.bytes, offset, buf)
    }

    fn requests(&self) -> Requests {
        Requests::slow(100, self.readahead as u64)
    }

    fn fetch(self: Arc<Self>, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
        self.wait(ranges.len());
        let read = |range: &ByteRange| {
            let mut bytes = vec![0; range.length];
            Object::read_exact_at(&self.bytes, range.offset, &mut bytes)?;
            Ok(bytes)
        };
        done(ranges.iter().map(read).collect());
    }
}

/// A file of ours with many variables, each with attributes.
fn many_variables(count: usize) -> Vec<u8> {
    let root = Schema::ROOT;
    let mut dataset = Dataset::new(Kind::Netcdf4);
    let x = dataset.dim(root, "x", 10, false);
    let y = dataset.dim(root, "y", 20, false);
    for i in 0..count {
        let var = dataset.var(
            root,
            &format!("variable_{i:04}"),
            Type::Float,
            &[y, x],
            None,
            None,
        );
        for (name, text) in [
            ("units", "K".to_owned()),
            ("long_name", format!("variable number {i}")),
        ] {
            dataset.attribute(
                var,
                name,
                Type::Char,
                text.len(),
                Values::from_bytes(text.into_bytes()),
            );
        }
    }
    let output = Arc::new(MemoryOutput::new());
    dataset.write(output.clone()).unwrap();
    output.bytes()
}

/// Opens a file, and counts what the schema has.
fn open(source: Arc<Slow>) -> Schema {
    let reader = format::open(source, &ncutils_core::filter::Registry::builtin()).unwrap();
    assert!(reader.schema().warnings.is_empty());
    reader.schema().clone()
}

#[test]
fn a_file_of_ours_opens_in_a_handful_of_requests() {
    let bytes = many_variables(5000);
    for tells_size in [true, false] {
        let source = Slow::new(bytes.clone(), 1 << 20, tells_size);
        let schema = open(source.clone());
        assert_eq!(schema.vars.len(), 5000);
        assert!(
            schema
                .vars
                .iter()
                .all(|var| var.attributes.len() == 2 && var.dims.len() == 2)
        );
        assert!(source.requests() <= 6, "{} requests", source.requests());
    }
}

/// How many structures netCDF-C's file has that a reader without readahead asks for one by one.
fn structures(bytes: &[u8]) -> u64 {
    let signatures: [&[u8; 4]; 12] = [
        b"OHDR", b"OCHK", b"TREE", b"SNOD", b"HEAP", b"BTHD", b"BTIN", b"BTLF", b"FRHP", b"FHIB", b"FHDB",
        b"GCOL",
    ];
    let found = bytes
        .windows(4)
        .filter(|bytes| signatures.iter().any(|s| bytes == s));
    found.count() as u64
}

#[test]
fn a_file_of_netcdf_c_opens_in_a_fifth_of_the_requests_that_it_has_structures() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/netcdf4/scattered.nc");
    let bytes = std::fs::read(path).unwrap();
    let structures = structures(&bytes);
    assert!(structures > 200, "{structures}");
    for readahead in [65 << 10, 1 << 20] {
        for tells_size in [true, false] {
            let source = Slow::new(bytes.clone(), readahead, tells_size);
            let schema = open(source.clone());
            assert_eq!(schema.vars.len(), 60);
            assert!(
                schema
                    .vars
                    .iter()
                    .all(|var| var.attributes.len() == 3 || var.attributes.len() == 11)
            );
            let (requests, waits) = (source.requests(), source.waits());
            assert!(
                requests * 5 <= structures,
                "{requests} requests for {structures} structures"
            );
            assert!(waits <= 12, "{waits} times waited");
        }
    }
}

#[test]
fn a_netcdf4_file_is_copied_with_many_requests_at_once() {
    let chunks: u64 = 100;
    let each: u64 = 1 << 20;
    let mut dataset = Dataset::new(Kind::Netcdf4);
    let x = dataset.dim(Schema::ROOT, "x", chunks * each, false);
    let values = Values::from_bytes((0..chunks * each).map(|n| (n >> 3) as u8).collect());
    dataset.var(Schema::ROOT, "v", Type::UByte, &[x], Some(&[each]), Some(values));
    let output = Arc::new(MemoryOutput::new());
    dataset.write(output.clone()).unwrap();
    let source = Pooled::new(output.bytes(), 100, 0);
    let reader = format::open(source.clone(), &Registry::builtin()).unwrap();
    let plan = plan(&*reader, &CopyOptions::default()).unwrap();
    let prepared = prepare(&*reader, &plan).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let copied = folder.path().join("copied.nc");
    let target = Arc::new(FileOutput::create(&copied).unwrap());
    let writer = format::create(target, &plan.schema, &prepared.plans).unwrap();
    let options = RunOptions {
        threads: Some(2),
        memory: Some(256_000_000),
        ..RunOptions::default()
    };
    source.gate.hold_until(8);
    let report = copy::run(&*reader, &prepared, writer, &options).unwrap();
    assert!(report.peak() <= options.memory.unwrap());
    let most = source.gate.most();
    assert!(most >= 8, "{most} at once");
    let asked = source.asked().len() as u64;
    assert!(asked <= chunks + 10, "{asked} requests");
    assert_eq!(
        std::fs::metadata(copied).unwrap().len(),
        output.bytes().len() as u64
    );
}

/// A source with a range that cannot be read any more once it is broken.
struct Broken {
    bytes: Vec<u8>,
    damage: std::ops::Range<u64>,
    broken: AtomicBool,
    pool: FetchPool,
}

impl Object for Broken {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.bytes.len() as u64))
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let met = offset < self.damage.end && self.damage.start < offset + buf.len() as u64;
        if met && self.broken.load(Ordering::Relaxed) {
            return Err(io::Error::other("a bad sector"));
        }
        Object::read_exact_at(&self.bytes, offset, buf)
    }

    fn requests(&self) -> Requests {
        Requests::slow(100, 1000)
    }

    fn fetch(self: Arc<Self>, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
        let this = Arc::clone(&self) as Arc<dyn Object>;
        self.pool.fetch_ranges(&this, ranges, done);
    }
}

#[test]
fn a_chunk_that_cannot_be_read_is_named_once() {
    let mut dataset = Dataset::new(Kind::Netcdf4);
    let (y, x) = (
        dataset.dim(Schema::ROOT, "y", 4, false),
        dataset.dim(Schema::ROOT, "x", 5000, false),
    );
    let values = Values::from_bytes((0..20_000u32).map(|n| 0xA0 + (n / 5000) as u8).collect());
    let chunk = Some(&[1u64, 5000][..]);
    let var = dataset.var(Schema::ROOT, "v", Type::UByte, &[y, x], chunk, Some(values));
    let output = Arc::new(MemoryOutput::new());
    dataset.write(output.clone()).unwrap();
    let bytes = output.bytes();
    let third = bytes
        .windows(100)
        .position(|bytes| *bytes == [0xA2; 100])
        .unwrap() as u64;
    let source = Arc::new(Broken {
        bytes,
        damage: third + 50..third + 51,
        broken: AtomicBool::new(false),
        pool: FetchPool::new(4),
    });
    let reader = format::open(source.clone(), &Registry::builtin()).unwrap();
    source.broken.store(true, Ordering::Relaxed);
    let (tell, told) = std::sync::mpsc::channel();
    let done = Box::new(move |found: ncutils_core::Result<_>| tell.send(found.map(|_: Vec<_>| ())).unwrap());
    reader.fetch_chunks(var, vec![3, 2, 1, 0], done);
    let fetched = told.recv().unwrap();
    let read = reader.read_encoded_chunk(var, 2).map(|_| ());
    let region = reader
        .read_region(var, &format::Region::whole(&[4, 5000]))
        .map(|_| ());
    let plan = plan(&*reader, &CopyOptions::default()).unwrap();
    let prepared = prepare(&*reader, &plan).unwrap();
    let writer = format::create(Arc::new(MemoryOutput::new()), &plan.schema, &prepared.plans).unwrap();
    let copied = copy::run(&*reader, &prepared, writer, &RunOptions::default()).map(|_| ());
    for failed in [fetched, read, region, copied] {
        let error = failed.unwrap_err().to_string();
        let cause = error
            .strip_prefix("variable v: chunk [2, 0]: ")
            .unwrap_or_else(|| panic!("{error}"));
        assert!(cause.contains("a bad sector"), "{error}");
        assert!(
            !cause.contains("variable") && !cause.contains("chunk ["),
            "{error}"
        );
    }
}
