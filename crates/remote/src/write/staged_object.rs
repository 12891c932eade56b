//! [`StagedObject`]: one object that is read before it takes its name.
//!
//! ```text
//! write, commit ─► KEY.ncutils-partial-RUN ─► read ─► release: copied to KEY within the store, and deleted
//!                            └─ drop ─► deleted
//! ```
//!
//! A run that is killed in between leaves the object with the longer key.

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::sync::{Arc, Weak};
use std::time::Instant;

use parking_lot::Mutex;

use super::multipart_upload::LONGEST_STOP;
use super::object_output::{ObjectOutput, object_path};
use super::objects::{Listed, TreeObjects};
use super::sending::Sending;
use crate::read::RemoteObject;
use crate::requests::Session;
use crate::wire::{Failure, Meaning};
use ncutils_store::file::partial::wait_while_ending;
use ncutils_store::keys::key::RESERVED;
use ncutils_store::place::held::ReadBack;
use ncutils_store::place::unfinished::{Unfinished, list, remains};
use ncutils_store::{Object, Output, known_size};

/// An object under a longer key, which gets its own by [`release`](ReadBack::release).
pub struct StagedObject {
    output: ObjectOutput,
    session: Arc<Session>,
    key: String,
    staged: Arc<Staged>,
}

/// The object under its longer key, once it may be there. Dropped, it is deleted.
struct Staged {
    objects: TreeObjects,
    key: String,
    is_there: Mutex<bool>,
}

impl StagedObject {
    /// Starts the object with this key, like [`ObjectOutput::create`].
    ///
    /// # Errors
    /// Those of [`ObjectOutput::create`].
    pub fn create(session: Arc<Session>, key: &str, memory: u64, expected: Option<u64>) -> io::Result<Self> {
        object_path(key)?;
        let longer = format!("{key}{RESERVED}{}", new_run());
        let output = ObjectOutput::create(Arc::clone(&session), &longer, memory, expected)?;
        let staged = Arc::new(Staged {
            objects: TreeObjects {
                sending: Sending::new(Arc::clone(&session), memory),
                root: String::new(),
            },
            key: longer,
            is_there: Mutex::new(false),
        });
        let listed: Weak<Staged> = Arc::downgrade(&staged);
        list(listed);
        Ok(Self {
            output,
            session,
            key: key.to_owned(),
            staged,
        })
    }
}

impl Output for StagedObject {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.output.write_all_at(offset, data)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.output.set_size(size)
    }

    /// Completes the object under its longer key.
    fn commit(&self) -> io::Result<()> {
        // From now on it may be there, whatever is heard of it.
        *self.staged.is_there.lock() = true;
        self.output.commit()
    }

    fn read_back_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.output.read_back_at(offset, buf)
    }
}

impl ReadBack for StagedObject {
    fn written(self: Arc<Self>) -> io::Result<Arc<dyn Object>> {
        let opened = RemoteObject::open(&self.session, &object_path(&self.staged.key)?)?;
        Ok(opened.object)
    }

    fn release(&self) -> io::Result<()> {
        let mut is_there = self.staged.is_there.lock();
        if !*is_there {
            return Err(io::Error::other("the output was released already, or given up"));
        }
        let Staged { objects, key, .. } = &*self.staged;
        let opened = RemoteObject::open(&self.session, &object_path(key)?)?;
        let from = Listed {
            key: key.clone(),
            size: known_size(&*opened.object).map_err(io::Error::other)?,
        };
        objects.copy(&from, &self.key)?;
        objects.sending.wait()?;
        *is_there = false;
        // The output has its name. What else stays costs money, and nothing more.
        if let Err(e) = objects.delete([key.as_str()].into_iter()) {
            remains(stays(&self.staged, &e));
        }
        Ok(())
    }
}

impl Unfinished for Staged {
    fn give_up(&self) {
        let mut is_there = self.is_there.lock();
        if !*is_there {
            return;
        }
        self.objects.sending.stop(LONGEST_STOP);
        match self.objects.delete([self.key.as_str()].into_iter()) {
            Ok(()) => *is_there = false,
            // Without a bucket there is no object.
            Err(e) if is_no_bucket(&e) => *is_there = false,
            Err(e) => remains(stays(self, &e)),
        }
    }
}

fn is_no_bucket(error: &io::Error) -> bool {
    Failure::inside(error).is_some_and(|failure| failure.meaning == Meaning::NoBucket)
}

/// A name that no other run has.
pub(crate) fn new_run() -> String {
    format!(
        "{:016x}",
        RandomState::new().hash_one((Instant::now(), std::process::id()))
    )
}

/// Tells that the object under its longer key stays.
fn stays(staged: &Staged, why: &io::Error) -> String {
    let shown = staged.objects.sending.session().shown();
    format!("the object {} stays in {shown}: {why}", staged.key)
}

impl Drop for StagedObject {
    fn drop(&mut self) {
        wait_while_ending();
        self.staged.give_up();
    }
}
