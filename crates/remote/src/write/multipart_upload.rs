//! [`Upload`]: one object that goes up while it is written.
//!
//! ```text
//! write ─► PartTable ─ a part is complete ─► begin, once ─► put part ─┐
//! finish ─┬─ nothing went up, and it is short ─► put whole ───────────┴─► whole
//!         └─ the parts that are left ─► put part ─ all are there ─► complete ─ answer lost? look ─► whole
//! give up ─► abort: the store forgets the parts
//! ```
//!
//! Completing makes the object appear as a whole, in place of an older one.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use object_store::multipart::PartId;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStoreExt, PutPayload};
use parking_lot::Mutex;
use tracing::debug;

use super::part_table::{PartSizes, PartTable};
use super::sending::Sending;
use crate::read::head;
use crate::requests::{RemoteStore, Task, Version};
use crate::wire::{Failure, Meaning};
use ncutils_store::file::unfinished::remains::remains;
use ncutils_store::io::incomplete_outputs::Unfinished;

/// Longest wait for requests that are under way when an upload is given up.
pub(crate) const LONGEST_STOP: Duration = Duration::from_secs(10);

/// An object that is being written, by many threads at once.
pub(crate) struct Upload {
    sending: Arc<Sending>,
    path: Path,
    /// The key that the user knows; empty for a single object.
    key: String,
    table: Mutex<PartTable>,
    /// What the store knows of the upload. Locked while the upload begins.
    state: Mutex<State>,
    /// How the upload ended. Never locked over a request.
    outcome: Mutex<Outcome>,
    /// True if an older object may be there.
    may_replace: bool,
}

#[derive(Default)]
struct State {
    /// Name of the multipart upload, once it is begun.
    id: Option<String>,
    /// The version of the object that was there before, or that there was none; `None` if nobody could look.
    before: Option<Option<Version>>,
    parts: BTreeMap<usize, PartId>,
    /// Number of parts and bytes, once they are known.
    total: Option<(usize, u64)>,
    is_given_up: bool,
}

#[derive(Default)]
struct Outcome {
    /// True once the object is whole, and the store has said so.
    is_complete: bool,
    /// True after the answer to a put or a completion was lost, and the object could not be checked.
    is_lost: bool,
}

/// True if an object has this content. What cannot be read has not.
async fn has_content(store: &dyn RemoteStore, path: &Path, content: PutPayload) -> bool {
    match store.get(path).await {
        Ok(found) if found.meta.size == content.content_length() as u64 => {
            let bytes = found.bytes().await;
            bytes.is_ok_and(|bytes| bytes == Bytes::from(content))
        }
        _ => false,
    }
}

fn task() -> Task {
    Task::new("write", "")
}

impl Upload {
    /// An object at `path`, whose bytes count in `sending`. `key` is for errors, and may be empty. `expected` is its size in bytes, roughly, if anybody knows.
    pub(crate) fn new(
        sending: Arc<Sending>,
        path: Path,
        key: &str,
        sizes: PartSizes,
        expected: Option<u64>,
        may_replace: bool,
    ) -> Arc<Self> {
        let table = PartTable::new(sizes, Arc::clone(&sending), expected);
        Arc::new(Self {
            table: Mutex::new(table),
            sending,
            path,
            key: key.to_owned(),
            state: Mutex::default(),
            outcome: Mutex::default(),
            may_replace,
        })
    }

    /// The requests that its bytes count in.
    pub(super) fn sending(&self) -> &Sending {
        &self.sending
    }

    /// Writes bytes at `offset`. Complete parts are on their way when it returns.
    ///
    /// # Errors
    /// The failure of an earlier request; bytes whose part went up before; a full disk.
    pub(crate) fn write(self: &Arc<Self>, offset: u64, data: &[u8]) -> io::Result<()> {
        self.sending.check()?;
        let full = self.table.lock().write(offset, data)?;
        for (number, bytes) in full {
            self.put_part(number, bytes)?;
        }
        Ok(())
    }

