//! Runs work on several threads. All threads that compute are started here.
//!
//! ```text
//! a program's --threads ─► set_count ─► count ─► on_all: the same work on each
//!                                          └───► try_map: one item after another, results in order
//! ```

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

/// Upper limit of threads, however many are asked for: thousands take longer to start than most work takes.
const MOST_THREADS: usize = 256;

/// What [`count`] gives. 0 until the first call.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Sets what [`count`] gives from now on. A program calls it once, before it opens anything.
pub fn set_count(threads: usize) {
    COUNT.store(threads.max(1), Ordering::Relaxed);
}

/// The number of threads that compute: that of [`set_count`], or else one for each core.
pub fn count() -> usize {
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
    let (work, all) = (&work, &all);
    thread::scope(|scope| {
        let started = (1..threads.min(MOST_THREADS)).map_while(|n| {
            thread::Builder::new()
                .name(format!("ncutils-{n}"))
                .spawn_scoped(scope, move || work(n, *all.wait()))
                .ok()
        });
        let count = started.count() + 1;
        work(0, *all.get_or_init(|| count));
    });
}

/// The results of `work` for each of `items`, in their order. At most `threads` threads take runs of `run` items, one run
/// after another. What fits into one run is done by the calling thread.
///
/// # Errors
/// The error of the first item that failed. Nothing is begun after an error.
pub fn try_map<T: Sync, R: Send, E: Send>(
    threads: usize,
    run: usize,
    items: &[T],
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let run = run.max(1);
    if threads <= 1 || items.len() <= run {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let done = Mutex::new(Vec::new());
    on_all(threads.min(items.len().div_ceil(run)), |_, _| {
        // Runs are taken in order. So all items before one that failed are done.
        while !failed.load(Ordering::Relaxed) {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some(items) = items.chunks(run).nth(n) else {
                return;
            };
            let results: Result<Vec<R>, E> = items.iter().map(&work).collect();
            failed.fetch_or(results.is_err(), Ordering::Relaxed);
            done.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((n, results));
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(n, _)| *n);
    let mut all = Vec::with_capacity(items.len());
    for (_, results) in done {
        all.append(&mut results?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
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
    fn one_thread_is_the_caller() {
        let own = thread::current().id();
        on_all(1, |_, _| assert_eq!(thread::current().id(), own));
        let items: Vec<u32> = (0..100).collect();
        let same = |_: &u32| match thread::current().id() == own {
            true => Ok(()),
            false => Err(()),
        };
        try_map(1, 1, &items, same).unwrap();
        try_map(8, 100, &items, same).unwrap();
    }

    #[test]
    fn results_and_errors_keep_the_order_of_items() {
        let items: Vec<u32> = (0..1000).collect();
        for (threads, run) in [(1, 0), (4, 1), (4, 7), (3, 1000)] {
            let doubled = try_map(threads, run, &items, |n| Ok::<_, ()>(n * 2)).unwrap();
            assert!(doubled.iter().zip(&items).all(|(twice, n)| *twice == n * 2));
            assert_eq!(doubled.len(), items.len());
            let failing = |n: &u32| match n {
                300.. => Err(*n),
                _ => Ok(()),
            };
            assert_eq!(try_map(threads, run, &items, failing), Err(300));
        }
    }
}
