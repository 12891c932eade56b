//! The number of threads, and the same work on each.

use std::cell::Cell;
use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Upper limit of threads, however many are asked for: thousands take longer to start than most work takes.
const MOST_THREADS: usize = 256;

/// What [`count`] gives. 0 until the first call.
static COUNT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// What [`count`] gives on this thread instead; 0 for the count of all.
    static OWN_COUNT: Cell<usize> = const { Cell::new(0) };
}

/// Runs `work` with one thread: [`count`] gives 1 on the calling thread. The other threads have work of their own.
pub fn single_threaded<R>(work: impl FnOnce() -> R) -> R {
    struct Before(usize);
    impl Drop for Before {
        fn drop(&mut self) {
            OWN_COUNT.set(self.0);
        }
    }
    let _before = Before(OWN_COUNT.replace(1));
    work()
}

/// Sets what [`count`] gives from now on. A program calls it once, before it opens anything.
pub fn set_count(threads: usize) {
    COUNT.store(threads.max(1), Ordering::Relaxed);
}

/// The number of threads that compute: that of [`set_count`], or else one for each core.
pub fn count() -> usize {
    match OWN_COUNT.get() {
        0 => {}
        own => return own,
    }
    match COUNT.load(Ordering::Relaxed) {
        0 => {
            // The system reads many small files to answer, so it is asked once.
            let cores = thread::available_parallelism().map_or(1, NonZero::get);
            set_count(cores);
            cores
        }
        count => count,
    }
}

/// Runs `work` on `threads` threads at once, and returns when all have returned. The calling thread is one of them. Each
/// call gets its thread's number, from 0, and the number of threads. At most 256 run. If the system refuses so many
/// threads, fewer are used: one thread must be able to do all the work.
pub fn on_all(threads: usize, work: impl Fn(usize, usize) + Sync) {
    let all = OnceLock::new();
    beside(
        threads.saturating_sub(1),
        |n| work(n + 1, *all.wait()),
        |started| work(0, *all.get_or_init(|| started + 1)),
    );
}

/// Runs `work` on at most `threads` further threads, and `own` on the calling one, at once. Returns when all have returned.
/// Each call of `work` gets its thread's number, from 0; `own` gets how many threads the system started, which may be none.
pub fn beside<R>(threads: usize, work: impl Fn(usize) + Sync, own: impl FnOnce(usize) -> R) -> R {
    let work = &work;
    thread::scope(|scope| {
        let started = (0..threads.min(MOST_THREADS - 1)).map_while(|n| {
            thread::Builder::new()
                .name(format!("ncutils-{}", n + 1))
                .spawn_scoped(scope, move || work(n))
                .ok()
        });
        let started = started.count();
        own(started)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn every_thread_works_once() {
        for threads in [0, 1, 5] {
            let seen = Mutex::new(Vec::new());
            on_all(threads, |n, all| {
                assert_eq!(all, threads.max(1));
                seen.lock().unwrap().push(n);
            });
            let mut seen = seen.into_inner().unwrap();
            seen.sort_unstable();
            assert_eq!(seen, (0..threads.max(1)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn nobody_gets_thousands_of_threads() {
        on_all(100_000, |_, all| assert!(all <= MOST_THREADS));
    }

    #[test]
    fn single_threaded_work_has_one_thread() {
        let all = count();
        assert_eq!(
            single_threaded(|| (count(), thread::spawn(count).join().unwrap())),
            (1, all)
        );
        assert_eq!(count(), all);
    }

    #[test]
    fn one_thread_is_the_caller() {
        let own = thread::current().id();
        on_all(1, |_, _| assert_eq!(thread::current().id(), own));
    }
}
