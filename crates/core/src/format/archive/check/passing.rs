//! [`Passing`]: an output of which only what was not hashed yet is kept.
//!
//! ```text
//! written ─► pages in memory; those at the end, where they are too many, in a temporary file ─► read back ─► dropped
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::store::{Output, temporary_file};

/// Bytes of a page.
const PAGE: u64 = 256 << 10;

/// Pages that are kept for what comes.
const POOL: usize = 16;

/// An output whose bytes are read back once, from its beginning to its end. Bytes never written are zeros.
pub(crate) struct Passing {
    /// Most pages in memory.
    most: usize,
    /// Bytes of the output.
    size: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    pages: BTreeMap<u64, Vec<u8>>,
    /// The temporary file, and the pages in it, which are at their own positions.
    file: Option<File>,
    in_file: BTreeSet<u64>,
    pool: Vec<Vec<u8>>,
    /// Position before which nothing is needed any more.
    passed: u64,
}

impl Passing {
    /// An output of `size` bytes that takes about `memory` bytes of memory.
    pub fn of(size: u64, memory: u64) -> Self {
        Self {
            most: usize::try_from(memory / PAGE).unwrap_or(usize::MAX).max(1),
            size,
            state: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops everything before a position.
    pub fn pass(&self, to: u64) {
        let mut state = self.lock();
        state.passed = state.passed.max(to);
        let first = state.passed / PAGE;
        while let Some(entry) = state.pages.first_entry().filter(|entry| *entry.key() < first) {
            let page = entry.remove();
            if state.pool.len() < POOL {
                state.pool.push(page);
            }
        }
        while state.in_file.first().is_some_and(|page| *page < first) {
            state.in_file.pop_first();
        }
    }

    /// The parts of a range that are in one page each: page, where in it, bytes.
    fn parts(offset: u64, length: usize) -> impl Iterator<Item = (u64, u64, Range<usize>)> {
        let mut done = 0;
        std::iter::from_fn(move || {
            let at = offset + done as u64;
            let (page, within) = (at / PAGE, at % PAGE);
            let count = ((PAGE - within) as usize).min(length - done);
            let part = done..done + count;
            done += count;
            (count > 0).then_some((page, within, part))
        })
    }
}

impl State {
    /// A page in memory; `None` if it is in the file.
    fn page(&mut self, page: u64, most: usize, size: u64) -> io::Result<Option<&mut Vec<u8>>> {
        if self.in_file.contains(&page) {
            return Ok(None);
        }
        if !self.pages.contains_key(&page) {
            let new = match self.pages.last_key_value() {
                Some((last, _)) if self.pages.len() >= most => {
                    let last = *last;
                    self.spill(last.max(page), size)?;
                    if page > last {
                        return Ok(None);
                    }
                    self.pages.remove(&last)
                }
                _ => self.pool.pop(),
            };
            let mut new = new.unwrap_or_default();
            new.clear();
            new.resize(PAGE as usize, 0);
            self.pages.insert(page, new);
        }
        Ok(self.pages.get_mut(&page))
    }

    /// Makes a page one of the file. It reads as zeros if it was not in memory.
    fn spill(&mut self, page: u64, size: u64) -> io::Result<()> {
        let file = match &self.file {
            Some(file) => file,
            None => self
                .file
                .insert(temporary_file(None, size.saturating_sub(self.passed))?),
        };
        match self.pages.get(&page) {
            Some(bytes) => file.write_all_at(bytes, page * PAGE)?,
            None if file.metadata()?.len() < (page + 1) * PAGE => file.set_len((page + 1) * PAGE)?,
            None => {}
        }
        self.in_file.insert(page);
        Ok(())
    }
}

impl Output for Passing {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.lock();
        for (page, within, part) in Self::parts(offset, data.len()) {
            if (page + 1) * PAGE <= state.passed {
                continue;
            }
            match state.page(page, self.most, self.size)? {
                Some(bytes) => {
                    let within = within as usize;
                    bytes[within..within + part.len()].copy_from_slice(&data[part]);
                }
                None => {
                    let file = state.file.as_ref().ok_or(io::ErrorKind::StorageFull)?;
                    file.write_all_at(&data[part], page * PAGE + within)?;
                }
            }
        }
        Ok(())
    }

    fn set_size(&self, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn commit(&self) -> io::Result<()> {
        Ok(())
    }

    fn read_back_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let state = self.lock();
        for (page, within, part) in Self::parts(offset, buf.len()) {
            let to = &mut buf[part];
            match (state.pages.get(&page), &state.file) {
                (Some(bytes), _) => {
                    let within = within as usize;
                    to.copy_from_slice(&bytes[within..within + to.len()]);
                }
                (None, Some(file)) if state.in_file.contains(&page) => {
                    file.read_exact_at(to, page * PAGE + within)?;
                }
                _ => to.fill(0),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_once_wherever_it_was_kept() {
        let size = 20 * PAGE + 77;
        let byte = |at: u64| (at / 1000 % 251) as u8;
        for memory in [1, 3 * PAGE, 100 * PAGE] {
            let output = Passing::of(size, memory);
            // Pieces of 1000 bytes, of which the later ones of each hundred come first; each tenth is never written.
            let count = size.div_ceil(1000);
            for hundred in 0..count.div_ceil(100) {
                for n in (hundred * 100..((hundred + 1) * 100).min(count)).rev() {
                    if n % 10 != 3 {
                        let length = 1000.min(size - n * 1000) as usize;
                        output
                            .write_all_at(n * 1000, &vec![byte(n * 1000); length])
                            .unwrap();
                    }
                }
            }
            assert!(output.lock().pages.len() <= output.most);
            assert_eq!(output.lock().file.is_some(), memory < size);
            let mut at = 0;
            while at < size {
                let mut found = vec![9; 123_456.min((size - at) as usize)];
                output.read_back_at(at, &mut found).unwrap();
                for (n, found) in (at..).zip(&found) {
                    let expected = if n / 1000 % 10 == 3 { 0 } else { byte(n) };
                    assert_eq!(*found, expected, "byte {n}");
                }
                at += found.len() as u64;
                output.pass(at);
            }
            assert!(output.lock().pages.len() <= 1);
        }
    }
}
