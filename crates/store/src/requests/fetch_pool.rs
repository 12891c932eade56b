//! Threads that wait for a slow store, so that other threads need not.
//!
//! ```text
//! fetch(ranges) ─► join neighbours ─► queue ─► up to `in_flight` threads ─► done(all of them)
//! ```

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use tracing::debug;

use crate::keys::joined_gets::join_gets;
use crate::keys::keys::KeyStore;
use crate::object::object::Object;
use crate::requests::gathered::Gathered;
use crate::requests::requests::{ByteRange, Done, FailedRequest, Get, GetRange};

type Task = Box<dyn FnOnce() + Send>;

/// Threads for blocking requests to one store. They start as requests come, and end when the pool is dropped.
pub struct FetchPool {
    shared: Arc<Shared>,
    most: usize,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    arrived: Condvar,
}

#[derive(Default)]
struct Queue {
    tasks: VecDeque<Task>,
    threads: usize,
    idle: usize,
    closed: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let mut queue = self.lock();
        loop {
            if let Some(task) = queue.tasks.pop_front() {
                drop(queue);
                // If a task panics, its results are dropped, which notifies the waiting caller.
                let _ = catch_unwind(AssertUnwindSafe(task));
                queue = self.lock();
                continue;
            }
            if queue.closed {
                queue.threads -= 1;
                return;
            }
            queue.idle += 1;
            queue = self.arrived.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.idle -= 1;
        }
    }
}

impl FetchPool {
    /// A pool of at most `most` threads (at least one). None is started yet.
    pub fn new(most: usize) -> Self {
        Self {
            shared: Arc::default(),
            most: most.max(1),
        }
    }

    /// Runs `task` on a thread of the pool, or at once on the calling thread if no thread can be started.
    pub fn run(&self, task: impl FnOnce() + Send + 'static) {
        let mut queue = self.shared.lock();
        queue.tasks.push_back(Box::new(task));
        if queue.idle < queue.tasks.len() && queue.threads < self.most {
            let shared = Arc::clone(&self.shared);
            let started = thread::Builder::new()
                .name("fetch".into())
                .spawn(move || shared.work());
            match started {
                Ok(_) => queue.threads += 1,
                Err(_) if queue.threads == 0 => {
                    let task = queue.tasks.pop_back();
                    drop(queue);
                    if let Some(task) = task {
                        let _ = catch_unwind(AssertUnwindSafe(task));
                    }
                    return;
                }
                Err(_) => {}
            }
        }
        drop(queue);
        self.shared.arrived.notify_one();
    }

    /// Implements [`Object::fetch`] for an object whose reads block.
    pub fn fetch_ranges(
        &self,
        object: &Arc<dyn Object>,
        ranges: Vec<ByteRange>,
        done: Done<io::Result<Vec<Vec<u8>>>>,
    ) {
        let get = |range| Get {
            key: String::new(),
            part: GetRange::Range(range),
        };
        let all = |found: Vec<Option<Vec<u8>>>| found.into_iter().map(Option::unwrap_or_default).collect();
        let done = Box::new(move |found: io::Result<_>| done(found.map(all)));
        let gets = ranges.into_iter().map(get).collect();
        let (gap, object) = (object.requests().gap, Arc::clone(object));
        self.fetch(gets, gap, done, move |_, part| {
            let GetRange::Range(range) = part else {
                return Err(io::ErrorKind::InvalidInput.into());
            };
            let mut bytes = allocate(range.length)?;
            object.read_exact_at(range.offset, &mut bytes)?;
            Ok(Some(bytes))
        });
    }

    /// Implements [`KeyStore::fetch`] for a store whose requests block.
    pub fn fetch_keys(
        &self,
        store: &Arc<dyn KeyStore>,
        gets: Vec<Get>,
        done: Done<io::Result<Vec<Option<Vec<u8>>>>>,
    ) {
        let (gap, store) = (store.requests().gap, Arc::clone(store));
        self.fetch(gets, gap, done, move |key, part| store.get(key, part));
    }

