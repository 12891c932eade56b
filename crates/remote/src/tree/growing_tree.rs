//! [`GrowingTree`]: a tree of keys on a remote store that values are added to where it is.
//!
//! ```text
//! put .ncutils-growing, with a note ─► values ─► metadata, one after another ─► delete .ncutils-growing
//! ```
//!
//! Each value appears as a whole, and metadata when all values were acknowledged. A run that is killed leaves the mark, whose note
//! tells how to undo what it did. Nobody can tell it from one that lives, so that the next run is refused, unless its user knows.

use std::io;
use std::sync::Arc;

use object_store::{PutMode, UpdateVersion};
use parking_lot::Mutex;

use super::claim::NotClaimed;
use super::mark::is_reserved;
use crate::requests::Session;
use crate::write::TreeObjects;
use ncutils_store::file::unfinished::partial::wait_while_ending;
use ncutils_store::keys::key::{GROWING, check_key};
use ncutils_store::new_run;
use ncutils_store::{GrowingKeys, KeyOutput, KeyStore, SWITCHING, ValueWriter};

/// A tree of keys on a remote store that values are added to.
///
/// A put returns before the store has the value. Its failure is told by a later call, or by
/// [`publish`](KeyOutput::publish).
pub struct GrowingTree {
    objects: TreeObjects,
    /// Differs from that of any other run.
    run: String,
    /// `None` when the mark is gone.
    mark: Mutex<Option<GrowingMark>>,
}

/// The mark of a run.
struct GrowingMark {
    text: String,
    version: UpdateVersion,
    /// True if it has a note, by which a later run must go.
    is_noted: bool,
    /// True once metadata may be there.
    is_switching: bool,
}

impl GrowingMark {
    /// Puts another text into the mark.
    fn replace(&mut self, objects: &TreeObjects, text: String) -> io::Result<()> {
        self.version = put(objects, &text, PutMode::Update(self.version.clone()))?;
        self.text = text;
        Ok(())
    }
}

impl GrowingTree {
    /// Begins to add to the tree below `prefix`. It holds at most about `memory` bytes. Also returns the note of a run that was killed;
    /// empty if there was none. `takes_over`: the run whose mark is there is known to be dead.
    ///
    /// # Errors
    /// [`NotClaimed::Taken`] for the mark of another run; a bucket that is not there, or may not be written to.
    pub fn open(
        session: Arc<Session>,
        prefix: &str,
        memory: u64,
        takes_over: bool,
    ) -> Result<(Self, Vec<u8>), NotClaimed> {
        let objects = TreeObjects::new(session, prefix, memory);
        let run = new_run();
        let (mode, note) = match objects.get(GROWING)? {
            Some(_) if !takes_over => {
                return Err(NotClaimed::Taken(format!(
                    "another run adds to it, or one was killed and has left {GROWING}"
                )));
            }
            Some(found) => {
                let note = match found.bytes.iter().position(|byte| *byte == b'\n') {
                    Some(line) => found.bytes[line + 1..].to_vec(),
                    None => Vec::new(),
                };
                (PutMode::Update(found.update()), note)
            }
            None => (PutMode::Create, Vec::new()),
        };
        // The note stays until it was followed.
        let text = format!("{run}\n{}", String::from_utf8_lossy(&note));
        let mark = GrowingMark {
            version: put(&objects, &text, mode)?,
            text,
            is_noted: !note.is_empty(),
            is_switching: false,
        };
        let mark = Mutex::new(Some(mark));
        Ok((Self { objects, run, mark }, note))
    }

    fn key<'k>(&self, key: &'k str) -> io::Result<&'k str> {
        check_key(key)?;
        match is_reserved(key) || key == GROWING {
            true => Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("the key {key:?} is reserved"),
            )),
            false => Ok(key),
        }
    }

    /// Waits for what was put, and changes the mark.
    ///
    /// # Errors
    /// The failure of an earlier request; a mark that is gone; those of `change`.
    fn with_mark(&self, change: impl FnOnce(&mut GrowingMark) -> io::Result<()>) -> io::Result<()> {
        self.objects.sending.wait()?;
        change(self.mark.lock().as_mut().ok_or_else(taken_over)?)
    }

    /// Waits for what was put, and notes that what leads to it may be there from now on.
    fn begin_switch(&self) -> io::Result<()> {
        self.objects.sending.wait()?;
        let noted = self
            .mark
            .lock()
            .as_ref()
            .filter(|mark| mark.is_switching)
            .map(|mark| mark.text.clone());
        if let Some(text) = noted {
            // The mark is not locked over this look.
            return match self.objects.get(GROWING)? {
                Some(found) if found.bytes == text.as_bytes() => Ok(()),
                _ => Err(taken_over()),
            };
        }
        self.with_mark(|mark| {
            // Another thread may have noted it since.
            if !mark.is_switching {
                mark.replace(&self.objects, format!("{}{SWITCHING}", mark.text))?;
                mark.is_switching = true;
            }
            Ok(())
        })
    }
}

fn taken_over() -> io::Error {
    io::Error::other("another run adds to the same dataset")
}

/// Puts the mark, and returns its version.
fn put(objects: &TreeObjects, text: &str, mode: PutMode) -> io::Result<UpdateVersion> {
    if !objects.put_mark(GROWING, text.as_bytes(), mode)? {
        return Err(taken_over());
    }
    match objects.get(GROWING)? {
        Some(found) if found.bytes == text.as_bytes() => Ok(found.update()),
        _ => Err(taken_over()),
    }
}

