//! Opening a netCDF-4 file takes few requests to a source that is slow to answer.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ncutils_core::format;
use ncutils_core::model::{Kind, Schema, Type, Values};
use ncutils_core::store::{ByteRange, Done, MemoryOutput, Object, Requests};

#[path = "support/whole_variables.rs"]
mod whole_variables;

use whole_variables::Dataset;

/// How long a request takes.
const LATENCY: Duration = Duration::from_millis(2);

/// A source that counts requests, and answers each, or all of a batch, after a while.
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
        std::thread::sleep(LATENCY);
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
