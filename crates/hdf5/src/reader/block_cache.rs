//! A bounded cache of fixed-size blocks of a source.
//!
//! Metadata is read in many small pieces that lie close to each other. A miss fetches one block; misses that follow
//! on each other fetch twice as much each time, so that a walk over metadata needs few requests even where each
//! takes long (remote objects).

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::source::ByteSource;

/// Bytes of a block.
const BLOCK: u64 = 16 * 1024;
/// The most blocks that one request fetches.
const MAX_READAHEAD: u64 = 64;
/// The first request of a file: everything that a well laid out small file needs.
const FIRST_REQUEST: u64 = 4;
/// The most blocks kept (16 MiB).
const CAPACITY: usize = 1024;

/// Reads of a source through a cache, from any number of threads.
pub(super) struct BlockCache {
    source: Arc<dyn ByteSource>,
    /// `u64::MAX` until it is known.
    size: AtomicU64,
    blocks: Mutex<Blocks>,
}

#[derive(Default)]
struct Blocks {
    by_number: HashMap<u64, Arc<[u8]>>,
    oldest_first: VecDeque<u64>,
    /// The block behind the last fetch, and how many blocks that fetch took.
    last_fetch: (u64, u64),
}

impl BlockCache {
    /// A cache over `source`, which has `size` bytes; `u64::MAX` where that is not known yet.
    pub(super) fn new(source: Arc<dyn ByteSource>, size: u64) -> Self {
        Self {
            source,
            size: AtomicU64::new(size),
            blocks: Mutex::default(),
        }
    }

    /// Bytes of the source; `u64::MAX` where that is not known.
    pub(super) fn size(&self) -> u64 {
        self.size.load(Ordering::Relaxed)
    }

    /// Notes where the source ends.
    pub(super) fn set_size(&self, size: u64) {
        self.size.store(size, Ordering::Relaxed);
    }

    /// The source behind the cache.
    pub(super) fn source(&self) -> &Arc<dyn ByteSource> {
        &self.source
    }

    /// Fills `buf` from byte `offset` of the source on. The caller has made sure that the source is long enough.
    pub(super) fn read(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        // What is larger than a few blocks would only push the others out.
        if buf.len() as u64 > 8 * BLOCK {
            return self.source.read_exact_at(offset, buf);
        }
        let (mut offset, mut buf) = (offset, buf);
        while !buf.is_empty() {
            let block = match self.block(offset / BLOCK) {
                // A whole block may reach past the end of a source that does not tell its size.
                Err(e) if self.size() == u64::MAX && e.kind() == io::ErrorKind::UnexpectedEof => {
                    return self.source.read_exact_at(offset, buf);
                }
                block => block?,
            };
            let within = (offset % BLOCK) as usize;
            let bytes = block.get(within..).unwrap_or_default();
            let n = bytes.len().min(buf.len());
            if n == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let (now, later) = buf.split_at_mut(n);
            now.copy_from_slice(&bytes[..n]);
            buf = later;
            offset += n as u64;
        }
        Ok(())
    }

    fn block(&self, number: u64) -> io::Result<Arc<[u8]>> {
        let wanted = {
            let mut blocks = self.lock();
            if let Some(block) = blocks.by_number.get(&number) {
                return Ok(block.clone());
            }
            let (next, len) = blocks.last_fetch;
            let wanted = match next {
                0 => FIRST_REQUEST,
                n if n == number => (len * 2).min(MAX_READAHEAD),
                _ => 1,
            };
            blocks.last_fetch = (number + wanted, wanted);
            wanted
        };
        // Not under the lock: other threads go on with what is there. Two may fetch the same block; no harm.
        let start = number * BLOCK;
        let len = (wanted * BLOCK).min(self.size().saturating_sub(start));
        let mut bytes = vec![0; len as usize];
        self.source.read_exact_at(start, &mut bytes)?;
        let fetched: Vec<Arc<[u8]>> = bytes.chunks(BLOCK as usize).map(Arc::from).collect();
        let first = fetched.first().cloned().ok_or(io::ErrorKind::UnexpectedEof)?;
        let mut blocks = self.lock();
        for (i, block) in fetched.into_iter().enumerate() {
            let number = number + i as u64;
            if blocks.by_number.insert(number, block).is_none() {
                blocks.oldest_first.push_back(number);
            }
        }
        while blocks.oldest_first.len() > CAPACITY {
            if let Some(oldest) = blocks.oldest_first.pop_front() {
                blocks.by_number.remove(&oldest);
            }
        }
        Ok(first)
    }

    fn lock(&self) -> MutexGuard<'_, Blocks> {
        // Nothing that can panic runs under the lock, so a poisoned one is still whole.
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_same_bytes_as_the_source_and_stays_bounded() {
        let size = BLOCK as usize * (CAPACITY + 300) + 77;
        let data: Vec<u8> = (0..size).map(|i| ((i * 31) >> 4) as u8).collect();
        let cache = BlockCache::new(Arc::new(data.clone()), size as u64);
        for step in 0..2000usize {
            let offset = (step * 7_919_117) % (size - 60_000);
            let mut buf = vec![0; 1 + (step * 997) % 60_000];
            cache.read(offset as u64, &mut buf).unwrap();
            assert_eq!(buf, data[offset..offset + buf.len()]);
        }
        let mut tail = [0; 77];
        cache.read((size - 77) as u64, &mut tail).unwrap();
        assert_eq!(tail, data[size - 77..]);
        let blocks = cache.lock();
        assert!(blocks.oldest_first.len() <= CAPACITY);
        assert_eq!(blocks.oldest_first.len(), blocks.by_number.len());
    }
}