    /// Joins neighbouring ranges, and makes the requests by `read` on threads of the pool. If a request for several ranges
    /// fails, they are read one by one, so that the error tells which one failed.
    fn fetch(
        &self,
        gets: Vec<Get>,
        gap: u64,
        done: Done<io::Result<Vec<Option<Vec<u8>>>>>,
        read: impl Fn(&str, GetRange) -> io::Result<Option<Vec<u8>>> + Send + Sync + 'static,
    ) {
        let count = gets.len();
        let joined = join_gets(gets, gap);
        let Some(all) = Gathered::new(count, joined.len(), done) else {
            return;
        };
        debug!(values = count, requests = joined.len(), "fetching");
        let read = Arc::new(read);
        for one in joined {
            let (read, all) = (Arc::clone(&read), Arc::clone(&all));
            self.run(move || {
                let got = one.run(&*read);
                all.arrive(got.map_err(|(n, e)| FailedRequest::error(n, e)));
            });
        }
    }
}

impl Drop for FetchPool {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.arrived.notify_all();
    }
}

/// A buffer of zeros.
///
/// # Errors
/// `OutOfMemory` if there is no memory for it.
pub fn allocate(length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    allocate_in(&mut bytes, length)?;
    Ok(bytes)
}

/// Makes `bytes` a buffer of zeros, in its own memory if that suffices.
///
/// # Errors
/// `OutOfMemory` if there is no memory for it.
pub fn allocate_in(bytes: &mut Vec<u8>, length: usize) -> io::Result<()> {
    bytes.clear();
    bytes
        .try_reserve_exact(length)
        .map_err(|_| io::ErrorKind::OutOfMemory)?;
    bytes.resize(length, 0);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Requests;
    use crate::requests::joined_ranges::join;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::time::Duration;

    use ncutils_gate::Gate;

    struct Slow {
        bytes: Vec<u8>,
        pool: FetchPool,
        asked: AtomicUsize,
        gate: Gate,
    }

    impl Object for Slow {
        fn size(&self) -> io::Result<Option<u64>> {
            Ok(None)
        }
        fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
            self.asked.fetch_add(1, Ordering::Relaxed);
            self.gate.pass(|| ());
            let from = offset as usize;
            let bytes = self.bytes.get(from..from + buf.len());
            buf.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
            Ok(())
        }
        fn requests(&self) -> Requests {
            Requests::slow(20, 4)
        }
        fn fetch(self: Arc<Self>, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
            let this = Arc::clone(&self) as Arc<dyn Object>;
            self.pool.fetch_ranges(&this, ranges, done);
        }
    }

    fn slow() -> Arc<Slow> {
        Arc::new(Slow {
            bytes: (0..=255).collect(),
            pool: FetchPool::new(20),
            asked: AtomicUsize::new(0),
            gate: Gate::default(),
        })
    }

    fn range(offset: u64, length: usize) -> ByteRange {
        ByteRange { offset, length }
    }

    fn fetched(object: &Arc<Slow>, ranges: Vec<ByteRange>) -> io::Result<Vec<Vec<u8>>> {
        let (tell, told) = mpsc::channel();
        Arc::clone(object).fetch(ranges, Box::new(move |all| tell.send(all).unwrap()));
        told.recv().unwrap()
    }

    #[test]
    fn neighbours_are_joined() {
        let ranges = [
            range(50, 5),
            range(0, 10),
            range(12, 3),
            range(100, 1),
            range(10, 2),
        ];
        let joined = join(&ranges, 4);
        assert_eq!(
            joined,
            [
                (range(0, 15), vec![1, 4, 2]),
                (range(50, 5), vec![0]),
                (range(100, 1), vec![3])
            ]
        );
        assert!(join(&[range(u64::MAX, 2), range(0, 1)], 9).len() == 2);
    }

    #[test]
    fn gaps_are_no_longer_than_what_is_asked_for() {
        let one_in_ten: Vec<ByteRange> = (0..5).map(|n| range(n * 10, 1)).collect();
        assert_eq!(join(&one_in_ten, 100).len(), 5);
        let one_in_two: Vec<ByteRange> = (0..5).map(|n| range(n * 10, 5)).collect();
        assert_eq!(join(&one_in_two, 100), [(range(0, 45), vec![0, 1, 2, 3, 4])]);
        // Bytes that two ranges want count once.
        let repeated = [range(0, 4), range(0, 4), range(0, 4), range(13, 4)];
        assert_eq!(join(&repeated, 100).len(), 2);
    }

    #[test]
    fn long_neighbours_stay_apart_and_short_ones_join_them() {
        let lengths_of = |lengths: &[usize]| -> Vec<usize> {
            let mut offset = 0;
            let ranges: Vec<ByteRange> = lengths
                .iter()
                .map(|length| {
                    offset += *length as u64;
                    range(offset - *length as u64, *length)
                })
                .collect();
            join(&ranges, 4).iter().map(|(whole, _)| whole.length).collect()
        };
        let long = 2 << 20;
        assert_eq!(lengths_of(&[long, long, long]), [long; 3]);
        assert_eq!(lengths_of(&[long, 10, long - 1]), [2 * long + 9]);
        assert_eq!(
            join(&[range(0, long), range(0, long)], 4).len(),
            1,
            "the same bytes"
        );
    }

    #[test]
    fn many_requests_are_under_way_at_once() {
        let object = slow();
        object.gate.hold_until(20);
        let found = fetched(&object, (0..20).map(|n| range(n * 12, 3)).collect()).unwrap();
        assert_eq!(object.gate.most(), 20);
        for (n, bytes) in found.iter().enumerate() {
            assert_eq!(bytes[0], (n * 12) as u8);
        }
        assert_eq!(object.asked.load(Ordering::Relaxed), 20);
        assert!(fetched(&object, Vec::new()).unwrap().is_empty());
    }

    #[test]
    fn a_range_past_the_end_fails_the_whole() {
        let error = fetched(&slow(), vec![range(0, 1), range(250, 9)]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        // These are joined.
        let error = fetched(&slow(), vec![range(250, 9), range(240, 9)]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(FailedRequest::split(error).0, Some(0));
    }

    struct Panicking {
        pool: FetchPool,
    }

    impl Object for Panicking {
        fn size(&self) -> io::Result<Option<u64>> {
            Ok(None)
        }
        fn read_exact_at(&self, offset: u64, _: &mut [u8]) -> io::Result<()> {
            assert!(offset != 1 << 20, "a test of panics");
            Ok(())
        }
        fn fetch(self: Arc<Self>, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
            let this = Arc::clone(&self) as Arc<dyn Object>;
            self.pool.fetch_ranges(&this, ranges, done);
        }
    }

    #[test]
    fn a_request_that_panics_fails_and_its_thread_goes_on() {
        let object = Arc::new(Panicking {
            pool: FetchPool::new(1),
        });
        for _ in 0..3 {
            let (tell, told) = mpsc::channel();
            let ranges = vec![range(0, 1), range(1 << 20, 1), range(1 << 30, 1)];
            Arc::clone(&object).fetch(ranges, Box::new(move |all| tell.send(all).unwrap()));
            let all = told.recv_timeout(Duration::from_secs(20)).unwrap();
            assert!(all.unwrap_err().to_string().contains("without an answer"));
        }
        let (tell, told) = mpsc::channel();
        let done = Box::new(move |all: io::Result<Vec<Vec<u8>>>| tell.send(all.is_ok()).unwrap());
        Arc::clone(&object).fetch(vec![range(3, 1)], done);
        assert!(told.recv_timeout(Duration::from_secs(20)).unwrap());
    }

    #[test]
    fn what_is_too_long_for_memory_fails() {
        let error = fetched(&slow(), vec![range(0, usize::MAX >> 1)]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
    }
}