    /// Sets the size in bytes. What was never written is zero.
    pub(crate) fn set_size(&self, size: u64) {
        self.table.lock().set_size(size);
    }

    /// Fills `buf` with bytes that were written.
    ///
    /// # Errors
    /// `Unsupported` if parts went up already.
    pub(crate) fn read_back(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.table.lock().read_back(offset, buf)
    }

    /// Begins the multipart upload, unless it is begun.
    ///
    /// # Errors
    /// If the store refuses it.
    pub(crate) fn begin(&self) -> io::Result<String> {
        let mut state = self.state.lock();
        if state.is_given_up {
            return Err(io::Error::other("the output was given up"));
        }
        if let Some(id) = &state.id {
            return Ok(id.clone());
        }
        // Who may write may be forbidden to read. The answer to completing counts alone then.
        let session = self.sending.session();
        state.before = match self.may_replace {
            true => session.wait(head(session, &task(), &self.path))?.ok(),
            false => Some(None),
        }
        .map(|found| found.as_ref().map(Version::of));
        let begin = |store: Arc<dyn RemoteStore>| async move { store.create_multipart(&self.path).await };
        // Who gives the upload up waits for this, but for no further try.
        let id = session.wait(self.sending.tried(&task(), begin))??;
        debug!(key = %self.path, "began an upload in parts");
        state.id = Some(id.clone());
        Ok(id)
    }

    fn put_part(self: &Arc<Self>, number: u64, bytes: Vec<u8>) -> io::Result<()> {
        let id = self.begin()?;
        let number = usize::try_from(number).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let (this, length) = (Arc::clone(self), bytes.len() as u64);
        let payload = PutPayload::from(bytes);
        let request = async move {
            let put = async |store: Arc<dyn RemoteStore>| {
                store.put_part(&this.path, &id, number, payload.clone()).await
            };
            let part = this.sending.tried(&task(), put).await?;
            Ok((this, part))
        };
        self.sending
            .send(length, &self.key, &task(), request, move |(this, part)| {
                this.state.lock().parts.insert(number, part);
                this.complete_if_all_are_there();
            })
    }

    /// Sends what is left. The object appears when all its bytes are there: [`Sending::wait`] waits for that.
    ///
    /// # Errors
    /// The failure of an earlier request, or of the file that parts were kept in.
    pub(crate) fn finish(self: &Arc<Self>) -> io::Result<()> {
        let mut table = self.table.lock();
        let left = table.close()?;
        let size = table.size();
        let is_short = self.state.lock().id.is_none() && left == [0];
        if is_short {
            let bytes = table.take(0)?;
            drop(table);
            return self.put_whole(bytes);
        }
        self.begin()?;
        let count = left.iter().max().map_or(0, |last| last + 1);
        let count = count.max(table.sent());
        for number in left {
            let bytes = table.take(number)?;
            self.put_part(number, bytes)?;
        }
        drop(table);
        let count = usize::try_from(count).map_err(|_| io::ErrorKind::FileTooLarge)?;
        self.state.lock().total = Some((count, size));
        self.complete_if_all_are_there();
        Ok(())
    }

    fn put_whole(self: &Arc<Self>, bytes: Vec<u8>) -> io::Result<()> {
        let (this, length) = (Arc::clone(self), bytes.len() as u64);
        let payload = PutPayload::from(bytes);
        self.send_last(length, async move {
            let put = async |store: Arc<dyn RemoteStore>| {
                let Err(failed) = store.put(&this.path, payload.clone()).await else {
                    return Ok(());
                };
                let may_be_there = Failure::of(&failed).meaning == Meaning::Passing;
                this.outcome.lock().is_lost |= may_be_there;
                // The store may have done it, and only its answer was lost.
                match may_be_there && has_content(&*store, &this.path, payload.clone()).await {
                    true => Ok(()),
                    false => Err(failed),
                }
            };
            this.sending.tried(&task(), put).await
        })
    }

