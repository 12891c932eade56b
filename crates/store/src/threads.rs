//! Runs the same work on all threads of a rayon pool.

use rayon::ThreadPoolBuilder;

/// Upper limit of threads, however many are asked for: a pool of thousands takes longer to make than most work takes.
const MOST_THREADS: usize = 256;

/// Runs `work` on `threads` threads at once, and returns when all have returned. Each call gets its thread's number,
/// from 0, and the number of threads. At most 256 run. If the system refuses so many threads, fewer are used: one thread must be able to
/// do all the work.
pub fn on_all(threads: usize, work: impl Fn(usize, usize) + Sync) {
    let mut threads = threads.min(MOST_THREADS);
    while threads > 1 {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|n| format!("ncutils-{n}"))
            .build();
        if let Ok(pool) = pool {
            pool.broadcast(|context| work(context.index(), context.num_threads()));
            return;
        }
        threads /= 2;
    }
    work(0, 1);
}

#[cfg(test)]
mod tests {
    use super::{MOST_THREADS, on_all};
    use std::sync::Mutex;

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
}
