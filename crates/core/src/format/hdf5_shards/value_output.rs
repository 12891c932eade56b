//! A value of a store of keys as an output.

use std::io;
use std::sync::{Mutex, PoisonError, RwLock};

use crate::store::{Output, ValueWriter};

/// A value of a store of keys that a file is written to.
pub struct ValueOutput {
    /// `None` once it is complete.
    value: RwLock<Option<Box<dyn ValueWriter>>>,
    /// The ranges written so far that do not follow one another, ascending.
    written: Mutex<Vec<(u64, u64)>>,
}

impl ValueOutput {
    /// An output to a value.
    pub fn new(value: Box<dyn ValueWriter>) -> Self {
        Self {
            value: RwLock::new(Some(value)),
            written: Mutex::default(),
        }
    }

    fn with<T>(&self, act: impl FnOnce(&dyn ValueWriter) -> io::Result<T>) -> io::Result<T> {
        let value = self.value.read().unwrap_or_else(PoisonError::into_inner);
        act(&**value
            .as_ref()
            .ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected))?)
    }

    fn note(&self, start: u64, end: u64) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let at = written.partition_point(|range| range.0 < start);
        written.insert(at, (start, end));
        if written.get(at + 1).is_some_and(|next| next.0 == end) {
            written[at].1 = written[at + 1].1;
            written.remove(at + 1);
        }
        if at > 0 && written[at - 1].1 == start {
            written[at - 1].1 = written[at].1;
            written.remove(at);
        }
    }
}

impl Output for ValueOutput {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if data.is_empty() {
            return Ok(());
        }
        self.note(offset, offset + data.len() as u64);
        self.with(|value| value.write_at(offset, data))
    }

    /// Writes zeros where nothing was written, as a value must get every byte. Only the superblock may follow.
    fn set_size(&self, size: u64) -> io::Result<()> {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let ends = written.iter().map(|range| range.1);
        let starts = written.iter().skip(1).map(|range| range.0).chain([size]);
        let gaps: Vec<_> = ends.zip(starts).filter(|(end, start)| end < start).collect();
        drop(written);
        self.with(|value| {
            for (mut at, end) in gaps {
                while at < end {
                    let zeros = vec![0; (end - at).min(PIECE) as usize];
                    value.write_at(at, &zeros)?;
                    at += zeros.len() as u64;
                }
            }
            value.set_size(size)
        })
    }

    fn commit(&self) -> io::Result<()> {
        let value = self.value.write().unwrap_or_else(PoisonError::into_inner).take();
        match value {
            Some(value) => value.finish(),
            None => Ok(()),
        }
    }
}

/// Bytes of zeros that are written at once.
const PIECE: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[derive(Default)]
    struct Bytes(Arc<Mutex<Vec<u8>>>);

    impl ValueWriter for Bytes {
        fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
            let mut all = self.0.lock().unwrap();
            let end = offset as usize + bytes.len();
            if all.len() < end {
                all.resize(end, b'?');
            }
            all[offset as usize..end].copy_from_slice(bytes);
            Ok(())
        }

        fn set_size(&self, size: u64) -> io::Result<()> {
            self.0.lock().unwrap().resize(size as usize, b'!');
            Ok(())
        }

        fn finish(self: Box<Self>) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn gaps_become_zeros() {
        let all = Arc::default();
        let output = ValueOutput::new(Box::new(Bytes(Arc::clone(&all))));
        for (at, bytes) in [(10, &b"cd"[..]), (2, b"a"), (3, b"b"), (12, b"e"), (4, b"")] {
            output.write_all_at(at, bytes).unwrap();
        }
        output.set_size(15).unwrap();
        output.write_all_at(0, b"SB").unwrap();
        output.commit().unwrap();
        assert_eq!(&*all.lock().unwrap(), b"SBab\0\0\0\0\0\0cde\0\0");
        assert!(output.write_all_at(0, b"x").is_err());
    }
}
