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
use crate::requests::requests::{ByteRange, Done, FailedRequest, Get};

/// Upper limit, in bytes, of a request for several neighbouring ranges.
const MOST_JOINED: u64 = 8 << 20;

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

    /// Implements [`Object::fetch`] for an object whose reads block. If a request for several ranges fails, they
    /// are read one by one, so that the error tells which one failed.
    pub fn fetch_ranges(
        &self,
        object: &Arc<dyn Object>,
        ranges: Vec<ByteRange>,
        done: Done<io::Result<Vec<Vec<u8>>>>,
    ) {
        let joined = join(&ranges, object.requests().gap);
        let all = Gathered::new(ranges.len(), joined.len(), done);
        let Some(all) = all else { return };
        debug!(
            ranges = ranges.len(),
            requests = joined.len(),
            bytes = joined.iter().map(|(whole, _)| whole.length as u64).sum::<u64>(),
            "fetching ranges"
        );
        for (whole, members) in joined {
            let (object, all) = (Arc::clone(object), Arc::clone(&all));
            let members: Vec<(usize, ByteRange)> = members.into_iter().map(|n| (n, ranges[n])).collect();
            self.run(move || {
                let read = |range: &ByteRange| {
                    let mut bytes = allocate(range.length)?;
                    object.read_exact_at(range.offset, &mut bytes)?;
                    Ok(bytes)
                };
                let alone = |(n, range): &(usize, ByteRange)| match read(range) {
                    Ok(bytes) => Ok((*n, bytes)),
                    Err(e) => Err(FailedRequest::error(*n, e)),
                };
                if let [one] = &members[..] {
                    return all.arrive(alone(one).map(|one| vec![one]));
                }
                let Ok(bytes) = read(&whole) else {
                    return all.arrive(members.iter().map(alone).collect());
                };
                let part = |range: &ByteRange| {
                    let from = (range.offset - whole.offset) as usize;
                    bytes[from..from + range.length].to_vec()
                };
                all.arrive(Ok(members.iter().map(|(n, range)| (*n, part(range))).collect()));
            });
        }
    }

    /// Implements [`KeyStore::fetch`] for a store whose requests block.
    pub fn fetch_keys(
        &self,
        store: &Arc<dyn KeyStore>,
        gets: Vec<Get>,
        done: Done<io::Result<Vec<Option<Vec<u8>>>>>,
    ) {
        let count = gets.len();
        let joined = join_gets(gets, store.requests().gap);
        let Some(all) = Gathered::new(count, joined.len(), done) else {
            return;
        };
        debug!(values = count, requests = joined.len(), "fetching keys");
        for one in joined {
            let (store, all) = (Arc::clone(store), Arc::clone(&all));
            self.run(move || {
                let got = one.run(store.as_ref());
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
    bytes
        .try_reserve_exact(length)
        .map_err(|_| io::ErrorKind::OutOfMemory)?;
    bytes.resize(length, 0);
    Ok(bytes)
}

/// Joins neighbouring ranges into requests. Each request lists the positions in `ranges` that it covers. Two ranges are
/// joined if at most `gap` bytes lie between them. The gaps of a request are never longer than its ranges together, so
/// at most twice the wanted bytes are read.
pub fn join(ranges: &[ByteRange], gap: u64) -> Vec<(ByteRange, Vec<usize>)> {
    let mut order: Vec<usize> = (0..ranges.len()).collect();
    order.sort_by_key(|n| (ranges[*n].offset, ranges[*n].length));
    let mut joined: Vec<(ByteRange, Vec<usize>)> = Vec::new();
    // Bytes of the last request that are not in a gap.
    let mut wanted = 0u64;
    for n in order {
        let range = ranges[n];
        if let (Some((whole, members)), Some(end)) = (joined.last_mut(), range.end()) {
            let whole_end = whole.end().unwrap_or(end);
            let near = range.offset <= whole_end.saturating_add(gap);
            let length = end.max(whole_end) - whole.offset;
            let more = end.saturating_sub(range.offset.max(whole_end));
            let dense = length <= wanted.saturating_add(more).saturating_mul(2);
            if near && dense && length <= MOST_JOINED.max(whole.length as u64) {
                whole.length = length as usize;
                wanted += more;
                members.push(n);
                continue;
            }
        }
        wanted = range.length as u64;
        joined.push((range, vec![n]));
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Requests;
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
