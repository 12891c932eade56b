//! Reads Zstandard's seekable format by range.
//!
//! ```text
//! seek table at the end ─► frames of a range: one request a run ─► decoded ─► cache
//! ```

use std::io;
use std::sync::Arc;

use crate::requests::fetch_pool::allocate;
use crate::requests::requests::ByteRange;
use crate::zst::seekable_zst::{SeekableZst, copy_part};
use crate::zst::zst_fetch::Fetch;
use crate::{Done, Object, Requests};

impl Object for SeekableZst {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(self.places.last().map(|place| place.1))
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let mut needed = self.frames_of(offset, buf.len())?;
        while !needed.is_empty() {
            if let Some(frame) = self.kept(needed.start) {
                copy_part(&frame, self.places[needed.start].1, offset, buf);
                needed.start += 1;
                continue;
            }
            self.check(needed.start)?;
            let run = self.run(needed.clone());
            let first = self.places[run.start].0;
            let mut stored = allocate((self.places[run.end].0 - first) as usize)?;
            self.source.read_exact_at(first, &mut stored)?;
            for number in run.clone() {
                let at = self.stored(number);
                let from = (at.offset - first) as usize;
                let frame = self.decoded(number, &stored[from..from + at.length])?;
                copy_part(&frame, self.places[number].1, offset, buf);
            }
            needed.start = run.end;
        }
        Ok(())
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.source.check_unchanged()
    }

    fn requests(&self) -> Requests {
        self.source.requests()
    }

    fn fetch(self: Arc<Self>, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
        match Fetch::new(self, ranges) {
            Ok(fetch) => fetch.go_on(done),
            Err(error) => done(Err(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::{FailedRequest, MemoryOutput, compress_seekable, open_compressed};

    fn content(length: usize) -> Vec<u8> {
        (0..length).map(|n| ((n / 300) ^ (n % 7)) as u8).collect()
    }

    fn seekable(content: &Vec<u8>, threads: usize) -> Vec<u8> {
        let output = MemoryOutput::new();
        compress_seekable(content, &output, threads).unwrap();
        output.bytes()
    }

    #[test]
    fn ranges_of_a_seekable_file() {
        for length in [0, 1, 262_144, 1_000_000] {
            let content = content(length);
            let file = seekable(&content, 1);
            assert_eq!(file, seekable(&content, 3));
            assert_eq!(::zstd::stream::decode_all(&file[..]).unwrap(), content);
            let object: Arc<dyn Object> = Arc::new(file);
            let opened = open_compressed(&object, 100).unwrap().unwrap().object;
            assert_eq!(opened.size().unwrap(), Some(length as u64));
            for at in [0, length / 3, length.saturating_sub(9)] {
                let count = (length - at).min(300_000);
                let mut found = vec![0; count];
                opened.read_exact_at(at as u64, &mut found).unwrap();
                assert_eq!(found, content[at..at + count]);
            }
            let past = opened.read_exact_at(length as u64, &mut [0]).unwrap_err();
            assert_eq!(past.kind(), io::ErrorKind::UnexpectedEof);
        }
    }

    #[test]
    fn ranges_that_are_fetched_take_one_request_a_frame_at_most() {
        let content = content(1_000_000);
        let requests = Arc::new(Counted {
            bytes: seekable(&content, 2),
            requests: AtomicUsize::new(0),
        });
        let object: Arc<dyn Object> = requests.clone();
        let opened = open_compressed(&object, 100).unwrap().unwrap().object;
        let count = || requests.requests.swap(0, Ordering::Relaxed);
        count();
        // Two neighbouring frames: one request, and none once they are kept.
        let mut found = vec![0; 300_000];
        for most in [1, 0] {
            opened.read_exact_at(100_000, &mut found).unwrap();
            assert_eq!(found, content[100_000..400_000]);
            assert_eq!(count(), most);
        }
        let range = |offset, length| ByteRange { offset, length };
        let ranges = vec![
            range(300_000, 10),
            range(999_990, 10),
            range(790_000, 5),
            range(7, 0),
        ];
        let (sender, receiver) = std::sync::mpsc::channel();
        let send = Box::new(move |read| sender.send(read).unwrap());
        opened.clone().fetch(ranges, send);
        let found = receiver.recv().unwrap().unwrap();
        assert_eq!(
            found,
            [
                &content[300_000..300_010],
                &content[999_990..],
                &content[790_000..790_005],
                &[]
            ]
        );
        assert_eq!(count(), 1, "the last frame has two of the ranges");
        let (sender, receiver) = std::sync::mpsc::channel();
        let send = Box::new(move |read| sender.send(read).unwrap());
        opened.fetch(vec![range(0, 1), range(999_999, 2)], send);
        let error = receiver.recv().unwrap().unwrap_err();
        assert_eq!(FailedRequest::split(error).0, Some(1));
    }

    /// Keeps the most bytes that were asked for at once.
    struct Largest(Vec<u8>, AtomicUsize);

    impl Object for Largest {
        fn size(&self) -> io::Result<Option<u64>> {
            self.0.size()
        }

        fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
            self.0.read_exact_at(offset, buf)
        }

        fn fetch(self: Arc<Self>, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
            let asked = ranges.iter().map(|range| range.length).sum();
            self.1.fetch_max(asked, Ordering::Relaxed);
            Arc::new(self.0.clone()).fetch(ranges, done);
        }
    }

    #[test]
    fn many_short_ranges_do_not_hold_all_their_frames() {
        let mut state = 1u32;
        let content: Vec<u8> = (0..30_000_000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            })
            .collect();
        let largest = Arc::new(Largest(seekable(&content, 2), AtomicUsize::new(0)));
        let object: Arc<dyn Object> = largest.clone();
        let opened = open_compressed(&object, 100).unwrap().unwrap().object;
        let ranges: Vec<ByteRange> = (0..100)
            .rev()
            .map(|n| ByteRange {
                offset: n * 299_999,
                length: 8,
            })
            .collect();
        let (sender, receiver) = std::sync::mpsc::channel();
        opened.fetch(ranges.clone(), Box::new(move |read| sender.send(read).unwrap()));
        for (range, found) in ranges.iter().zip(receiver.recv().unwrap().unwrap()) {
            assert_eq!(found, content[range.offset as usize..][..8]);
        }
        let most = largest.1.load(Ordering::Relaxed);
        assert!((1 << 20..=8 << 20).contains(&most), "{most} bytes at once");
    }

    struct Counted {
        bytes: Vec<u8>,
        requests: AtomicUsize,
    }

    impl Object for Counted {
        fn size(&self) -> io::Result<Option<u64>> {
            self.bytes.size()
        }

        fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
            self.requests.fetch_add(1, Ordering::Relaxed);
            self.bytes.read_exact_at(offset, buf)
        }
    }

    #[test]
    fn a_table_that_lies_is_refused() {
        let content = content(600_000);
        let file = seekable(&content, 1);
        for from_end in 1..60 {
            let mut damaged = file.clone();
            let at = file.len() - from_end;
            damaged[at] ^= 0x40;
            let object: Arc<dyn Object> = Arc::new(damaged);
            if let Ok(Some(opened)) = open_compressed(&object, 1 << 30) {
                let opened = opened.object;
                let mut found = vec![0; 600_000];
                // What can still be read is the content: frames have checksums.
                if opened.read_exact_at(0, &mut found).is_ok() {
                    assert!(found == content, "{from_end}");
                }
            }
        }
    }
}
