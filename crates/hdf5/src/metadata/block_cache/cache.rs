//! [`BlockCache`]: blocks by number, in memory or fetched.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::blocks::Blocks;
use super::runs::BlockRun;
use crate::metadata::misses::Misses;
use crate::source::{ByteSource, LOCAL_READAHEAD, ReadRequest};

/// Size of a block, in bytes.
pub(crate) const BLOCK: u64 = 16 * 1024;

/// Least number of blocks that are kept of a local file, however little may be kept.
const LEAST_KEPT: u64 = 2;

/// Maximum number of blocks that a miss fetches from a local file.
const MAX_READAHEAD: u64 = 64;

/// Number of blocks in the first request of a slow source: enough for all metadata of a small, well laid out file. From a local
/// file, a second read is cheaper than blocks that nobody needs.
const FIRST_REQUEST: u64 = 4;

/// Maximum number of readaheads that a miss fetches.
const GROWTH: u64 = 4;

/// Readahead, in bytes, from which a source counts as slow, so that planning reads ahead is worthwhile.
const SLOW: usize = 4 * LOCAL_READAHEAD;

/// Maximum number of blocks in one of several requests at once (2 MiB), as one connection rarely fills a line.
const MOST_IN_REQUEST: u64 = 128;

/// Least number of blocks that are fetched apart if they are far from each other.
const MANY: usize = 32;

/// Blocks between those that are wanted, for each of these, from which they are fetched apart.
const MOST_UNWANTED: u64 = 4;

/// Maximum readahead that is used, in blocks (64 MiB).
const MAX_STEP: u64 = 4096;

/// Cached reads of a source, from any number of threads.
pub(crate) struct BlockCache {
    source: Arc<dyn ByteSource>,
    /// Size of the source, in bytes; `u64::MAX` until it is known.
    size: AtomicU64,
    /// The source's readahead in blocks, at least 1.
    step: u64,
    is_slow: bool,
    /// Maximum number of cached blocks.
    capacity: AtomicU64,
    blocks: Mutex<Blocks>,
}

impl BlockCache {
    /// A cache of `capacity` bytes over `source`, which has `size` bytes; `u64::MAX` if unknown.
    pub(crate) fn new(source: Arc<dyn ByteSource>, size: u64, capacity: usize) -> Self {
        let readahead = source.readahead();
        Self {
            source,
            size: AtomicU64::new(size),
            step: (readahead as u64).div_ceil(BLOCK).clamp(1, MAX_STEP),
            is_slow: readahead > SLOW,
            capacity: AtomicU64::new((capacity as u64 / BLOCK).max(FIRST_REQUEST)),
            blocks: Mutex::default(),
        }
    }

    /// Size of the source, in bytes; `u64::MAX` if unknown.
    pub(crate) fn size(&self) -> u64 {
        self.size.load(Ordering::Relaxed)
    }

    /// Sets the size of the source.
    pub(crate) fn set_size(&self, size: u64) {
        self.size.store(size, Ordering::Relaxed);
    }

    /// The source that the cache reads.
    pub(crate) fn source(&self) -> &Arc<dyn ByteSource> {
        &self.source
    }

    /// True if requests are so slow that planning reads ahead is worthwhile.
    pub(crate) fn is_slow(&self) -> bool {
        self.is_slow
    }

    fn capacity(&self) -> u64 {
        self.capacity.load(Ordering::Relaxed)
    }

    /// Keeps at most `bytes` bytes of a local file from now on. A slow source needs its cache to read ahead.
    pub(crate) fn keep_at_most(&self, bytes: u64) {
        if self.is_slow {
            return;
        }
        let most = (bytes / BLOCK).max(LEAST_KEPT);
        self.capacity.fetch_min(most, Ordering::Relaxed);
        self.lock().shrink(self.capacity());
    }

    /// Frees the blocks of a local file, whose read-ahead begins anew. Those of a slow source cost a request each, so they stay.
    pub(crate) fn forget_metadata(&self) {
        if !self.is_slow {
            *self.lock() = Blocks::default();
        }
    }

    /// Number of blocks that may be fetched before their use, without being dropped.
    pub(crate) fn room(&self) -> u64 {
        (self.capacity() / 2).max(1)
    }

