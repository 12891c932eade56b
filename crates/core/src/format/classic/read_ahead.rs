//! Serves small consecutive reads from one larger read. A file of many scalars has a small read for each of
//! them.

use std::io;
use std::sync::Mutex;

use crate::store::Object;

/// Longest read, in bytes, that is served from a larger one. Also the longest gap between two consecutive
/// reads.
const SMALL: usize = 4 << 10;

/// Length of a larger read, in bytes.
const AHEAD: u64 = 64 << 10;

/// A buffer of bytes that were read ahead.
#[derive(Debug, Default)]
pub struct ReadAhead(Mutex<Ahead>);

#[derive(Debug, Default)]
struct Ahead {
    /// Offset of `bytes` in the source.
    start: u64,
    bytes: Vec<u8>,
    /// Offset at which the last small read ended.
    last_end: u64,
}

impl ReadAhead {
    /// Fills `buf` from byte `at` of an object of `size` bytes (`None` if unknown). Reads ahead only if this
    /// read follows the previous one. A thread that finds the buffer in use reads directly.
    ///
    /// # Errors
    /// The errors of the object.
    pub fn read(&self, source: &dyn Object, size: Option<u64>, at: u64, buf: &mut [u8]) -> io::Result<()> {
        let small = buf.len() <= SMALL;
        let Some(mut ahead) = small.then(|| self.0.try_lock().ok()).flatten() else {
            return source.read_exact_at(at, buf);
        };
        if ahead.copy(at, buf) {
            return Ok(());
        }
        let gap = at.checked_sub(ahead.last_end);
        ahead.last_end = at.saturating_add(buf.len() as u64);
        // Without a size, more bytes may not exist.
        let length = size.unwrap_or(0).saturating_sub(at).min(AHEAD);
        if gap.is_none_or(|gap| gap > SMALL as u64) || length <= buf.len() as u64 {
            return source.read_exact_at(at, buf);
        }
        // The buffer stays empty if the read fails.
        let mut bytes = std::mem::take(&mut ahead.bytes);
        bytes.resize(length as usize, 0);
        if source.read_exact_at(at, &mut bytes).is_err() {
            // What lies ahead may be damaged alone.
            return source.read_exact_at(at, buf);
        }
        buf.copy_from_slice(&bytes[..buf.len()]);
        (ahead.start, ahead.bytes) = (at, bytes);
        Ok(())
    }
}

impl Ahead {
    /// Fills `buf` from the buffer, if all bytes are there.
    fn copy(&mut self, at: u64, buf: &mut [u8]) -> bool {
        let from = at
            .checked_sub(self.start)
            .and_then(|from| usize::try_from(from).ok());
        let read = from.and_then(|from| self.bytes.get(from..from.checked_add(buf.len())?));
        if let Some(read) = read {
            buf.copy_from_slice(read);
            self.last_end = at + buf.len() as u64;
        }
        read.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts reads.
    struct Counted(Vec<u8>, AtomicUsize);

    impl Object for Counted {
        fn size(&self) -> io::Result<Option<u64>> {
            Ok(Some(self.0.len() as u64))
        }
        fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.read_exact_at(offset, buf)
        }
    }

    fn source() -> Counted {
        let bytes = (0..500_000u32).map(|n| ((n * 31) >> 3) as u8).collect();
        Counted(bytes, AtomicUsize::new(0))
    }

    /// Reads at these offsets, and returns the number of reads of the source.
    fn reads(places: impl Iterator<Item = usize>, length: usize) -> usize {
        let (source, ahead) = (source(), ReadAhead::default());
        let size = Some(source.0.len() as u64);
        for at in places {
            let mut buf = vec![0; length];
            ahead.read(&source, size, at as u64, &mut buf).unwrap();
            assert_eq!(buf, source.0[at..at + length]);
        }
        source.1.into_inner()
    }

    #[test]
    fn small_reads_that_follow_each_other_are_few_large_ones() {
        assert!(reads((1000..499_000).step_by(8), 4) < 10);
        assert!(reads((100_000..499_999).step_by(40), 1) < 10);
        assert_eq!(reads((0..490_000).step_by(5000), 9_000), 98);
        // These reads jump, so nothing more than requested is read.
        assert_eq!(reads((1..40).map(|n| 500_000 - n * 10_000), 100), 39);
    }

    #[test]
    fn the_end_is_read_as_it_is() {
        assert_eq!(reads((0..500_000).rev().step_by(50_000), 1), 10);
        let (source, ahead) = (source(), ReadAhead::default());
        for at in [499_990, 499_995, 499_999, u64::MAX] {
            let mut buf = [0; 8];
            let read = ahead.read(&source, Some(500_000), at, &mut buf);
            assert_eq!(read.is_ok(), at <= 499_992, "{at}");
        }
    }
}
