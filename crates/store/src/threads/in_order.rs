//! [`in_order`]: jobs that threads do in any order, with results in the order of jobs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::on_all::on_all;

/// Does jobs on `threads` threads.
///
/// ```text
/// next, one thread at a time ─► job ─► work, all threads ─► result, held ─► emit, in the order of jobs
/// ```
///
/// - `worker` makes what a thread keeps from one job to the next, such as buffers.
/// - `next` gives the next job. It is not called any more after it returned `None` or failed.
/// - `work` does a job. It waits until all jobs but the last `ahead` before it were emitted.
/// - `emit` receives the results, from any thread, one at a time. Other threads go on meanwhile.
///
/// # Errors
/// The error of the first job that failed. No job is taken after an error.
pub fn in_order<W, J, R: Send, E: Send>(
    threads: usize,
    ahead: u64,
    worker: impl Fn() -> Result<W, E> + Sync,
    next: impl FnMut(&mut W) -> Result<Option<J>, E> + Send,
    work: impl Fn(&mut W, J) -> Result<R, E> + Sync,
    emit: impl FnMut(R) -> Result<(), E> + Send,
) -> Result<(), E> {
    let jobs = Mutex::new(Jobs {
        next: Some(next),
        taken: 0,
    });
    let line = OrderedResults {
        state: Mutex::new(State {
            emit: Some(emit),
            emitted: 0,
            held: BTreeMap::new(),
            failure: None,
            waiting: 0,
        }),
        emitted: Condvar::new(),
        stopped: AtomicBool::new(false),
        ahead,
    };
    on_all(threads, |_, _| {
        let _stop = StopOnPanic(&line);
        let mut worker = match worker() {
            Ok(worker) => worker,
            Err(error) => return line.fail(u64::MAX, error),
        };
        while !line.stopped.load(Ordering::Relaxed) {
            let done = match take(&jobs, &mut worker) {
                (_, Ok(None)) => return,
                (number, Err(error)) => Err((number, error)),
                (number, Ok(Some(_))) if !line.wait(number) => return,
                (number, Ok(Some(job))) => match work(&mut worker, job) {
                    Ok(result) => line.submit(number, result),
                    Err(error) => Err((number, error)),
                },
            };
            if let Err((number, error)) = done {
                return line.fail(number, error);
            }
        }
    });
    let state = line.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match state.failure {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}

/// Where jobs come from.
struct Jobs<N> {
    /// `None` after the last job, and after an error.
    next: Option<N>,
    /// Number of jobs that were taken.
    taken: u64,
}

/// The next job, with its number.
fn take<W, J, E, N>(jobs: &Mutex<Jobs<N>>, worker: &mut W) -> (u64, Result<Option<J>, E>)
where
    N: FnMut(&mut W) -> Result<Option<J>, E>,
{
    let mut jobs = jobs.lock().unwrap_or_else(PoisonError::into_inner);
    let number = jobs.taken;
    let Some(mut next) = jobs.next.take() else {
        return (number, Ok(None));
    };
    let job = next(worker);
    if let Ok(Some(_)) = job {
        jobs.taken += 1;
        jobs.next = Some(next);
    }
    (number, job)
}

/// The results, on their way to `emit`.
struct OrderedResults<R, E, O> {
    state: Mutex<State<R, E, O>>,
    /// Told when a result was emitted, and when no more will be.
    emitted: Condvar,
    stopped: AtomicBool,
    ahead: u64,
}

struct State<R, E, O> {
    /// `None` while a thread emits.
    emit: Option<O>,
    /// Number of results that were emitted.
    emitted: u64,
    /// Results whose turn has not come, by the number of their job.
    held: BTreeMap<u64, R>,
    /// The error of the first job that failed, with its number.
    failure: Option<(u64, E)>,
    /// Number of threads that wait.
    waiting: usize,
}

impl<R, E, O> OrderedResults<R, E, O> {
    fn lock(&self) -> MutexGuard<'_, State<R, E, O>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a job may begin. Never waits for the first job that was not emitted. Returns false if it will not begin.
    fn wait(&self, number: u64) -> bool {
        if number <= self.ahead {
            return true;
        }
        let mut state = self.lock();
        while number > state.emitted.saturating_add(self.ahead) {
            if self.stopped.load(Ordering::Relaxed) {
                return false;
            }
            state.waiting += 1;
            state = self.emitted.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        true
    }

    /// Called with the state locked, so that no thread that is about to wait misses it.
    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.emitted.notify_all();
    }

    fn fail(&self, number: u64, error: E) {
        let mut state = self.lock();
        if state.failure.as_ref().is_none_or(|(first, _)| number < *first) {
            state.failure = Some((number, error));
        }
        self.stop();
    }
}

impl<R, E, O: FnMut(R) -> Result<(), E>> OrderedResults<R, E, O> {
    /// Submits a result, and emits the results whose turn it is. Fails with the number of the job that `emit` failed for.
    fn submit(&self, number: u64, result: R) -> Result<(), (u64, E)> {
        let mut state = self.lock();
        state.held.insert(number, result);
        // Another thread that emits takes this result along.
        let Some(mut emit) = state.emit.take() else {
            return Ok(());
        };
        loop {
            let turn = state.emitted;
            let Some(result) = state.held.remove(&turn) else {
                state.emit = Some(emit);
                return Ok(());
            };
            drop(state);
            // After an error, `emit` is gone with this call.
            emit(result).map_err(|error| (turn, error))?;
            state = self.lock();
            state.emitted += 1;
            if state.waiting > 0 {
                self.emitted.notify_all();
            }
        }
    }
}

/// Stops all threads if one panics: others may wait for its result.
struct StopOnPanic<'a, R, E, O>(&'a OrderedResults<R, E, O>);

