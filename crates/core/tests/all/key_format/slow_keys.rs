//! A store of keys whose requests run on threads of their own, as those of a remote store do.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ncutils_core::store::{Done, FetchPool, Get, GetRange, KeyStore, Requests};
use ncutils_gate::Gate;

pub struct SlowKeys<S> {
    inner: S,
    in_flight: usize,
    pool: FetchPool,
    pub gate: Gate,
    pub requests: AtomicUsize,
}

impl<S: KeyStore> SlowKeys<S> {
    pub fn new(inner: S, in_flight: usize) -> Self {
        Self {
            inner,
            in_flight,
            pool: FetchPool::new(in_flight),
            gate: Gate::default(),
            requests: AtomicUsize::new(0),
        }
    }

    fn during<T>(&self, ask: impl FnOnce(&S) -> T) -> T {
        self.requests.fetch_add(1, Ordering::SeqCst);
        self.gate.pass(|| ask(&self.inner))
    }
}

impl<S: KeyStore + 'static> KeyStore for SlowKeys<S> {
    fn get(&self, key: &str, part: GetRange) -> io::Result<Option<Vec<u8>>> {
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
