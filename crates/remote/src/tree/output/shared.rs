//! A tree that several processes write, as parts of one run.

use std::io;
use std::sync::Arc;

use parking_lot::Mutex;

use super::super::claim::{Claim, Run};
use super::super::switch::tidy;
use super::{Phase, Tree, TreeOutput};
use crate::requests::Session;
use crate::write::{PartSizes, Sending, TreeObjects};

impl TreeOutput {
    /// Joins what a run writes below `prefix`. Dropping it leaves everything in place.
    ///
    /// It may have been published or given up, or taken over: see [`is_open`](Self::is_open).
    pub fn join(session: Arc<Session>, prefix: &str, memory: u64, run: &Run) -> Self {
        let objects = TreeObjects {
            sending: Sending::new(session, memory),
            root: prefix.trim_end_matches('/').to_owned(),
        };
        let claim = Claim::of_run(run);
        let tree = Tree {
            objects,
            claim,
            sizes: PartSizes::REMOTE,
            state: Mutex::default(),
            is_shared: true,
        };
        Self {
            tree: Arc::new(tree),
            _claimed: None,
        }
    }

    /// Leaves the tree to the processes that [join](Self::join) the run: dropping this output deletes nothing.
    pub fn hand_over(&self) {
        self.tree.state.lock().phase = Phase::Published;
    }

    /// The run.
    pub fn run(&self) -> Run {
        Run {
            name: self.tree.claim.run.clone(),
            is_beside: self.tree.claim.is_beside,
        }
    }

    /// True if the run still has the prefix.
    ///
    /// # Errors
    /// The store fails.
    pub fn is_open(&self) -> io::Result<bool> {
        self.tree.claim.holds(&self.tree.objects)
    }

    /// Deletes what a run that was published has left: notes, and values that it built beside the older dataset.
    ///
    /// # Errors
    /// The store fails.
    pub fn tidy(&self) -> io::Result<()> {
        tidy(&self.tree.objects, &self.tree.claim.run)
    }

    /// Deletes everything that the run wrote.
    ///
    /// # Errors
    /// The store fails.
    pub fn abandon(&self) -> io::Result<()> {
        self.tree.enter(Phase::GivenUp)?;
        self.tree.undo()
    }
}
