//! Restores the order of sequence numbers of pieces that threads finish in any order.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ncutils_model::error::{Error, Result};

/// Most pieces that one call takes through their turn before it writes them.
const BATCH: usize = 16;

/// Pieces that wait for their turn. No thread waits: the call that submits the next piece in order also takes
/// the pieces after it that are already waiting.
///
/// ```text
/// submit(3) ─► held          submit(1) ─► turn(1), turn(2), turn(3) ─► write each
/// submit(2) ─► held
/// ```
#[derive(Debug)]
pub struct ReorderWindow<P> {
    state: Mutex<State<P>>,
}

#[derive(Debug)]
struct State<P> {
    /// The sequence number whose turn is next.
    next: u64,
    /// Pieces that came early.
    held: BTreeMap<u64, P>,
    /// True while a call takes pieces through their turn.
    busy: bool,
    /// True after a turn failed: no later one can come.
    failed: bool,
}

impl<P> Default for ReorderWindow<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P> ReorderWindow<P> {
    /// An empty window; the next turn is sequence number 0's.
    pub fn new() -> Self {
        Self {
            state: Mutex::new(State {
                next: 0,
                held: BTreeMap::new(),
                busy: false,
                failed: false,
            }),
        }
    }

    /// Submits the piece of `sequence`. `turn` is called for pieces in the order of sequence numbers, never for two at once.
    /// `write` is called with the results of `turn`, in any order and from any thread.
    ///
    /// # Errors
    /// The errors of `turn` and `write`, whichever piece they concern. Also if a sequence number is used twice, or
    /// after an earlier failure.
    pub fn submit<W>(
        &self,
        sequence: u64,
        piece: P,
        mut turn: impl FnMut(P) -> Result<W>,
        mut write: impl FnMut(W) -> Result<()>,
    ) -> Result<()> {
        let mut state = self.lock();
        if state.failed {
            return Err(earlier_failure());
        }
        if sequence < state.next || state.held.contains_key(&sequence) {
            return Err(Error::Usage(format!("sequence number {sequence} was used twice")));
        }
        state.held.insert(sequence, piece);
        if state.busy {
            return Ok(());
        }
        let mut ready = Vec::new();
        loop {
            let next = state.next;
            let Some(piece) = state.held.remove(&next) else {
                break;
            };
            state.busy = true;
            drop(state);
            let mut outcome = turn(piece).map(|piece| ready.push(piece));
            if outcome.is_ok() && ready.len() >= BATCH {
                outcome = ready.drain(..).try_for_each(&mut write);
            }
            state = self.lock();
            state.busy = false;
            if outcome.is_err() {
                state.failed = true;
                state.held.clear();
                return outcome;
            }
            state.next += 1;
        }
        drop(state);
        ready.into_iter().try_for_each(write).inspect_err(|_| {
            let mut state = self.lock();
            state.failed = true;
            state.held.clear();
        })
    }

    /// Checks that every submitted piece has had its turn.
    ///
    /// # Errors
    /// If a turn failed, or a sequence number is missing.
    pub fn close(&self) -> Result<()> {
        let state = self.lock();
        if state.failed {
            return Err(earlier_failure());
        }
        match state.held.keys().next() {
            None => Ok(()),
            Some(_) => Err(Error::Usage(format!(
                "sequence number {} was left out",
                state.next
            ))),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<P>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn earlier_failure() -> Error {
    Error::Usage("the file cannot be completed, as writing to it failed before".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn turns_follow_tickets_from_many_threads() {
        let window = ReorderWindow::new();
        let order = Mutex::new(Vec::new());
        let written = Mutex::new(Vec::new());
        let in_turn = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let (window, order, written, in_turn) = (&window, &order, &written, &in_turn);
                scope.spawn(move || {
                    // Each thread submits its sequence numbers backwards.
                    for sequence in (0..100).rev().map(|i| i * 4 + thread) {
                        window
                            .submit(
                                sequence,
                                sequence,
                                |t| {
                                    assert!(!in_turn.swap(true, Ordering::SeqCst), "two turns at once");
                                    order.lock().unwrap().push(t);
                                    in_turn.store(false, Ordering::SeqCst);
                                    Ok(t)
                                },
                                |t| {
                                    written.lock().unwrap().push(t);
                                    Ok(())
                                },
                            )
                            .unwrap();
                    }
                });
            }
        });
        window.close().unwrap();
        let expected: Vec<u64> = (0..400).collect();
        assert_eq!(order.into_inner().unwrap(), expected);
        let mut written = written.into_inner().unwrap();
        written.sort_unstable();
        assert_eq!(written, expected);
    }

    #[test]
    fn a_failure_ends_it_and_gaps_are_noticed() {
        let window = ReorderWindow::new();
        let submit = |sequence, good: bool| {
            window.submit(
                sequence,
                good,
                |good| {
                    if good { Ok(()) } else { Err(Error::UnknownFormat) }
                },
                Ok,
            )
        };
        submit(1, false).unwrap();
        assert!(
            window
                .close()
                .unwrap_err()
                .to_string()
                .contains("sequence number 0")
        );
        assert!(submit(1, true).unwrap_err().to_string().contains("twice"));
        assert!(submit(0, true).is_err());
        assert!(submit(2, true).unwrap_err().to_string().contains("before"));
        assert!(window.close().is_err());
    }
}
