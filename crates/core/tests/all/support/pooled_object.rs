//! An object in memory whose requests run on threads of their own, as those of a remote store do.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ncutils_core::store::{ByteRange, Done, FetchPool, Object, Requests};

/// An object that answers after a while. It keeps the lengths of what is read, and counts how many requests there are at once.
pub struct Pooled {
    bytes: Vec<u8>,
    latency: Duration,
    likes: Requests,
    pool: FetchPool,
    asked: Mutex<Vec<usize>>,
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Pooled {
    /// An object whose requests take `latency`, with at most `requests` at once. Ranges fewer than `gap` bytes apart are read as one.
    pub fn new(bytes: Vec<u8>, latency: Duration, requests: usize, gap: u64) -> Arc<Self> {
        Arc::new(Self {
            bytes,
            latency,
            likes: Requests::slow(requests, gap),
            pool: FetchPool::new(requests),
            asked: Mutex::default(),
            now: AtomicUsize::default(),
            most: AtomicUsize::default(),
        })
    }

    /// The lengths of all ranges that were read.
    pub fn asked(&self) -> Vec<usize> {
        self.asked.lock().unwrap().clone()
    }

    /// The most requests that there were at once since this was called last.
    pub fn most_at_once(&self) -> usize {
        self.most.swap(0, Ordering::SeqCst)
    }
}

impl Object for Pooled {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.bytes.len() as u64))
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        std::thread::sleep(self.latency);
        self.now.fetch_sub(1, Ordering::SeqCst);
        self.asked.lock().unwrap().push(buf.len());
        Object::read_exact_at(&self.bytes, offset, buf)
    }

    fn requests(&self) -> Requests {
        self.likes
    }

    fn fetch(self: Arc<Self>, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
        let this = Arc::clone(&self) as Arc<dyn Object>;
        self.pool.fetch_ranges(&this, ranges, done);
    }
}
