//! An object in memory whose requests run on threads of their own, as those of a remote store do.

use std::io;
use std::sync::{Arc, Mutex};

use ncutils_core::store::{ByteRange, Done, FetchPool, Object, Requests};
use ncutils_gate::Gate;

/// An object whose requests pass a gate. It keeps the lengths of what is read.
pub struct Pooled {
    bytes: Vec<u8>,
    likes: Requests,
    pool: FetchPool,
    asked: Mutex<Vec<usize>>,
    pub gate: Gate,
}

impl Pooled {
    /// An object with at most `requests` at once. Ranges fewer than `gap` bytes apart are read as one.
    pub fn new(bytes: Vec<u8>, requests: usize, gap: u64) -> Arc<Self> {
        Arc::new(Self {
            bytes,
            likes: Requests::slow(requests, gap),
            pool: FetchPool::new(requests),
            asked: Mutex::default(),
            gate: Gate::default(),
        })
    }

    /// The lengths of all ranges that were read.
    pub fn asked(&self) -> Vec<usize> {
        self.asked.lock().unwrap().clone()
    }
}

impl Object for Pooled {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.bytes.len() as u64))
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.gate.pass(|| {
            self.asked.lock().unwrap().push(buf.len());
            Object::read_exact_at(&self.bytes, offset, buf)
        })
    }

    fn requests(&self) -> Requests {
        self.likes
    }

    fn fetch(self: Arc<Self>, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
        let this = Arc::clone(&self) as Arc<dyn Object>;
        self.pool.fetch_ranges(&this, ranges, done);
    }
}