    /// Sends the request after which the object is whole.
    fn send_last(
        self: &Arc<Self>,
        bytes: u64,
        request: impl Future<Output = io::Result<()>> + Send + 'static,
    ) -> io::Result<()> {
        let this = Arc::clone(self);
        let then = move |()| this.outcome.lock().is_complete = true;
        self.sending.send(bytes, &self.key, &task(), request, then)
    }

    /// True if the store may have the object though it did not say so.
    pub(crate) fn may_be_there(&self) -> bool {
        let outcome = self.outcome.lock();
        outcome.is_lost && !outcome.is_complete
    }

    /// Completes the upload, if all parts have arrived and it was finished.
    fn complete_if_all_are_there(self: &Arc<Self>) {
        let mut state = self.state.lock();
        let Some((count, size)) = state.total.filter(|(count, _)| *count == state.parts.len()) else {
            return;
        };
        let Some(id) = state.id.clone().filter(|_| !state.is_given_up) else {
            return;
        };
        // Taken, so that this happens once.
        state.total = None;
        let parts: Vec<PartId> = std::mem::take(&mut state.parts).into_values().collect();
        let before = state.before.clone();
        drop(state);
        debug!(key = %self.path, parts = count, bytes = size, "completing");
        let this = Arc::clone(self);
        let request = async move {
            let complete = async |store: Arc<dyn RemoteStore>| {
                let done = store.complete_multipart(&this.path, &id, parts.clone());
                let Err(failed) = done.await else {
                    return Ok(());
                };
                // The store may have done it, and only its answer was lost.
                let found = store.head(&this.path).await;
                let is_known = found.as_ref().map_or_else(Failure::is_no_object, |_| true);
                if !(is_known && before.is_some()) && Failure::of(&failed).meaning == Meaning::Passing {
                    this.outcome.lock().is_lost = true;
                }
                let is_another = |now: &ObjectMeta| {
                    before
                        .as_ref()
                        .is_some_and(|before| *before != Some(Version::of(now)))
                };
                match found {
                    Ok(meta) if meta.size == size && is_another(&meta) => Ok(()),
                    _ => Err(failed),
                }
            };
            this.sending.tried(&task(), complete).await
        };
        // An earlier failure is told to who waits.
        let _ = self.send_last(0, request);
    }

    /// True once the object is whole.
    pub(crate) fn is_complete(&self) -> bool {
        self.outcome.lock().is_complete
    }

    /// Makes the store forget the parts, unless the object is whole.
    ///
    /// # Errors
    /// If the store does not answer: parts may stay, and cost money until a rule of the bucket removes them.
    pub(crate) fn abort(&self) -> io::Result<()> {
        let mut state = self.state.lock();
        if self.is_complete() {
            return Ok(());
        }
        state.is_given_up = true;
        let id = state.id.clone();
        drop(state);
        if let Some(mut table) = self.table.try_lock() {
            table.clear();
        }
        let Some(id) = id else {
            return Ok(());
        };
        let (path, id) = (&self.path, &id);
        let abort = |store: Arc<dyn RemoteStore>| async move {
            match store.abort_multipart(path, id).await {
                Err(e) if Failure::is_no_object(&e) => Ok(()),
                done => done,
            }
        };
        self.sending
            .session()
            .run(&Task::new("abort an upload", ""), abort)?;
        self.state.lock().id = None;
        Ok(())
    }
}

/// The output of one object, which a program gives up when it is told to end.
impl Unfinished for Upload {
    fn give_up(&self) {
        if self.is_complete() {
            return;
        }
        self.sending.stop(LONGEST_STOP);
        if let Err(e) = self.abort() {
            let (shown, path) = (self.sending.session().shown(), &self.path);
            remains(format!("parts of an upload of {path} may stay in {shown}: {e}"));
        }
    }
}
