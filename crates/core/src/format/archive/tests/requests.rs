//! The requests that an archive makes of its store.

use std::io;
use std::sync::{Arc, Mutex};

use super::*;
use crate::format::archive::random_access::reader::ArchiveReader;
use crate::format::{Fetcher, Reader, Region};
use crate::model::VarId;
use crate::store::{ByteRange, Done, Requests};

/// An object that keeps the ranges that were read.
struct Counted {
    bytes: Vec<u8>,
    asked: Mutex<Vec<(u64, usize)>>,
    /// Number of calls that asked for many ranges.
    fetched: Mutex<usize>,
}

impl Object for Counted {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.bytes.len() as u64))
    }

    fn requests(&self) -> Requests {
        Requests::slow(8, 1 << 16)
    }

    fn fetch(self: Arc<Self>, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
        *self.fetched.lock().unwrap() += 1;
        let read = |range: &ByteRange| {
            let mut bytes = vec![0; range.length];
            self.read_exact_at(range.offset, &mut bytes).map(|()| bytes)
        };
        done(ranges.iter().map(read).collect());
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.asked.lock().unwrap().push((offset, buf.len()));
        self.bytes.read_exact_at(offset, buf)
    }
}

#[test]
fn two_requests_open_and_one_reads_a_run() {
    // 40 records of 200 KB: noise, so that blocks stay as long as they are.
    let head = header(
        2,
        40,
        &[0, 100, 500],
        &[variable(5, &[0, 1, 2], 500), variable(6, &[0], 200_500)],
    );
    let mut original = file(head, 500);
    let mut state = 1u32;
    original.extend((0..40 * 200_008).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    }));
    let options = PackOptions {
        threads: 2,
        ..PackOptions::default()
    };
    let source = Arc::new(Counted {
        bytes: archive_of(&original, &options),
        asked: Mutex::default(),
        fetched: Mutex::default(),
    });
    let size = source.bytes.len() as u64;
    let reader = ArchiveReader::open(source.clone()).unwrap();
    let asked = || std::mem::take(&mut *source.asked.lock().unwrap());
    assert_eq!(asked(), [(0, 65_536), (size - 65_536, 65_536)]);

    // A record touches the blocks that it lies in, which are neighbours.
    let record = Region {
        start: vec![10, 0, 0],
        count: vec![1, 100, 500],
    };
    reader.read_region(VarId(0), &record).unwrap();
    let asked_for_record = asked();
    assert_eq!(asked_for_record.len(), 1, "{asked_for_record:?}");
    let bytes: usize = asked_for_record.iter().map(|(_, length)| length).sum();
    assert!(bytes <= 2 * (DEFAULT_BLOCK as usize + 40), "{bytes}");
    // Its blocks are kept.
    reader.read_region(VarId(0), &record).unwrap();
    assert_eq!(asked(), []);

    // One point through all times: each block once.
    let point = Region {
        start: vec![0, 50, 250],
        count: vec![40, 1, 1],
    };
    let values = reader.read_region(VarId(0), &point).unwrap();
    assert_eq!(values.bytes.len(), 160);
    assert!(asked().len() <= 8_000_000 / DEFAULT_BLOCK as usize + 1);
    reader.read_region(VarId(0), &point).unwrap();
    assert_eq!(asked(), []);

    // Many ranges: one call, each block once, and the bytes are those of the ranges.
    let fresh = ArchiveReader::open(source.clone()).unwrap();
    asked();
    let ranges: Vec<ByteRange> = (0..30)
        .map(|n| ByteRange {
            offset: n * 200_000 + 1_000_000,
            length: 150_000,
        })
        .collect();
    *source.fetched.lock().unwrap() = 0;
    let found = Arc::new(Mutex::new(None));
    let tell = found.clone();
    fresh.fetch_ranges(
        VarId(0),
        ranges.clone(),
        Box::new(move |fetched| *tell.lock().unwrap() = Some(fetched)),
    );
    assert_eq!(*source.fetched.lock().unwrap(), 1);
    let mut blocks = asked();
    let count = blocks.len();
    blocks.sort_unstable();
    blocks.dedup();
    assert_eq!(blocks.len(), count, "a block was read twice");
    let found = found.lock().unwrap().take().unwrap().unwrap();
    for (range, found) in ranges.iter().zip(found) {
        let mut expected = vec![0; range.length];
        fresh.read_range(VarId(0), range.offset, &mut expected).unwrap();
        assert!(found == expected, "{range:?}");
    }
}

#[test]
fn packing_reads_records_once_with_any_number_of_threads() {
    let head = header(
        2,
        40,
        &[0, 100, 500],
        &[variable(5, &[0, 1, 2], 500), variable(6, &[0], 200_500)],
    );
    let mut original = file(head, 500);
    original.extend((0..40 * 200_008u32).map(|n| (n % 251) as u8));
    let size = original.len();
    let source = Counted {
        bytes: original,
        asked: Mutex::default(),
        fetched: Mutex::default(),
    };
    for threads in [1, 2, 7] {
        let mut blocks = PackOptions {
            threads,
            ..PackOptions::default()
        };
        // Filters that are chosen read samples.
        blocks.rest.filters = Some(Filters::default());
        blocks.variables = vec![blocks.rest.clone(); 2];
        pack(&source, &MemoryOutput::new(), &blocks).unwrap();
        let asked = std::mem::take(&mut *source.asked.lock().unwrap());
        let read: usize = asked.iter().map(|(_, length)| length).sum();
        assert!(
            read < size + size / 8,
            "{threads} threads read {read} of {size} bytes"
        );
    }
}
