//! [`TreeObjects`]: the objects below one prefix of a bucket, and the requests for many of them.

use std::collections::HashMap;
use std::io;
use std::pin::pin;
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::path::Path;
use object_store::{
    ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload, Result, UpdateVersion,
};

use super::multipart_upload::Upload;
use super::object_output::{ObjectOutput, object_path};
use super::part_table::PartSizes;
use super::sending::Sending;
use super::value::RemoteValue;
use crate::read::{Download, Listing, Received, RemoteKeys, RemoteObject, head};
use crate::requests::{RemoteStore, Session, Task};
use crate::wire::{Failure, Meaning};
use ncutils_remote_settings::url::{below, joined};
use ncutils_store::object::pieces_ahead::PiecesAhead;
use ncutils_store::{Output, ValueWriter, known_size};

/// Keys in one request to delete: S3's limit.
const DELETED_AT_ONCE: usize = 1000;

/// Objects that are looked for at once.
const LOOKS_AT_ONCE: usize = 16;

/// How often objects are deleted that are still listed.
const CLEARED: usize = 3;

/// Largest object, in bytes, that S3 copies by one request.
const COPIED_AT_ONCE: u64 = 5 << 30;

/// Bytes of memory that a request takes beside its value.
pub(crate) const REQUEST: u64 = 1 << 10;

/// An object below the prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    /// The key below the prefix.
    pub(crate) key: String,
    /// Size in bytes.
    pub(crate) size: u64,
}

/// The objects below a prefix.
pub(crate) struct TreeObjects {
    pub(crate) sending: Arc<Sending>,
    /// The prefix without a slash at its end; empty for the whole bucket.
    pub(crate) root: String,
    /// How values are cut into parts.
    pub(crate) sizes: PartSizes,
}

impl TreeObjects {
    /// The objects below `prefix`. What is sent holds at most about `memory` bytes.
    pub(crate) fn new(session: Arc<Session>, prefix: &str, memory: u64) -> Self {
        Self {
            sending: Sending::new(session, memory),
            root: prefix.trim_end_matches('/').to_owned(),
            sizes: PartSizes::REMOTE,
        }
    }

    /// The keys below the prefix, as they are after what was sent.
    ///
    /// # Errors
    /// The failure of an earlier request.
    pub(crate) fn read(&self) -> io::Result<Arc<RemoteKeys>> {
        self.sending.wait()?;
        Ok(RemoteKeys::with_known(
            self.sending.session(),
            &self.root,
            HashMap::new(),
        ))
    }

    /// A value that is written bit by bit, and a writer for it. `shown` is the key that the user knows.
    ///
    /// # Errors
    /// A key that the store does not take.
    pub(crate) fn create(&self, key: &str, shown: &str) -> io::Result<(Arc<Upload>, Box<dyn ValueWriter>)> {
        let sending = Arc::clone(&self.sending);
        let upload = Upload::new(sending, self.path(key)?, shown, self.sizes, None, false);
        let value = RemoteValue {
            upload: Arc::clone(&upload),
            is_finished: false,
        };
        Ok((upload, Box::new(value)))
    }

    /// The path of a key below the prefix.
    ///
    /// # Errors
    /// `InvalidInput` if the store does not take such a key.
    pub(crate) fn path(&self, key: &str) -> io::Result<Path> {
        object_path(&joined(&self.root, key))
    }

