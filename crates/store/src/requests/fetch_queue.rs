//! Fetches that must wait for each other, because each holds more bytes for a while than its caller asked for.
//!
//! ```text
//! begin(bytes) ─► waits while others hold too much ─► start ─► Object::fetch ─► the bytes are used ─► Admitted is dropped
//! ```

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Start = Box<dyn FnOnce(Admitted) + Send>;

/// Upper limit, in bytes, of what the admitted fetches of one queue hold together, unless a single one holds more.
const MOST: u64 = 32 << 20;

/// A queue of fetches. They begin in order.
#[derive(Default)]
pub struct FetchQueue {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    held: u64,
    waiting: VecDeque<(u64, Start)>,
    /// True while a thread starts fetches. Fetches of an object that answers at once end within their start, and must not
    /// start the next ones there: the stack would grow with each.
    is_starting: bool,
}

impl FetchQueue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `start` once there is room for `bytes` bytes, on this thread or on one that makes room. They are what a fetch holds
    /// at most until [`Admitted`] is dropped, without the ranges that it was asked for.
    pub fn begin(self: &Arc<Self>, bytes: u64, start: impl FnOnce(Admitted) + Send + 'static) {
        self.lock().waiting.push_back((bytes, Box::new(start)));
        self.start();
    }

    fn start(self: &Arc<Self>) {
        let mut state = self.lock();
        if state.is_starting {
            return;
        }
        while let Some((bytes, _)) = state.waiting.front() {
            let bytes = *bytes;
            if state.held > 0 && state.held.saturating_add(bytes) > MOST {
                break;
            }
            let Some((_, start)) = state.waiting.pop_front() else {
                break;
            };
            state.held = state.held.saturating_add(bytes);
            state.is_starting = true;
            drop(state);
            let admitted = Admitted {
                queue: Arc::clone(self),
                bytes,
            };
            // A start that panics drops the callback of its fetch, which tells the caller.
            let _ = catch_unwind(AssertUnwindSafe(|| start(admitted)));
            state = self.lock();
            state.is_starting = false;
        }
    }
}

/// Room in a [`FetchQueue`], until it is dropped.
pub struct Admitted {
    queue: Arc<FetchQueue>,
    bytes: u64,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        {
            let mut state = self.queue.lock();
            state.held = state.held.saturating_sub(self.bytes);
        }
        self.queue.start();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn fetches_wait_for_room_and_begin_in_order() {
        let queue = Arc::new(FetchQueue::default());
        let (tell, told) = mpsc::channel();
        for n in 0..4 {
            let tell = tell.clone();
            queue.begin(MOST / 2, move |admitted| tell.send((n, admitted)).unwrap());
        }
        let first = told.recv().unwrap();
        let second = told.recv().unwrap();
        assert_eq!((first.0, second.0), (0, 1));
        assert!(told.try_recv().is_err());
        drop(second);
        assert_eq!(told.recv().unwrap().0, 2);
        drop(first);
        assert_eq!(told.recv().unwrap().0, 3);
        // More than all of it is admitted alone.
        let other = tell.clone();
        queue.begin(3 * MOST, move |admitted| other.send((4, admitted)).unwrap());
        assert_eq!(told.recv().unwrap().0, 4);
    }

    #[test]
    fn answers_at_once_take_no_stack_and_panics_no_room() {
        let queue = Arc::new(FetchQueue::default());
        fn next(queue: &Arc<FetchQueue>, left: u64, tell: mpsc::Sender<()>) {
            let again = Arc::clone(queue);
            queue.begin(MOST, move |admitted| {
                drop(admitted);
                match left {
                    0 => tell.send(()).unwrap(),
                    _ => next(&again, left - 1, tell),
                }
            });
        }
        let (tell, told) = mpsc::channel();
        next(&queue, 200_000, tell.clone());
        told.recv().unwrap();
        queue.begin(MOST, |_| panic!("a test of panics"));
        next(&queue, 1, tell);
        told.recv().unwrap();
    }
}
