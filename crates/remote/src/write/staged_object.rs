//! [`StagedObject`]: one object that is read before it takes its name.
//!
//! ```text
//! write, commit ─► KEY.ncutils-partial-RUN ─► read ─► release: copied to KEY within the store, and deleted
//!                            └─ drop ─► deleted
//! ```
//!
//! A run that is killed in between leaves the object with the longer key.

use std::io;
use std::sync::Arc;

use parking_lot::Mutex;

use super::multipart_upload::LONGEST_STOP;
use super::object_output::{ObjectOutput, object_path};
use super::objects::{Listed, TreeObjects};
use crate::read::RemoteObject;
use crate::requests::Session;
use crate::wire::{Failure, Meaning};
use ncutils_store::file::unfinished::remains::remains;
use ncutils_store::io::incomplete_outputs::{IncompleteOutput, Unfinished};
use ncutils_store::io::staged::ReadBack;
use ncutils_store::keys::key::RESERVED;
use ncutils_store::new_run;
use ncutils_store::{Object, Output, known_size};

/// An object under a longer key, which gets its own by [`release`](ReadBack::release).
pub struct StagedObject {
    staged: IncompleteOutput<StagedUpload>,
    output: ObjectOutput,
    key: String,
}

/// The object under its longer key, once it may be there. Dropped, it is deleted.
struct StagedUpload {
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
        let staged = Arc::new(StagedUpload {
            objects: TreeObjects::new(session, "", memory),
            key: longer,
            is_there: Mutex::new(false),
        });
        Ok(Self {
            staged: IncompleteOutput::new(staged),
            output,
            key: key.to_owned(),
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
        self.staged.opened()
    }

    fn release(&self) -> io::Result<()> {
        let mut is_there = self.staged.is_there.lock();
        if !*is_there {
            return Err(io::Error::other("the output was released already, or given up"));
        }
        let StagedUpload { objects, key, .. } = &**self.staged;
        let from = Listed {
            key: key.clone(),
            size: known_size(&*self.staged.opened()?).map_err(io::Error::other)?,
        };
        objects.copy(&from, &self.key)?;
        objects.sending.wait()?;
        *is_there = false;
        // The output has its name. What else stays costs money, and nothing more.
        if let Err(e) = objects.delete([key.as_str()]) {
            self.staged.stays(&e);
        }
        Ok(())
    }
}

impl Unfinished for StagedUpload {
    fn give_up(&self) {
        let mut is_there = self.is_there.lock();
        if !*is_there {
            return;
        }
        self.objects.sending.stop(LONGEST_STOP);
        match self.objects.delete([self.key.as_str()]) {
            Ok(()) => *is_there = false,
            // Without a bucket there is no object.
            Err(e) if Failure::meaning(&e) == Some(&Meaning::NoBucket) => *is_there = false,
            Err(e) => self.stays(&e),
        }
    }
}

impl StagedUpload {
    fn opened(&self) -> io::Result<Arc<dyn Object>> {
        let session = self.objects.sending.session();
        Ok(RemoteObject::open(session, &object_path(&self.key)?)?.object)
    }

    /// Tells that the object under its longer key stays.
    fn stays(&self, why: &io::Error) {
        let shown = self.objects.sending.session().shown();
        remains(format!("the object {} stays in {shown}: {why}", self.key));
    }
}