    /// All objects whose keys begin with `folder`, which is empty or ends in `/`.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn list(&self, folder: &str) -> io::Result<Vec<Listed>> {
        let whole = joined(&self.root, folder.trim_end_matches('/'));
        let folder = (!whole.is_empty()).then(|| object_path(&whole)).transpose()?;
        let keep = |meta: ObjectMeta| Listed {
            key: below(&self.root, meta.location.as_ref())
                .unwrap_or_default()
                .to_owned(),
            size: meta.size,
        };
        let session = self.sending.session();
        let task = Task::new("list", "");
        let listing = Listing::of(session, &task, folder.as_ref());
        let mut found = session.wait(listing.objects(None, keep))??;
        found.retain(|object| !object.key.is_empty());
        found.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(found)
    }

    /// The value of a key; `None` if there is none.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn get(&self, key: &str) -> io::Result<Option<Received>> {
        let download = Download::new(self.path(key)?, None, None, None, true);
        let (session, task) = (self.sending.session(), Task::new("read", key));
        match session.run(&task, |store| download.tried(store, &task)) {
            Err(e) if Failure::is_missing(&e) => Ok(None),
            done => done.map(|()| Some(download.into_received())),
        }
    }

    /// Replaces a small value, if it still has this version. Returns false if it has not.
    ///
    /// # Errors
    /// Those of the store; `Unsupported` from a store without conditional writes.
    pub(crate) fn replace(&self, key: &str, value: &[u8], version: UpdateVersion) -> io::Result<bool> {
        match self.put(key, value, PutMode::Update(version)) {
            Ok(()) => Ok(true),
            Err(e) => match Failure::meaning(&e) {
                // An earlier try may have written it, and its answer was lost.
                Some(Meaning::Condition) => self.has(key, value),
                Some(Meaning::Unsupported) => Err(Failure::new(
                    Meaning::Unsupported,
                    format!("{e}; it has no conditional writes, without which a change by another program could be lost: change a copy in a local folder"),
                )
                .into_error()),
                _ => Err(e),
            },
        }
    }

    /// Writes a mark of this run, if the key is in the state that `mode` asks for. Returns false if it is not, or if another run has
    /// put its mark since. A store that knows no conditions is asked what it has before and afterwards.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn put_mark(&self, key: &str, value: &[u8], mode: PutMode) -> io::Result<bool> {
        match self.put(key, value, mode.clone()) {
            Ok(()) => {}
            Err(e) => match Failure::meaning(&e) {
                // An earlier try may have done it, and only its answer was lost.
                Some(Meaning::Condition) => {}
                Some(Meaning::Unsupported) => {
                    if mode == PutMode::Create && self.get(key)?.is_some() {
                        return Ok(false);
                    }
                    self.put(key, value, PutMode::Overwrite)?;
                }
                _ => return Err(e),
            },
        }
        self.has(key, value)
    }

    fn put(&self, key: &str, value: &[u8], mode: PutMode) -> io::Result<()> {
        let path = self.path(key)?;
        let task = Task::new("write", key);
        self.sending.session().run(&task, |store| {
            let (path, mode) = (path.clone(), mode.clone());
            let payload = PutPayload::from(value.to_vec());
            async move {
                let options = PutOptions::from(mode);
                store.put_opts(&path, payload, options).await.map(|_| ())
            }
        })
    }

    /// True if a key has this value.
    fn has(&self, key: &str, value: &[u8]) -> io::Result<bool> {
        // A server that has just written it may say once that it is not there.
        let found = match self.get(key)? {
            None => self.get(key)?,
            found => found,
        };
        Ok(found.is_some_and(|found| found.bytes == value))
    }

    /// Sends a value, without waiting for the answer. `shown` is the key that the user knows.
    ///
    /// # Errors
    /// The failure of an earlier request; a key that the store does not take.
    pub(crate) fn send(&self, key: &str, shown: &str, value: &[u8]) -> io::Result<()> {
        let path = self.path(key)?;
        let mut copy = Vec::new();
        copy.try_reserve_exact(value.len())
            .map_err(|_| io::ErrorKind::OutOfMemory)?;
        copy.extend_from_slice(value);
        let length = value.len() as u64 + REQUEST;
        let payload = PutPayload::from(copy);
        let (sending, task) = (Arc::clone(&self.sending), Task::new("write", ""));
        let putting = task.clone();
        let request = async move {
            let put = async |store: Arc<dyn RemoteStore>| store.put(&path, payload.clone()).await;
            sending.tried(&putting, put).await
        };
        self.sending.send(length, shown, &task, request, |_| ())
    }

    /// Deletes objects. Those that are not there count as deleted.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn delete<'a>(&self, keys: impl IntoIterator<Item = &'a str>) -> io::Result<()> {
        let paths = keys.into_iter().map(|key| self.path(key));
        let paths: Vec<Path> = paths.collect::<io::Result<_>>()?;
        for some in paths.chunks(DELETED_AT_ONCE) {
            // A server may answer for all of them, as it has no such bucket, or name none.
            if !self.delete_some(some)? && !self.delete_some(some)? {
                self.check_gone(some)?;
            }
        }
        Ok(())
    }

    /// Looks for objects of which the server did not say that it deleted them.
    ///
    /// # Errors
    /// One that is still there.
    fn check_gone(&self, some: &[Path]) -> io::Result<()> {
        let task = Task::new("delete", "");
        let session = self.sending.session();
        let look = async |path: &Path| {
            match head(session, &task, path).await {
                Ok(found) => Ok(found.map(|meta| meta.location)),
                // Who may delete may be forbidden to look.
                Err(e) if matches!(Failure::meaning(&e), Some(Meaning::NoBucket | Meaning::Refused)) => {
                    Ok(None)
                }
                Err(e) => Err(e),
            }
        };
        let looks = stream::iter(some).map(look).buffer_unordered(LOOKS_AT_ONCE);
        let found = looks.try_filter_map(async |found| Ok(found));
        let stays = session.wait(async { pin!(found).try_next().await })??;
        match stays {
            Some(path) => Err(io::Error::other(format!(
                "cannot delete: the server does not say that it deleted {path}, and it is still there"
            ))),
            None => Ok(()),
        }
    }

    /// Deletes at most [`DELETED_AT_ONCE`] objects. Returns false if a deletion is not confirmed: the object was not there, or the
    /// answer does not name it.
    fn delete_some(&self, some: &[Path]) -> io::Result<bool> {
        let deleted = self.sending.session().run(&Task::new("delete", ""), |store| {
            let some: Vec<Result<Path>> = some.iter().cloned().map(Ok).collect();
            async move {
                let mut were_there = true;
                let mut deleted = store.delete_stream(stream::iter(some).boxed());
                while let Some(one) = deleted.next().await {
                    match one {
                        Ok(_) => {}
                        Err(e) if Failure::is_no_object(&e) => were_there = false,
                        Err(e) => return Err(e),
                    }
                }
                Ok(were_there)
            }
        });
        match deleted {
            Err(e) if Failure::meaning(&e) == Some(&Meaning::Unconfirmed) => Ok(false),
            deleted => deleted,
        }
    }

    /// Deletes the objects in a folder whose keys `wanted` chooses, until none is listed. `check` is called before each deletion.
    ///
    /// # Errors
    /// Those of the store and of `check`; a store that answers as if it had deleted, and has not.
    pub(crate) fn clear(
        &self,
        folder: &str,
        wanted: impl Fn(&str) -> bool,
        check: impl Fn() -> io::Result<()>,
    ) -> io::Result<()> {
        let mut listed = self.list(folder)?;
        for _ in 0..CLEARED {
            let keys = listed.iter().map(|object| object.key.as_str());
            // Without its root, no program opens what is left of a dataset.
            let (root, below): (Vec<&str>, Vec<&str>) =
                keys.filter(|key| wanted(key)).partition(|key| !key.contains('/'));
            if root.is_empty() && below.is_empty() {
                return Ok(());
            }
            for some in root.chunks(DELETED_AT_ONCE).chain(below.chunks(DELETED_AT_ONCE)) {
                check()?;
                self.delete(some.iter().copied())?;
            }
            listed = self.list(folder)?;
        }
        match listed.iter().find(|object| wanted(&object.key)) {
            Some(object) => Err(io::Error::other(format!(
                "cannot delete {}: it is still there; may it be deleted?",
                object.key
            ))),
            None => Ok(()),
        }
    }

    /// Deletes a mark of this run, and looks whether it is gone. A mark that another run has put since, with another value, stays.
    ///
    /// # Errors
    /// Those of the deletion; a mark that stays.
    pub(crate) fn delete_mark(&self, mark: &str, value: &str) -> io::Result<()> {
        let delete = || self.delete([mark]);
        // A failing look says nothing against a deletion that was acknowledged.
        let stays = || matches!(self.get(mark), Ok(Some(found)) if found.bytes == value.as_bytes());
        // All else is there, so a refusal is not the last word.
        delete().or_else(|_| delete())?;
        if stays() {
            delete()?;
            if stays() {
                return Err(io::Error::other(format!(
                    "cannot delete {mark}: it is still there; delete it by other means, and the dataset opens"
                )));
            }
        }
        Ok(())
    }

    /// Begins to copy an object within the store. A large one is copied when this returns.
    ///
    /// # Errors
    /// The failure of an earlier request; those of copying a large object.
    pub(crate) fn copy(&self, from: &Listed, to: &str) -> io::Result<()> {
        let (task, shown) = (Task::new("copy", ""), to);
        let (size, from, to) = (from.size, self.path(&from.key)?, self.path(to)?);
        if size > COPIED_AT_ONCE {
            return self.copy_in_parts(&from, &to);
        }
        let (sending, copying) = (Arc::clone(&self.sending), task.clone());
        let request = async move {
            let copy = async |store: Arc<dyn RemoteStore>| store.copy(&from, &to).await;
            sending.tried(&copying, copy).await?;
            if sending.session().store().copies_later() {
                // Fails as long as the store is copying.
                let look = async |store: Arc<dyn RemoteStore>| store.head(&to).await;
                sending.tried(&copying, look).await?;
            }
            Ok(())
        };
        self.sending.send(REQUEST, shown, &task, request, |()| ())
    }

    /// Copies an object through the memory of this machine.
    ///
    /// # Errors
    /// Those of reading and of writing. Parts that went up are deleted.
    fn copy_in_parts(&self, from: &Path, to: &Path) -> io::Result<()> {
        let session = self.sending.session();
        let memory = self.sending.limit();
        let object = RemoteObject::open(session, from)?.object;
        let size = known_size(&*object).map_err(io::Error::other)?;
        let output = ObjectOutput::create(Arc::clone(session), to.as_ref(), memory - memory / 4, Some(size))?;
        let mut pieces = PiecesAhead::new(object, 0, size, memory / 4);
        let mut at = 0;
        while let Some(piece) = pieces.next_piece()? {
            self.sending.check()?;
            output.write_all_at(at, &piece)?;
            at += piece.len() as u64;
        }
        output.set_size(size)?;
        output.commit()
    }
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;

    use super::*;
    #[test]
    fn large_objects_are_copied_in_parts() {
        let store = Arc::new(InMemory::new());
        let session = Session::over(store.clone(), "memory");
        let bytes: Vec<u8> = (0..40_000_000u32).map(|n| (n >> 3) as u8).collect();
        let (from, to) = (Path::from("a/from"), Path::from("a/to"));
        let put = store.put(&from, bytes.clone().into());
        session.wait(put).unwrap().unwrap();
        let objects = TreeObjects::new(Arc::clone(&session), "a", 32 << 20);
        objects.copy_in_parts(&from, &to).unwrap();
        let found = session
            .wait(async { store.get(&to).await.unwrap().bytes().await.unwrap() })
            .unwrap();
        assert!(found == bytes);
        let missing = objects.copy_in_parts(&Path::from("a/none"), &to).unwrap_err();
        assert!(missing.to_string().contains("no such object"), "{missing}");
    }
}
