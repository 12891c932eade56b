//! [`TreeOutput`]: a tree of keys on a remote store that is being written.
//!
//! Nothing can be renamed there, so a mark says whether the tree is whole. Marks and folders are those of
//! [`mark`](super::mark). A tree that has `.ncutils-partial` does not open.
//!
//! ```text
//!             nothing is there                      an older dataset is there, to be replaced
//!                    │                                              │
//!   1  put .ncutils-partial, if absent                put .ncutils-partial-new, if absent
//!   2  values ───────────────────► KEY                values ──────────► .ncutils-partial-RUN/d/KEY
//!   3  is the mark still ours?                        is the mark still ours?
//!   4  metadata, arrays first ─► KEY                   metadata ────────► .ncutils-partial-RUN/m/KEY
//!   5  root metadata, in the order of names           put .ncutils-partial, if absent: nothing opens
//!   6  delete .ncutils-partial: it opens              delete the old dataset, its root first
//!   7                                                 copy values, then metadata, the root last
//!   8                                                 delete .ncutils-partial: the new opens
//!   9                                                 delete .ncutils-partial-RUN/, and .ncutils-partial-new
//!                                                     if no other run builds
//! ```
//!
//! Each number begins when everything before it was acknowledged. A run that is killed leaves this:
//!
//! | killed | what opens | the next run |
//! | --- | --- | --- |
//! | left, before 1 | nothing; there are no keys | writes |
//! | left, from 1 to before 6 | nothing: the mark is there | is refused; replacing, it clears everything and writes |
//! | left, after 6 | the new dataset | is refused, as by any dataset; replacing, it goes to the right |
//! | right, before 5 | the old dataset, of which no key was touched | is refused; replacing, it clears the stage and begins anew |
//! | right, from 5 to before 8 | nothing: the mark is there, and names a stage that is whole | is refused; replacing, it does 6 to 9 again, then its own work |
//! | right, from 8 on | the new dataset; keys of the stage are no part of it | is refused; replacing, it clears them |
//!
//! Steps 6 to 9 can be repeated from any point: the stage is whole until 8, and 6 deletes whatever is there but the stage.
//! A run that fails, or is told to end, deletes what it wrote: in the tree everything but the mark, then the mark. From 5 on
//! to the right it leaves things as they are, and says so.
//!
//! Other programs do not know the mark. They find no root metadata before 5 on the left, nor between 6 and the end of 7 on
//! the right.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use tracing::debug;

use super::claim::{Claim, NotClaimed, Replaced};
use super::mark::{get_mark, is_reserved};
use super::metadata_order::arrays_first;
use super::switch::{begin, switch, tidy};
use crate::read::RemoteKeys;
use crate::requests::Session;
use crate::write::{LONGEST_STOP, TreeObjects, Upload};
use ncutils_remote_settings::url::joined;
use ncutils_store::file::unfinished::remains::remains;
use ncutils_store::io::incomplete_outputs::{IncompleteOutput, Unfinished};
use ncutils_store::keys::key::{PARTIAL, RESERVED, check_key};
use ncutils_store::{GetRange, KeyOutput, KeyStore, ValueWriter};

/// Checks whether the keys below a prefix are what is to be replaced, and nothing else. An error says which is none of it.
pub type KeysCheck<'a> = &'a dyn Fn(Replaced, &[String]) -> io::Result<()>;

/// A tree of keys that is being written, by one process or several.
///
/// A put returns before the store has the value. Its failure is told by a later call, or by
/// [`publish`](KeyOutput::publish).
pub struct TreeOutput {
    tree: Arc<UnpublishedTree>,
    /// Gives the claim up when the process ends. `None` if other processes write, too.
    _claimed: Option<IncompleteOutput<Claimed>>,
}

/// A tree, once its prefix is claimed. The lock is held as long as it is being claimed.
#[derive(Default)]
struct Claimed(Mutex<Option<Arc<UnpublishedTree>>>);

impl Unfinished for Claimed {
    fn give_up(&self) {
        if let Some(tree) = &*self.0.lock() {
            tree.give_up();
        }
    }
}

struct UnpublishedTree {
    objects: TreeObjects,
    claim: Claim,
    state: Mutex<State>,
    /// True if several processes write. They leave notes in the folder of the run.
    is_shared: bool,
}

#[derive(Default)]
struct State {
    phase: Phase,
    /// Metadata, which is written at the end.
    metadata: BTreeMap<String, Vec<u8>>,
    /// Values that are not whole yet.
    uploads: Vec<Arc<Upload>>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Phase {
    #[default]
    Open,
    /// Everything is written, and the tree's mark is deleted.
    Opening,
    /// The older dataset is being replaced.
    Switching,
    Published,
    GivenUp,
}

impl TreeOutput {
    /// Starts a tree below `prefix`, which is empty for the whole bucket. It holds at most about `memory` bytes. With
    /// `replaces`, leftovers of a killed run are cleared, and a dataset that is there is replaced when the new one is
    /// complete, if it passes that check.
    ///
    /// # Errors
    /// Anything that is there, without `replaces`; a bucket that is not there, or may not be listed or written to.
    pub fn create(
        session: Arc<Session>,
        prefix: &str,
        memory: u64,
        replaces: Option<KeysCheck<'_>>,
    ) -> Result<Self, NotClaimed> {
        Self::of_objects(TreeObjects::new(session, prefix, memory), replaces)
    }