impl GrowingKeys for GrowingTree {
    fn replace(&self, key: &str, old: &[u8], new: &[u8]) -> io::Result<bool> {
        self.begin_switch()?;
        let key = self.key(key)?;
        match self.objects.get(key)?.filter(|found| found.bytes == old) {
            Some(found) => self.objects.replace(key, new, found.update()),
            None => Ok(false),
        }
    }

    fn note(&self, note: &[u8]) -> io::Result<()> {
        // What a note undoes, and what was undone by it, is there before the note changes.
        self.with_mark(|mark| {
            let text = format!("{}\n{}", self.run, String::from_utf8_lossy(note));
            mark.replace(&self.objects, text)?;
            mark.is_noted = !note.is_empty();
            Ok(())
        })
    }

    fn remove(&self, key: &str) -> io::Result<()> {
        self.objects.sending.wait()?;
        self.objects.delete([self.key(key)?])
    }

    fn end(&self) -> io::Result<()> {
        self.objects.sending.wait()?;
        match self.mark.lock().take() {
            Some(mark) => self.objects.delete_mark(GROWING, &mark.text),
            None => Ok(()),
        }
    }
}

impl Drop for GrowingTree {
    fn drop(&mut self) {
        wait_while_ending();
        let is_noted = self.mark.lock().as_ref().is_some_and(|mark| mark.is_noted);
        if !is_noted {
            // Nothing was added.
            let _ = self.end();
        }
    }
}

impl KeyOutput for GrowingTree {
    fn check(&self, key: &str) -> io::Result<()> {
        self.objects.path(self.key(key)?).map(|_| ())
    }

    fn put(&self, key: &str, value: &[u8]) -> io::Result<()> {
        let key = self.key(key)?;
        self.objects.send(key, key, value)
    }

    fn put_last(&self, key: &str, value: &[u8]) -> io::Result<()> {
        self.begin_switch()?;
        self.put(key, value)?;
        self.objects.sending.wait()
    }

    fn create(&self, key: &str) -> io::Result<Box<dyn ValueWriter>> {
        Ok(self.objects.create(self.key(key)?, key)?.1)
    }

    /// The value as it is now. A reader of the tree, which counts on one state, fails for a value that another program has changed.
    fn staged(&self, key: &str) -> io::Result<Option<Vec<u8>>> {
        self.objects.sending.wait()?;
        Ok(self.objects.get(key)?.map(|found| found.bytes))
    }

    fn staged_keys(&self, prefix: &str) -> io::Result<Vec<String>> {
        self.objects.read()?.list(prefix)
    }

    fn publish(&self) -> io::Result<()> {
        self.end()
    }
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;

    use super::*;
    use crate::tests::faulty_store::{Fault, FaultyStore, contents};

    /// A tree on a store with a fault, in which `ref` has the value `old`.
    fn with_ref(fault: Fault) -> (GrowingTree, Arc<Session>) {
        let session = Session::over(FaultyStore::new(Arc::new(InMemory::new()), fault), "memory");
        let (tree, _) = GrowingTree::open(Arc::clone(&session), "t", 32 << 20, false).unwrap();
        tree.put("ref", b"old").unwrap();
        tree.objects.sending.wait().unwrap();
        (tree, session)
    }

    #[test]
    fn a_value_is_replaced_if_nobody_changed_it() {
        let (tree, session) = with_ref(Fault::Never);
        let stale = tree.objects.get("ref").unwrap().unwrap().update();
        assert!(!tree.replace("ref", b"other", b"new").unwrap());
        assert!(!tree.replace("none", b"old", b"new").unwrap());
        assert!(tree.replace("ref", b"old", b"new").unwrap());
        assert_eq!(tree.staged("ref").unwrap().unwrap(), b"new");
        // Another program has come between the look and the change.
        assert!(!tree.objects.replace("ref", b"late", stale).unwrap());
        assert_eq!(tree.staged("ref").unwrap().unwrap(), b"new");
        let again = GrowingTree::open(session, "t", 32 << 20, false);
        assert!(matches!(again, Err(NotClaimed::Taken(_))));
    }

    #[test]
    fn a_value_that_another_program_replaced_again_was_replaced() {
        let (tree, _) = with_ref(Fault::ReplacedAgain("t/ref"));
        assert!(tree.replace("ref", b"old", b"new").unwrap());
        assert_eq!(tree.staged("ref").unwrap().unwrap(), b"newer");
    }

    #[test]
    fn metadata_waits_for_a_mark_that_tells_of_it() {
        let healthy = FaultyStore::new(Arc::new(InMemory::new()), Fault::Never);
        let open = |store: &Arc<FaultyStore>| {
            let session = Session::over(store.clone(), "memory");
            GrowingTree::open(session, "t", 32 << 20, false).unwrap().0
        };
        let _tree = open(&healthy);
        let before = healthy.requests();
        let store = FaultyStore::new(Arc::new(InMemory::new()), Fault::Fails(before));
        let tree = open(&store);
        assert!(tree.put_last("meta", b"x").is_err(), "the mark was not replaced");
        tree.put_last("meta", b"x").unwrap();
        let mark = &contents(&store.inner)[&format!("t/{GROWING}")];
        assert!(mark.ends_with(SWITCHING.as_bytes()), "{mark:?}");
    }

    #[test]
    fn nothing_is_replaced_without_conditional_writes() {
        let (tree, _) = with_ref(Fault::NoConditions);
        let error = tree.replace("ref", b"old", b"new").unwrap_err();
        assert!(error.to_string().contains("no conditional writes"), "{error}");
        assert_eq!(tree.staged("ref").unwrap().unwrap(), b"old");
    }
}
