//! [`ArrivingSource`]: a pipe that is read as far as it is asked for.
//!
//! ```text
//! pipe ─► as far as needed ─► SpooledSource ─► read_exact_at
//! ```

use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::object_stream;
use crate::{Object, SpooledSource};
use ncutils_model::error::Result;

/// A pipe. What was read of it stays readable.
pub struct ArrivingSource {
    state: Mutex<Arriving>,
    /// All of it, once its end was reached.
    whole: OnceLock<SpooledSource>,
}

struct Arriving {
    /// `None` once the end was reached.
    input: Option<Box<dyn Read + Send>>,
    spooled: SpooledSource,
    memory: u64,
    folder: PathBuf,
}

impl ArrivingSource {
    /// A pipe of which nothing is read yet. About `memory` bytes will stay in memory, and the rest goes to a file without a name
    /// in `folder`.
    pub fn new(input: Box<dyn Read + Send>, memory: u64, folder: PathBuf) -> Self {
        let state = Arriving {
            input: Some(input),
            spooled: SpooledSource::default(),
            memory,
            folder,
        };
        Self {
            state: Mutex::new(state),
            whole: OnceLock::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Arriving> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads to a position, or to the end. Keeps all bytes once the end was reached.
    fn read_to(&self, state: &mut Arriving, end: u64) -> io::Result<()> {
        state.read_to(end).map_err(|e| io::Error::other(e.to_string()))?;
        if state.input.is_none() && self.whole.get().is_none() {
            let _ = self.whole.set(std::mem::take(&mut state.spooled));
        }
        Ok(())
    }
}

impl Arriving {
    fn read_to(&mut self, end: u64) -> Result<()> {
        while let Some(input) = &mut self.input {
            if self.spooled.len() >= end {
                break;
            }
            if !self.spooled.add(input, self.memory, &self.folder)? {
                self.input = None;
            }
        }
        Ok(())
    }
}

impl Object for ArrivingSource {
    /// `None` as long as the end was not read.
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(self.whole.get().map(SpooledSource::len))
    }

    fn end(&self) -> io::Result<Option<u64>> {
        self.read_to(&mut self.lock(), u64::MAX)?;
        self.size()
    }

    fn take_stream(&self) -> Option<Box<dyn Read + Send>> {
        let mut state = self.lock();
        let input = state.input.take()?;
        let begun = Arc::new(std::mem::take(&mut state.spooled));
        let _ = self.whole.set(SpooledSource::default());
        Some(Box::new(object_stream(begun).ok()?.chain(input)))
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        if let Some(whole) = self.whole.get() {
            return whole.read_exact_at(offset, buf);
        }
        let end = offset
            .checked_add(buf.len() as u64)
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        let mut state = self.lock();
        self.read_to(&mut state, end)?;
        match self.whole.get() {
            Some(whole) => whole.read_exact_at(offset, buf),
            None => state.spooled.read_exact_at(offset, buf),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// A pipe that gives few bytes at a time, and counts them.
    struct Slow(usize, Arc<AtomicUsize>);

    impl Read for Slow {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let count = buf.len().min(100).min(self.0);
            for byte in &mut buf[..count] {
                *byte = (self.0 % 251) as u8;
                self.0 -= 1;
            }
            self.1.fetch_add(count, Ordering::Relaxed);
            Ok(count)
        }
    }

    #[test]
    fn what_is_taken_comes_from_the_beginning() {
        let all: Vec<u8> = (1..=300_000usize).rev().map(|n| (n % 251) as u8).collect();
        let read = Arc::new(AtomicUsize::new(0));
        let input = Box::new(Slow(all.len(), Arc::clone(&read)));
        let folder = tempfile::tempdir().unwrap();
        let pipe = ArrivingSource::new(input, 1000, folder.path().to_owned());
        pipe.read_exact_at(5000, &mut [0; 10]).unwrap();
        let mut taken = pipe.take_stream().unwrap();
        assert_eq!(read.load(Ordering::Relaxed), 5100);
        let mut found = Vec::new();
        taken.read_to_end(&mut found).unwrap();
        assert!(found == all);
        assert!(pipe.take_stream().is_none());
        assert!(pipe.read_exact_at(0, &mut [0; 10]).is_err());
    }

    #[test]
    fn no_more_is_read_than_was_asked_for() {
        let all: Vec<u8> = (1..=3_000_000usize).rev().map(|n| (n % 251) as u8).collect();
        for memory in [0, 1 << 20, 1 << 30] {
            let folder = tempfile::tempdir().unwrap();
            let read = Arc::new(AtomicUsize::new(0));
            let input = Box::new(Slow(all.len(), Arc::clone(&read)));
            let pipe = ArrivingSource::new(input, memory, folder.path().to_owned());
            let mut found = vec![0; 250];
            pipe.read_exact_at(10, &mut found).unwrap();
            assert_eq!(found, &all[10..260]);
            assert_eq!(read.load(Ordering::Relaxed), 300);
            assert_eq!(pipe.size().unwrap(), None);
            pipe.read_exact_at(1_500_000, &mut found).unwrap();
            assert_eq!(found, &all[1_500_000..1_500_250]);
            pipe.read_exact_at(5, &mut found).unwrap();
            assert_eq!(found, &all[5..255]);
            let past = pipe.read_exact_at(2_999_900, &mut found).unwrap_err();
            assert_eq!(past.kind(), io::ErrorKind::UnexpectedEof);
            assert_eq!(pipe.size().unwrap(), Some(3_000_000));
            assert_eq!(pipe.end().unwrap(), Some(3_000_000));
            let mut found = vec![0; all.len()];
            pipe.read_exact_at(0, &mut found).unwrap();
            assert!(found == all);
        }
    }
}
