//! Archives that come from a pipe.

use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::format::CheckLimits;
use crate::store::ArrivingSource;

/// A pipe of bytes, in pieces of at most 1000.
struct Pipe(std::io::Cursor<Vec<u8>>, Arc<AtomicU64>);

impl Read for Pipe {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let count = buf.len().min(1000);
        let count = self.0.read(&mut buf[..count])?;
        self.1.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// An output that knows how much of the pipe was read when its first megabyte came.
struct Watched(MemoryOutput, Arc<AtomicU64>, AtomicU64);

impl crate::store::Output for Watched {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> std::io::Result<()> {
        self.2
            .fetch_min(self.1.load(Ordering::Relaxed), Ordering::Relaxed);
        self.0.write_all_at(offset, data)
    }

    fn set_size(&self, size: u64) -> std::io::Result<()> {
        self.0.set_size(size)
    }

    fn commit(&self) -> std::io::Result<()> {
        self.0.commit()
    }

    fn read_back_at(&self, offset: u64, buf: &mut [u8]) -> std::io::Result<()> {
        self.0.read_back_at(offset, buf)
    }
}

#[test]
fn blocks_pass_as_they_come() {
    let head = header(1, 0, &[6_000_000], &[variable(1, &[0], 400)]);
    let mut original = file(head, 400);
    let mut state = 1u32;
    original.extend((0..6_000_000).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    }));
    let archive = archive_of(&original, &PackOptions::default());
    let folder = tempfile::tempdir().unwrap();
    let pipe = || {
        let read = Arc::new(AtomicU64::new(0));
        let input = Box::new(Pipe(std::io::Cursor::new(archive.clone()), read.clone()));
        // The folder does not exist, so what is kept of the pipe would fail.
        let pipe = ArrivingSource::new(input, 100_000, folder.path().join("none"));
        let source: Arc<dyn Object> = Arc::new(pipe);
        (source, read)
    };
    let (source, read) = pipe();
    let output = Watched(MemoryOutput::new(), read, AtomicU64::new(u64::MAX));
    repack(&source, &output, &[], 2, None).unwrap();
    assert!(output.0.bytes() == archive);
    assert!(output.2.into_inner() < 2 << 20, "the pipe was kept first");

    let output = MemoryOutput::new();
    restore_object(&pipe().0, &output, 2, None).unwrap();
    assert!(output.bytes() == original);
    let (findings, read) = crate::format::archive::check(&pipe().0, CheckLimits::ONE_THREAD).unwrap();
    assert_eq!((findings, read.chunks), (vec![], 24));

    let change = Change {
        length: Some(1000),
        filters: None,
    };
    let error = repack(&pipe().0, &MemoryOutput::new(), &[change], 2, None).unwrap_err();
    assert!(error.to_string().contains("temporary file"), "{error}");
}