    fn of_objects(objects: TreeObjects, replaces: Option<KeysCheck<'_>>) -> Result<Self, NotClaimed> {
        let claimed = Arc::new(Claimed::default());
        let mut slot = claimed.0.lock();
        // Listed before anything is written: a program that is told to end waits for the claim, and gives it up.
        let listed = IncompleteOutput::new(Arc::clone(&claimed));
        let claim = match replaces {
            None => Claim::of_empty(&objects),
            Some(check) => Claim::of_taken(&objects, check),
        };
        // What is listed locks the slot when it is dropped.
        let claim = match claim {
            Ok(claim) => claim,
            Err(why) => {
                drop(slot);
                return Err(why);
            }
        };
        debug!(
            prefix = objects.root,
            run = claim.name,
            beside = claim.is_beside,
            "claimed"
        );
        let tree = Arc::new(UnpublishedTree {
            objects,
            claim,
            state: Mutex::default(),
            is_shared: false,
        });
        *slot = Some(Arc::clone(&tree));
        drop(slot);
        Ok(Self {
            tree,
            _claimed: Some(listed),
        })
    }

    /// Joins what a run writes below `prefix`. Dropping it leaves everything in place.
    ///
    /// It may have been published or given up, or taken over: see [`is_open`](Self::is_open).
    pub fn join(session: Arc<Session>, prefix: &str, memory: u64, claim: &Claim) -> Self {
        let tree = UnpublishedTree {
            objects: TreeObjects::new(session, prefix, memory),
            claim: claim.clone(),
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

    /// The claim of the run.
    pub fn claim(&self) -> &Claim {
        &self.tree.claim
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
        tidy(&self.tree.objects, &self.tree.claim.name, false)
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

fn given_up() -> io::Error {
    io::Error::other("the output was published already, or given up")
}

impl UnpublishedTree {
    /// Enters a phase, unless the output was given up.
    fn enter(&self, phase: Phase) -> io::Result<()> {
        let mut state = self.state.lock();
        if matches!(state.phase, Phase::GivenUp | Phase::Published) {
            return Err(given_up());
        }
        state.phase = phase;
        Ok(())
    }

    /// The key below the prefix that a value is written to.
    fn value_key(&self, key: &str) -> io::Result<String> {
        check_key(key)?;
        if is_reserved(key) {
            let why = format!("the key {key:?} is reserved for partial datasets");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        Ok(format!("{}{key}", self.claim.values()))
    }

    /// The tree as it is now, for reading.
    fn read_staged(&self) -> io::Result<Arc<RemoteKeys>> {
        let TreeObjects { sending, root, .. } = &self.objects;
        sending.wait()?;
        let state = self.state.lock();
        let metadata = state.metadata.iter();
        let documents = metadata.map(|(key, value)| (key.clone(), Some(Arc::from(&**value))));
        // The mark of a tree that does not open yet is no part of it.
        let known = documents.chain([(PARTIAL.to_owned(), None)]).collect();
        let prefix = joined(root, &self.claim.values());
        Ok(RemoteKeys::with_known(sending.session(), &prefix, known))
    }

    fn publish(&self) -> io::Result<()> {
        let sending = &self.objects.sending;
        self.enter(Phase::Open)?;
        sending.wait()?;
        self.claim.check(&self.objects)?;
        let metadata: Vec<_> = std::mem::take(&mut self.state.lock().metadata)
            .into_iter()
            .collect();
        let keys = metadata.iter().map(|(key, _)| key.clone());
        let root: Vec<String> = keys.filter(|key| !key.contains('/')).collect();
        let folder = self.claim.metadata();
        for group in arrays_first(metadata, |(key, _): &(String, Vec<u8>)| key) {
            for (key, document) in group {
                self.objects.send(&format!("{folder}{key}"), &key, &document)?;
            }
            sending.wait()?;
        }
        match self.claim.is_beside {
            false => {
                // The mark of another run says that its tree is not complete.
                self.claim.check(&self.objects)?;
                self.enter(Phase::Opening)?;
                self.objects.delete_mark(PARTIAL, &self.claim.mark().1.text())?;
                self.check_root(&root)?;
            }
            true => {
                self.enter(Phase::Switching)?;
                let mark = begin(&self.objects, &self.claim.name).inspect_err(|_| self.unmark())?;
                // A run that took over has deleted what was built.
                self.claim.check(&self.objects).inspect_err(|_| self.unmark())?;
                switch(&self.objects, &mark)?;
            }
        }
        self.enter(Phase::Published)?;
        let tidied = match self.is_shared || self.claim.is_beside {
            true => tidy(&self.objects, &self.claim.name, self.is_shared),
            false => Ok(()),
        };
        if let Err(e) = tidied {
            remains(format!(
                "the dataset {} is complete; keys that begin with {RESERVED} stay beside it: {e}",
                self.place()
            ));
        }
        debug!(prefix = self.objects.root, "published");
        Ok(())
    }

    /// Fails if another run took the tree over in the moment in which its mark was deleted: it clears the root first.
    fn check_root(&self, root: &[String]) -> io::Result<()> {
        let Some(last) = root.last() else {
            return Ok(());
        };
        // A server that has just written it may say once that it is not there.
        let is_gone = || matches!(self.objects.get(last), Ok(None));
        match is_gone() && is_gone() {
            true => Err(io::Error::other(format!(
                "another run took over, and deleted {last}"
            ))),
            false => Ok(()),
        }
    }

    /// Takes back the mark of a switch that could not begin, if it came to be. Then the old dataset is as it was.
    fn unmark(&self) {
        let is_free = match get_mark(&self.objects, PARTIAL) {
            Ok(Some((mark, _))) if mark.run == self.claim.name && mark.by == self.claim.name => {
                self.objects.delete([PARTIAL]).is_ok()
            }
            found => found.is_ok(),
        };
        if is_free {
            let _ = self.enter(Phase::Open);
        }
    }

    /// Deletes what was written.
    fn undo(&self) -> io::Result<()> {
        let uploads = std::mem::take(&mut self.state.lock().uploads);
        // An upload that stays must not keep the rest.
        let aborted: Vec<io::Result<()>> = uploads.iter().map(|upload| upload.abort()).collect();
        self.claim.undo(&self.objects)?;
        aborted.into_iter().collect()
    }

    /// Where the tree is, for messages.
    fn place(&self) -> String {
        match self.objects.root.as_str() {
            "" => self.objects.sending.session().shown().to_owned(),
            root => format!("{root} in {}", self.objects.sending.session().shown()),
        }
    }

    fn give_up(&self) {
        let mut state = self.state.lock();
        let before = std::mem::replace(&mut state.phase, Phase::GivenUp);
        drop(state);
        let place = self.place();
        match before {
            Phase::Published | Phase::GivenUp => {
                self.state.lock().phase = before;
            }
            Phase::Open => {
                self.objects.sending.stop(LONGEST_STOP);
                if let Err(e) = self.undo() {
                    remains(format!(
                        "what was written stays below {place}, with the key {PARTIAL}: {e}"
                    ));
                }
            }
            // The dataset is whole, so its mark goes, unless another run has taken it over.
            Phase::Opening => {
                if let Err(e) = self.claim.release(&self.objects) {
                    remains(format!(
                        "the dataset {place} is complete, but does not open before its key {PARTIAL} is deleted: {e}"
                    ));
                }
            }
            Phase::Switching => remains(format!(
                "the dataset {place} is being replaced, and does not open before the same command has run again"
            )),
        }
    }
}

impl KeyOutput for TreeOutput {
    fn check(&self, key: &str) -> io::Result<()> {
        self.tree.objects.path(&self.tree.value_key(key)?).map(drop)
    }

    fn put(&self, key: &str, value: &[u8]) -> io::Result<()> {
        self.tree.objects.send(&self.tree.value_key(key)?, key, value)
    }

    fn put_last(&self, key: &str, value: &[u8]) -> io::Result<()> {
        self.check(key)?;
        let mut state = self.tree.state.lock();
        state.metadata.insert(key.to_owned(), value.to_owned());
        Ok(())
    }

    fn create(&self, key: &str) -> io::Result<Box<dyn ValueWriter>> {
        let (upload, value) = self.tree.objects.create(&self.tree.value_key(key)?, key)?;
        let mut state = self.tree.state.lock();
        if state.phase != Phase::Open {
            return Err(given_up());
        }
        state.uploads.retain(|upload| !upload.is_complete());
        state.uploads.push(upload);
        Ok(value)
    }

    fn staged(&self, key: &str) -> io::Result<Option<Vec<u8>>> {
        self.tree.value_key(key)?;
        self.tree.read_staged()?.get(key, GetRange::Whole)
    }

    fn staged_keys(&self, prefix: &str) -> io::Result<Vec<String>> {
        self.tree.read_staged()?.list(prefix)
    }

    fn read_staged(&self) -> io::Result<Option<Arc<dyn KeyStore>>> {
        Ok(Some(self.tree.read_staged()?))
    }

    fn wait(&self) -> io::Result<()> {
        self.tree.objects.sending.wait()?;
        self.tree.claim.check(&self.tree.objects)
    }

    fn publish(&self) -> io::Result<()> {
        self.tree.publish()
    }
}

#[cfg(test)]
mod tests;