    /// Fills `buf` from byte `offset` of the source. The caller has checked that the source is long enough.
    pub(crate) fn read(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        // A large read would only displace other blocks.
        if buf.len() as u64 > 8 * BLOCK {
            if self.is_slow && self.missing(offset, buf.len() as u64).is_empty() && self.copy(offset, buf) {
                return Ok(());
            }
            return self.source.read_exact_at(offset, buf);
        }
        let (mut offset, mut buf) = (offset, buf);
        while !buf.is_empty() {
            let block = match self.block(offset / BLOCK) {
                // A block may extend past the end of a source of unknown size.
                Err(e) if self.size() == u64::MAX && e.kind() == io::ErrorKind::UnexpectedEof => {
                    return self.source.read_exact_at(offset, buf);
                }
                // The bytes around those that are asked for may be damaged alone.
                Err(e) if e.kind() == io::ErrorKind::InvalidData => {
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

    /// Like [`read`](Self::read), if all blocks are cached. Otherwise adds the missing ones to `misses`, and fails.
    pub(crate) fn read_or_miss(&self, offset: u64, buf: &mut [u8], misses: &Misses) -> io::Result<()> {
        let missing = self.missing(offset, buf.len() as u64);
        if missing.is_empty() && self.copy(offset, buf) {
            return Ok(());
        }
        misses.missed(&missing);
        Err(io::ErrorKind::WouldBlock.into())
    }

    /// Numbers of the blocks in `len` bytes from `offset` that are not cached. Empty if they exceed the
    /// [room](Self::room).
    pub(crate) fn missing(&self, offset: u64, len: u64) -> Vec<u64> {
        let end = offset.saturating_add(len).min(self.size());
        let (first, behind) = (offset / BLOCK, end.div_ceil(BLOCK));
        if behind.saturating_sub(first) > self.room() {
            return Vec::new();
        }
        let blocks = self.lock();
        (first..behind).filter(|number| !blocks.has(*number)).collect()
    }

    /// Like [`missing`](Self::missing), of bytes that will be read soon: their blocks that are cached are dropped last.
    pub(crate) fn announced(&self, offset: u64, len: u64) -> Vec<u64> {
        let missing = self.missing(offset, len);
        let end = offset.saturating_add(len).min(self.size());
        let all = offset / BLOCK..end.div_ceil(BLOCK);
        if all.end.saturating_sub(all.start) <= self.room() {
            let mut blocks = self.lock();
            all.for_each(|number| blocks.renew(number));
        }
        missing
    }

    /// Fills `buf` from cached blocks. Returns false if one is missing.
    fn copy(&self, offset: u64, buf: &mut [u8]) -> bool {
        let blocks = self.lock();
        let (mut offset, mut buf) = (offset, buf);
        while !buf.is_empty() {
            let block = blocks.get(offset / BLOCK);
            let bytes = block.and_then(|block| block.get((offset % BLOCK) as usize..));
            let bytes = bytes.unwrap_or_default();
            let n = bytes.len().min(buf.len());
            if n == 0 {
                return false;
            }
            let (now, later) = buf.split_at_mut(n);
            now.copy_from_slice(&bytes[..n]);
            buf = later;
            offset += n as u64;
        }
        true
    }

    /// Fetches blocks by ascending numbers, all at once. Blocks that are close together share a request. The blocks
    /// between them are kept too, as long as all are at most `room` blocks.
    ///
    /// Returns the number of blocks kept.
    pub(crate) fn fetch(&self, numbers: &[u64], room: u64) -> io::Result<u64> {
        let longest = self.room().min(MOST_IN_REQUEST);
        let mut runs = BlockRun::join(numbers, self.step, longest);
        let all: u64 = runs.iter().map(|run| run.count).sum();
        if numbers.len() >= MANY && all / MOST_UNWANTED > numbers.len() as u64 {
            // Requests at once cost less time than what is between these blocks.
            runs = BlockRun::join(numbers, 1, longest);
        }
        if let Some(last) = runs.last_mut() {
            last.count = self.up_to_end(last.first, last.count);
        }
        let total: u64 = runs.iter().map(|run| run.count).sum();
        let keep_all = total <= room;
        let mut runs = runs.as_slice();
        while !runs.is_empty() {
            let mut count = 0;
            let now = runs.iter().take_while(|run| {
                let first = count == 0;
                count += run.count;
                first || count <= self.room()
            });
            let (now, later) = runs.split_at(now.count());
            runs = later;
            let mut buffers: Vec<Vec<u8>> = now
                .iter()
                .map(|run| vec![0; self.len_of(run.first, run.count)])
                .collect();
            let mut requests: Vec<_> = now
                .iter()
                .zip(&mut buffers)
                .map(|(run, buffer)| ReadRequest::new(run.first * BLOCK, buffer))
                .collect();
            self.source.read_many_at(&mut requests)?;
            let mut blocks = self.lock();
            for (run, buffer) in now.iter().zip(buffers) {
                for (number, bytes) in (run.first..).zip(buffer.chunks(BLOCK as usize)) {
                    if keep_all || numbers.binary_search(&number).is_ok() {
                        blocks.insert(number, bytes.into(), self.capacity());
                    }
                }
            }
        }
        Ok(if keep_all { total } else { numbers.len() as u64 })
    }

    /// `count` blocks from the block `first` on, or all up to the end of a slow source if less than a readahead is left.
    fn up_to_end(&self, first: u64, count: u64) -> u64 {
        let end = match self.size() {
            u64::MAX => return count,
            size => size.div_ceil(BLOCK),
        };
        let is_near = (1..self.step).contains(&end.saturating_sub(first + count));
        match self.is_slow && is_near && end - first <= self.room() {
            true => end - first,
            false => count,
        }
    }

    /// Size of `count` blocks from the block `first` on, in bytes.
    fn len_of(&self, first: u64, count: u64) -> usize {
        let start = first * BLOCK;
        (count * BLOCK).min(self.size().saturating_sub(start)) as usize
    }

    fn block(&self, number: u64) -> io::Result<Arc<[u8]>> {
        let wanted = {
            let mut blocks = self.lock();
            if let Some(block) = blocks.get(number) {
                return Ok(block.clone());
            }
            let (next, len) = blocks.last_fetch;
            let wanted = match next {
                0 if self.step > 1 => self.step.max(FIRST_REQUEST),
                n if n == number => (len * 2).min(MAX_READAHEAD.max(GROWTH * self.step)),
                _ => self.step,
            };
            let wanted = self.up_to_end(number, wanted.min(self.room()));
            let new = (1..wanted).take_while(|i| !blocks.has(number + i));
            let wanted = 1 + new.count() as u64;
            blocks.last_fetch = (number + wanted, wanted);
            wanted
        };
        // Read without the lock, so that other threads can use the cache. Two threads may fetch the same block, which
        // is harmless.
        let mut bytes = vec![0; self.len_of(number, wanted)];
        self.source.read_exact_at(number * BLOCK, &mut bytes)?;
        let fetched: Vec<Arc<[u8]>> = bytes.chunks(BLOCK as usize).map(Arc::from).collect();
        let first = fetched.first().cloned().ok_or(io::ErrorKind::UnexpectedEof)?;
        let mut blocks = self.lock();
        for (number, block) in (number..).zip(fetched) {
            blocks.insert(number, block, self.capacity());
        }
        Ok(first)
    }

    fn lock(&self) -> MutexGuard<'_, Blocks> {
        // No code under the lock can panic, so the state behind a poisoned lock is consistent.
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPACITY: u64 = 1024;

    /// A source that counts requests.
    struct Counted {
        data: Vec<u8>,
        readahead: usize,
        requests: AtomicU64,
    }

    impl ByteSource for Counted {
        fn size(&self) -> io::Result<Option<u64>> {
            self.data.size()
        }

        fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
            self.requests.fetch_add(1, Ordering::Relaxed);
            self.data.read_exact_at(offset, buf)
        }

        fn readahead(&self) -> usize {
            self.readahead
        }
    }

    fn cache(size: usize, readahead: usize, capacity: u64) -> (Arc<Counted>, BlockCache) {
        let source = Arc::new(Counted {
            data: (0..size).map(|i| ((i * 31) >> 4) as u8).collect(),
            readahead,
            requests: AtomicU64::new(0),
        });
        let cache = BlockCache::new(source.clone(), size as u64, (capacity * BLOCK) as usize);
        (source, cache)
    }

    #[test]
    fn reads_the_same_bytes_as_the_source_and_stays_bounded() {
        let size = BLOCK as usize * (CAPACITY as usize + 300) + 77;
        for readahead in [1, 16 << 10, 1 << 20] {
            let (source, cache) = cache(size, readahead, CAPACITY);
            let data = &source.data;
            for step in 0..2000usize {
                let offset = (step * 7_919_117) % (size - 200_000);
                let mut buf = vec![0; 1 + (step * 997) % 200_000];
                cache.read(offset as u64, &mut buf).unwrap();
                assert_eq!(buf, data[offset..offset + buf.len()]);
            }
            let mut tail = [0; 77];
            cache.read((size - 77) as u64, &mut tail).unwrap();
            assert_eq!(tail, data[size - 77..]);
            let blocks = cache.lock();
            assert!(blocks.len() as u64 <= CAPACITY);
        }
    }

    #[test]
    fn missed_blocks_come_joined_and_all_at_once() {
        let (source, cache) = cache(BLOCK as usize * 1000 + 5, 10 * BLOCK as usize, 200);
        let misses = Misses::new(100);
        let mut buf = [0; 10];
        // Blocks 0, 5 and 15 are near each other; 999 and the last one are far away.
        for at in [0, 5, 15, 999, 1000].map(|n| n * BLOCK) {
            let buf = &mut buf[..5];
            assert!(cache.read_or_miss(at, buf, &misses).is_err());
        }
        assert_eq!(source.requests.load(Ordering::Relaxed), 0);
        assert_eq!(cache.fetch(&misses.take(), 100).unwrap(), 18);
        assert_eq!(source.requests.load(Ordering::Relaxed), 2);
        for at in [0, 5, 15, 999].map(|n| n * BLOCK) {
            cache.read_or_miss(at, &mut buf, &misses).unwrap();
            assert_eq!(buf, source.data[at as usize..at as usize + 10]);
        }
        assert!(misses.take().is_empty());
        // What lay between them was read, too.
        cache.read(9 * BLOCK, &mut buf).unwrap();
        assert_eq!(source.requests.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn less_is_kept_of_a_local_file_when_asked() {
        let (source, cache) = cache(BLOCK as usize * 100, LOCAL_READAHEAD, 50);
        for n in 0..30 {
            cache.read(n * BLOCK, &mut [0; 4]).unwrap();
        }
        cache.keep_at_most(8 * BLOCK);
        assert_eq!(cache.lock().len(), 8);
        cache.keep_at_most(20 * BLOCK);
        assert_eq!(cache.capacity(), 8);
        let mut buf = vec![0; 5 * BLOCK as usize];
        cache.read(60 * BLOCK + 7, &mut buf).unwrap();
        assert_eq!(buf, source.data[60 * BLOCK as usize + 7..][..buf.len()]);
        assert!(cache.lock().len() <= 8);
        cache.forget_metadata();
        assert_eq!(cache.lock().len(), 0);
        cache.read(60 * BLOCK + 7, &mut buf).unwrap();
        assert_eq!(buf, source.data[60 * BLOCK as usize + 7..][..buf.len()]);
    }

    #[test]
    fn the_end_of_a_slow_source_comes_with_what_is_before_it() {
        let (source, cache) = cache(BLOCK as usize * 100 + 5, 20 * BLOCK as usize, 400);
        let misses = Misses::new(100);
        let mut buf = [0; 4];
        assert!(cache.read_or_miss(60 * BLOCK, &mut buf, &misses).is_err());
        assert!(cache.read_or_miss(85 * BLOCK, &mut buf, &misses).is_err());
        // The last of the blocks joins what is left behind it.
        assert_eq!(cache.fetch(&misses.take(), 100).unwrap(), 17);
        assert_eq!(source.requests.load(Ordering::Relaxed), 2);
        cache.read(100 * BLOCK, &mut buf).unwrap();
        cache.read(90 * BLOCK, &mut buf).unwrap();
        assert_eq!(source.requests.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn blocks_that_are_announced_stay() {
        let (source, cache) = cache(BLOCK as usize * 1000, 10 * BLOCK as usize, 40);
        let misses = Misses::new(cache.room());
        let announce = |blocks: std::ops::Range<u64>| {
            for number in blocks {
                misses.wanted(&cache.announced(number * BLOCK, 100));
            }
            cache.fetch(&misses.take(), cache.room()).unwrap()
        };
        let found = [announce(100..101), announce(0..20), announce(200..219)];
        assert_eq!(found, [1, 20, 19]);
        // The first one was the oldest.
        assert_eq!(announce(100..120), 19);
        assert_eq!(source.requests.load(Ordering::Relaxed), 4);
        for number in (100..120).chain(200..219) {
            cache.read_or_miss(number * BLOCK, &mut [0; 4], &misses).unwrap();
        }
    }

    #[test]
    fn what_is_fetched_is_bounded() {
        let (source, cache) = cache(BLOCK as usize * 4000, 64 * BLOCK as usize, 40);
        let misses = Misses::new(cache.room());
        for n in 0..60 {
            let _ = cache.read_or_miss(n * 60 * BLOCK, &mut [0; 4], &misses);
        }
        assert!(misses.is_full());
        assert_eq!(cache.fetch(&misses.take(), cache.room()).unwrap(), 20);
        assert!(cache.lock().len() <= 40);
        assert!(source.requests.load(Ordering::Relaxed) <= 60);
    }
}