impl<R, E, O> Drop for StopOnPanic<'_, R, E, O> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _locked = self.0.lock();
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    fn run(threads: usize, ahead: u64, fails: impl Fn(u64) -> bool + Sync) -> (Vec<u64>, Result<(), u64>) {
        let (mut at, mut emitted) = (0..1000u64, Vec::new());
        let done = in_order(
            threads,
            ahead,
            || Ok(()),
            |()| Ok(at.next()),
            |(), n| match fails(n) {
                true => Err(n),
                false => Ok(n),
            },
            |n| {
                emitted.push(n);
                Ok(())
            },
        );
        (emitted, done)
    }

    #[test]
    fn results_come_in_the_order_of_jobs() {
        for (threads, ahead) in [(1, 0), (4, 0), (4, 3), (4, u64::MAX)] {
            let (emitted, done) = run(threads, ahead, |_| false);
            assert_eq!((emitted, done), ((0..1000).collect(), Ok(())));
        }
    }

    #[test]
    fn the_first_error_counts() {
        for (threads, ahead) in [(1, 0), (4, 0), (4, 3), (4, u64::MAX)] {
            let (emitted, done) = run(threads, ahead, |n| n >= 300);
            assert_eq!(done, Err(300));
            assert!(emitted.len() <= 300 && emitted.iter().zip(0..).all(|(n, at)| *n == at));
        }
    }

    #[test]
    fn no_thread_is_too_far_ahead() {
        let (mut jobs, begun) = (0..500u64, AtomicU64::new(0));
        let emitted = AtomicU64::new(0);
        in_order::<_, _, _, ()>(
            4,
            2,
            || Ok(()),
            |()| Ok(jobs.next()),
            |(), n| {
                assert!(n <= emitted.load(Ordering::SeqCst) + 3);
                begun.fetch_add(1, Ordering::SeqCst);
                Ok(n)
            },
            |n| {
                emitted.store(n, Ordering::SeqCst);
                Ok(())
            },
        )
        .unwrap();
        assert_eq!(begun.into_inner(), 500);
    }

    #[test]
    fn nothing_is_asked_after_the_end_or_an_error() {
        for last in [Ok(None), Err(7)] {
            let mut calls = 0;
            let next = |(): &mut ()| {
                calls += 1;
                match calls {
                    5 => last,
                    _ => Ok(Some(())),
                }
            };
            let done = in_order(4, 1, || Ok(()), next, |(), ()| Ok(()), |()| Ok(()));
            assert_eq!((calls, done), (5, last.map(|_: Option<()>| ())));
        }
    }

    #[test]
    fn emit_fails_once() {
        let (mut jobs, mut emitted) = (0..1000, 0);
        let done = in_order(
            4,
            5,
            || Ok(()),
            |()| Ok(jobs.next()),
            |(), n| Ok(n),
            |n| {
                emitted += 1;
                if n == 10 { Err(n) } else { Ok(()) }
            },
        );
        assert_eq!((done, emitted), (Err(10), 11));
    }

    #[test]
    #[should_panic]
    fn a_panic_leaves_nobody_waiting() {
        let _ = run(4, 0, |n| {
            assert!(n < 50, "expected");
            false
        });
    }
}
