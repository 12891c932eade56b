//! Pieces of work for all threads, within the budget of memory.
//!
//! ```text
//! groups ─► list, each in one thread ─► pieces ─► MemoryBudget: room for one more ─► work, in all threads
//! ```

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::vec::IntoIter;

use super::options::CheckOptions;
use crate::copy::{JobMemory, MemoryBudget, default_budget};
use crate::store::Requests;
use crate::threads::{self, on_all};

/// Most threads that wait for a slow store.
const MOST_WAITING: usize = 8;

/// Groups of pieces that are listed while others are worked on.
struct Queue<G, I> {
    state: Mutex<State<G, I>>,
    changed: Condvar,
}

struct State<G, I> {
    groups: IntoIter<G>,
    listed: VecDeque<I>,
    /// Number of groups that are being listed.
    listing: usize,
    /// Number of pieces that were taken.
    taken: u64,
}

/// One group that is being listed.
struct Listing<'q, G, I>(&'q Queue<G, I>);

impl<G, I> Drop for Listing<'_, G, I> {
    fn drop(&mut self) {
        self.0.lock().listing -= 1;
        self.0.changed.notify_all();
    }
}

impl<G, I: Iterator> Queue<G, I> {
    fn new(groups: Vec<G>) -> Self {
        Self {
            state: Mutex::new(State {
                groups: groups.into_iter(),
                listed: VecDeque::new(),
                listing: 0,
                taken: 0,
            }),
            changed: Condvar::new(),
        }
    }

    /// The next piece with its number. A group is listed without the lock: that may take a round trip to a store.
    fn next(&self, list: impl Fn(G) -> I) -> Option<(u64, I::Item)> {
        let mut state = self.lock();
        loop {
            while let Some(pieces) = state.listed.front_mut() {
                if let Some(piece) = pieces.next() {
                    state.taken += 1;
                    return Some((state.taken - 1, piece));
                }
                state.listed.pop_front();
            }
            if let Some(group) = state.groups.next() {
                state.listing += 1;
                drop(state);
                let listing = Listing(self);
                let pieces = list(group);
                self.lock().listed.push_back(pieces);
                drop(listing);
                state = self.lock();
            } else if state.listing > 0 {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            } else {
                return None;
            }
        }
    }
}

impl<G, I> Queue<G, I> {
    fn lock(&self) -> MutexGuard<'_, State<G, I>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lists the pieces of each group by `list`, and passes each piece with its number to `work`, in all threads at once. A piece
/// takes `memory` bytes while it is worked on. No more pieces are begun after a `Break`. `requests` are those that suit the
/// stores that are read.
pub(super) fn on_all_pieces<G, I, W>(
    options: &CheckOptions,
    requests: &[Requests],
    groups: Vec<G>,
    list: impl Fn(G) -> I + Sync,
    memory: impl Fn(&I::Item) -> u64 + Sync,
    work: impl Fn(&mut W, u64, I::Item) -> ControlFlow<()> + Sync,
) where
    G: Send,
    I: Iterator + Send,
    W: Default,
{
    let asked = options.threads.unwrap_or_else(threads::count);
    let slow = requests.iter().filter(|requests| requests.ahead);
    // Threads that wait for a store cost little.
    let waiting = slow.map(|requests| requests.in_flight.min(MOST_WAITING)).max();
    let queue = Queue::new(groups);
    let budget = MemoryBudget::new(options.memory.unwrap_or_else(default_budget), u64::MAX);
    on_all(asked.max(waiting.unwrap_or(0)), |_, _| {
        let mut worker = W::default();
        while let Some((number, piece)) = queue.next(&list) {
            let working = memory(&piece);
            if !budget.admit(JobMemory { working, block: 0 }, || 0) {
                break;
            }
            let done = work(&mut worker, number, piece);
            budget.complete(number, working, 0);
            if done.is_break() {
                budget.stop();
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    fn options(threads: usize, memory: u64) -> CheckOptions {
        CheckOptions {
            threads: Some(threads),
            memory: Some(memory),
        }
    }

    #[test]
    fn every_piece_is_worked_on_once() {
        let done = Mutex::new(Vec::new());
        let work = |(): &mut (), number, piece: u64| {
            done.lock().unwrap().push((number, piece));
            ControlFlow::Continue(())
        };
        let list = |group: u64| group * 10..group * 10 + group;
        on_all_pieces(&options(4, 1), &[], vec![3, 0, 2], list, |_| 5, work);
        let (mut numbers, mut pieces): (Vec<u64>, Vec<u64>) = done.into_inner().unwrap().into_iter().unzip();
        numbers.sort_unstable();
        pieces.sort_unstable();
        assert_eq!((numbers, pieces), ((0..5).collect(), vec![20, 21, 30, 31, 32]));
    }

    /// Listing the first group waits for the second one to be listed.
    #[test]
    fn groups_are_listed_at_once() {
        let (tell, told) = mpsc::channel();
        let told = Mutex::new(told);
        let list = |group: u64| {
            match group {
                0 => told
                    .lock()
                    .unwrap()
                    .recv_timeout(Duration::from_secs(20))
                    .unwrap(),
                _ => tell.send(()).unwrap(),
            }
            group..group + 1
        };
        let count = Mutex::new(0);
        let work = |(): &mut (), _, _| {
            *count.lock().unwrap() += 1;
            ControlFlow::Continue(())
        };
        let slow = [Requests::slow(2, 0)];
        on_all_pieces(&options(1, 1), &slow, vec![0, 1], list, |_| 1, work);
        assert_eq!(count.into_inner().unwrap(), 2);
    }

    #[test]
    fn nothing_is_begun_after_a_break() {
        let count = Mutex::new(0);
        let work = |(): &mut (), number, _| {
            *count.lock().unwrap() += 1;
            match number {
                3 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        };
        on_all_pieces(&options(1, 1), &[], vec![()], |()| 0..u64::MAX, |_| 1, work);
        assert_eq!(count.into_inner().unwrap(), 4);
    }
}
