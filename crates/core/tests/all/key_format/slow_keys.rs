//! A store of keys that takes a while to answer each request, and counts how many it has at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ncutils_core::store::{Done, FetchPool, Get, KeyStore, Part, Requests};

pub struct SlowKeys<S> {
    inner: S,
    latency: Duration,
    in_flight: usize,
    pool: FetchPool,
    now: AtomicUsize,
    pub most: AtomicUsize,
    pub requests: AtomicUsize,
}

impl<S: KeyStore> SlowKeys<S> {
    pub fn new(inner: S, latency: Duration, in_flight: usize) -> Self {
        Self {
            inner,
            latency,
            in_flight,
            pool: FetchPool::new(in_flight),
            now: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
        }
    }

    fn during<T>(&self, ask: impl FnOnce(&S) -> T) -> T {
        self.requests.fetch_add(1, Ordering::SeqCst);
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        std::thread::sleep(self.latency);
        let answer = ask(&self.inner);
        self.now.fetch_sub(1, Ordering::SeqCst);
        answer
    }
}

impl<S: KeyStore + 'static> KeyStore for SlowKeys<S> {
    fn get(&self, key: &str, part: Part) -> io::Result<Option<Vec<u8>>> {
        self.during(|inner| inner.get(key, part))
    }

    fn size(&self, key: &str) -> io::Result<Option<u64>> {
        self.during(|inner| inner.size(key))
    }

    fn list(&self, prefix: &str) -> io::Result<Vec<String>> {
        self.during(|inner| inner.list(prefix))
    }

    fn requests(&self) -> Requests {
        Requests::slow(self.in_flight, 0)
    }

    fn fetch(self: Arc<Self>, gets: Vec<Get>, done: Done<io::Result<Vec<Option<Vec<u8>>>>>) {
        let this = Arc::clone(&self) as Arc<dyn KeyStore>;
        self.pool.fetch_keys(&this, gets, done);
    }
}
