//! [`RemoteKeys`]: the keys below a prefix of a bucket, or below a URL of a plain HTTP server.
//!
//! Keys that tell whether there is a dataset are fetched at once when it is opened, and their values stay in memory. So
//! looking for one after another costs one round trip. No list has the keys that a writer needs for itself, whose names begin
//! with `.ncutils-partial`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use futures_util::future::join_all;
use object_store::ObjectMeta;
use object_store::path::Path;
use parking_lot::Mutex;
use tracing::debug;

use super::download::{LARGEST_WHOLE, Received};
use super::get::{fetch, get, head, note, path};
use super::listing::Listing;
use crate::requests::{Session, Task, Version};
use crate::wire::{Failure, Meaning};
use ncutils_remote_settings::url::{below, joined};
use ncutils_store::keys::key::PARTIAL;
use ncutils_store::{ByteRange, Done, Get, GetRange, KeyStore, ObjectState, Requests};

/// Most bytes of a value that stays in memory.
const KEPT: usize = 16 << 20;

/// Two ranges of one value this many bytes apart are cheaper to read as one.
const GAP: u64 = 128 << 10;

/// Keys on one page of a list.
const PAGE: usize = 1000;

/// The keys below a prefix.
pub struct RemoteKeys {
    session: Arc<Session>,
    /// The prefix without a slash at its end; empty for a whole bucket.
    prefix: String,
    /// Values that were fetched when the store was opened; `None` for keys that do not exist.
    known: Mutex<HashMap<String, Option<Arc<[u8]>>>>,
}

impl RemoteKeys {
    /// The keys below a prefix. The values of `marks` are fetched at once.
    ///
    /// # Errors
    /// That of the session. A key that does not exist is none.
    pub fn open(session: &Arc<Session>, prefix: &str, marks: &[&str]) -> io::Result<Arc<Self>> {
        let keys = Self {
            session: Arc::clone(session),
            prefix: prefix.trim_end_matches('/').to_owned(),
            known: Mutex::default(),
        };
        // A longer value is not kept in memory, so only this much of it is requested.
        let most = GetRange::Range(ByteRange {
            offset: 0,
            length: KEPT + 1,
        });
        let found = session.wait(join_all(marks.iter().map(|mark| keys.value(mark, most))))?;
        {
            let mut known = keys.known.lock();
            for (mark, found) in marks.iter().zip(found) {
                let value = found?.map(|received| received.bytes);
                if value.as_ref().is_none_or(|value| value.len() <= KEPT) {
                    known.insert((*mark).to_owned(), value.map(Arc::from));
                }
            }
        }
        Ok(Arc::new(keys))
    }

    /// The keys below a prefix, with values that are known whatever the store has; `None` for keys that count as not there.
    pub(crate) fn with_known(
        session: &Arc<Session>,
        prefix: &str,
        known: HashMap<String, Option<Arc<[u8]>>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            session: Arc::clone(session),
            prefix: prefix.trim_end_matches('/').to_owned(),
            known: Mutex::new(known),
        })
    }

    /// True if one of the keys that were fetched when the store was opened exists.
    pub fn has_known(&self) -> bool {
        self.known.lock().values().any(Option::is_some)
    }

    /// The path in the bucket of a key of the dataset, or of a folder, which may be empty.
    fn path(&self, key: &str) -> io::Result<Path> {
        path(&joined(&self.prefix, key))
    }

    /// A value or a part of it; `None` if there is no such key.
    async fn value(&self, key: &str, part: GetRange) -> io::Result<Option<Received>> {
        let range = match part {
            GetRange::Whole => None,
            GetRange::Range(ByteRange { length: 0, .. }) | GetRange::Suffix(0) => {
                Some(object_store::GetRange::Bounded(0..1))
            }
            GetRange::Range(range) => Some(object_store::GetRange::Bounded(
                range.offset..range.end().unwrap_or(u64::MAX),
            )),
            GetRange::Suffix(length) => Some(object_store::GetRange::Suffix(length as u64)),
        };
        let (task, path) = (Task::new("read", key), self.path(key)?);
        let resumes = self.session.store().has_ranges();
        let error = match get(&self.session, &task, &path, range, None, resumes).await {
            Ok(received) => return Ok(Some(received)),
            Err(error) => error,
        };
        match Failure::meaning(&error).cloned() {
            Some(Meaning::NoObject) => self.absent(&task, &path),
            // The value may end before the range. A refusal alone does not prove that, and an empty value reads as fill.
            Some(Meaning::PastEnd) => match self.size_of(key).await? {
                None => Ok(None),
                Some(size) if part.within(size).is_empty() => Ok(Some(Received::default())),
                Some(_) => Err(error),
            },
            // A server without ranges.
            Some(Meaning::Whole(size)) if size.is_none_or(|size| size <= LARGEST_WHOLE) => {
                let mut received = get(&self.session, &task, &path, None, None, false).await?;
                let within = part.within(received.bytes.len() as u64);
                received.bytes.truncate(within.end as usize);
                received.bytes.drain(..within.start as usize);
                Ok(Some(received))
            }
            // Azure serves no suffixes.
            Some(Meaning::Unsupported) if matches!(part, GetRange::Suffix(_)) => {
                let Some(size) = self.size_of(key).await? else {
                    return Ok(None);
                };
                let Range { start: offset, end } = part.within(size);
                let length = usize::try_from(end - offset).map_err(|_| io::ErrorKind::OutOfMemory)?;
                Box::pin(self.value(key, GetRange::Range(ByteRange { offset, length }))).await
            }
            _ => Err(error),
        }
    }

    /// The answer for a key that the server does not have.
    ///
    /// # Errors
    /// If a list named the key: without its value, data would read as fill.
    fn absent<T>(&self, task: &Task, path: &Path) -> io::Result<Option<T>> {
        if self.session.seen().listed(path.as_ref()).is_none() {
            return Ok(None);
        }
        Err(Failure::last("no such object, though the server listed it").of_task(task))
    }

    /// Like [`KeyStore::get`], for code that is asynchronous itself.
    async fn got(&self, key: &str, part: GetRange) -> io::Result<Option<Vec<u8>>> {
        if let Some(known) = self.known.lock().get(key) {
            return Ok(known.as_ref().map(|value| {
                let within = part.within(value.len() as u64);
                value[within.start as usize..within.end as usize].to_vec()
            }));
        }
        let found = self.value(key, part).await?;
        Ok(found.map(|received| match part {
            GetRange::Range(ByteRange { length: 0, .. }) | GetRange::Suffix(0) => Vec::new(),
            _ => received.bytes,
        }))
    }

    async fn size_of(&self, key: &str) -> io::Result<Option<u64>> {
        let (task, path) = (Task::new("read", key), self.path(key)?);
        match head(&self.session, &task, &path).await? {
            Some(meta) => {
                note(&self.session, &task, &path, &Version::of(&meta), false)?;
                Ok(Some(meta.size))
            }
            None => self.absent(&task, &path),
        }
    }

    /// The key of an object of the bucket, whose size is noted.
    fn noted(&self, meta: ObjectMeta) -> String {
        self.session.seen().note_listed(meta.location.as_ref(), meta.size);
        String::from(meta.location)
    }

    /// All keys of the bucket that start with a folder. Where they fill more than a page, ranges of them are listed at once.
    async fn all(&self, folder: Option<Path>) -> io::Result<Vec<String>> {
        let (session, task) = (&*self.session, &Task::new("list", "keys"));
        let behind = |key: Option<&String>| {
            let mut list = Listing::of(session, task, folder.as_ref());
            list.options.offset = key.cloned();
            list
        };
        let (mut keys, mut first) = (Vec::new(), behind(None));
        while keys.len() < PAGE {
            match first.page().await? {
                Some(page) => keys.extend(page.objects.into_iter().map(|meta| self.noted(meta))),
                None => return Ok(keys),
            }
        }
        let last = keys.last().cloned().unwrap_or_default();
        let bounds = match session.store().lists_from_anywhere() {
            true => bounds(
                &keys[0],
                folder.as_ref().map_or(0, |folder| folder.as_ref().len() + 1),
                &last,
            ),
            false => Vec::new(),
        };
        let from = std::iter::once(first).chain(bounds.iter().map(|bound| behind(Some(bound))));
        let to = bounds.iter().map(|bound| Some(bound.as_str())).chain([None]);
        let parts = from
            .zip(to)
            .map(|(from, last)| from.objects(last, |meta| self.noted(meta)));
        for part in join_all(parts).await {
            keys.extend(part?);
        }
        debug!(keys = keys.len(), "listed keys");
        Ok(keys)
    }

    /// The names of `found`, and those that `known` makes of keys whose values are known. Ascending.
    fn names(
        &self,
        found: impl Iterator<Item = String>,
        known: impl Fn(&str) -> Option<String>,
    ) -> Vec<String> {
        let of_known = self.known.lock();
        let there = of_known.iter().filter(|(_, value)| value.is_some());
        let mut names: Vec<String> = found.chain(there.filter_map(|(key, _)| known(key))).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The folder in the bucket; `None` for the whole bucket.
    fn folder(&self, folder: &str) -> io::Result<Option<Path>> {
        let folder = folder.trim_end_matches('/');
        let path = self.path(folder)?;
        Ok(Some(path).filter(|path| !path.as_ref().is_empty()))
    }
}

/// Keys that divide those behind `last`: the digits that may follow where `first` has its first digit behind its folder, as
/// keys of chunks have.
fn bounds(first: &str, folder: usize, last: &str) -> Vec<String> {
    let Some(digit) = first
        .get(folder..)
        .and_then(|rest| rest.find(|c: char| c.is_ascii_digit()))
    else {
        return Vec::new();
    };
    let stem = &first[..folder + digit];
    let all = ('1'..='9').flat_map(|tens| [format!("{stem}{tens}"), format!("{stem}{tens}5")]);
    all.filter(|bound| bound.as_str() > last).collect()
}

/// A list that is refused is one that cannot be made: a reader then does without.
fn unlisted(error: io::Error) -> io::Error {
    match Failure::meaning(&error) {
        Some(Meaning::Refused | Meaning::Unsupported | Meaning::NoObject) => {
            debug!(%error, "keys cannot be listed");
            io::Error::new(io::ErrorKind::Unsupported, error.to_string())
        }
        _ => error,
    }
}

impl KeyStore for RemoteKeys {
    fn get(&self, key: &str, part: GetRange) -> io::Result<Option<Vec<u8>>> {
        self.session.wait(self.got(key, part))?
    }

    fn size(&self, key: &str) -> io::Result<Option<u64>> {
        if let Some(known) = self.known.lock().get(key) {
            return Ok(known.as_ref().map(|value| value.len() as u64));
        }
        if let Some(listed) = self.session.seen().listed(self.path(key)?.as_ref()) {
            return Ok(Some(listed));
        }
        self.session.wait(self.size_of(key))?
    }

    fn state(&self, key: &str) -> io::Result<ObjectState> {
        let (task, path) = (Task::new("read", key), self.path(key)?);
        let found = self.session.wait(head(&self.session, &task, &path))??;
        Ok(found.map_or_else(ObjectState::default, |meta| Version::of(&meta).state()))
    }

    fn list(&self, prefix: &str) -> io::Result<Vec<String>> {
        let (folder, _) = prefix.rsplit_once('/').unwrap_or_default();
        let folder = self.folder(folder)?;
        let keys = self.session.wait(self.all(folder))?.map_err(unlisted)?;
        let is_own = |key: &&str| key.starts_with(prefix) && !key.starts_with(PARTIAL);
        let own = keys
            .iter()
            .filter_map(|key| below(&self.prefix, key))
            .filter(is_own);
        Ok(self.names(own.map(str::to_owned), |key| {
            Some(key).filter(is_own).map(str::to_owned)
        }))
    }

    fn list_children(&self, folder: &str) -> io::Result<Vec<String>> {
        let path = self.folder(folder)?;
        let task = Task::new("list", "keys");
        let mut list = Listing::of(&self.session, &task, path.as_ref());
        list.options.delimiter = Some(Cow::Borrowed("/"));
        let (mut keys, mut folders) = (Vec::new(), Vec::new());
        while let Some(page) = self.session.wait(list.page())?.map_err(unlisted)? {
            keys.extend(page.objects.into_iter().map(|meta| String::from(meta.location)));
            folders.extend(page.common_prefixes.iter().map(|path| format!("{path}/")));
        }
        let name = |key: &str| {
            let name = key.strip_prefix(folder)?.split_inclusive('/').next()?;
            let is_own = name != "/" && !(folder.is_empty() && name.starts_with(PARTIAL));
            is_own.then(|| name.to_owned())
        };
        let own = keys
            .into_iter()
            .chain(folders)
            .filter_map(|key| name(below(&self.prefix, &key)?));
        Ok(self.names(own, name))
    }

    fn requests(&self) -> Requests {
        Requests::slow(self.session.requests(), GAP)
    }

    fn fetch(self: Arc<Self>, gets: Vec<Get>, done: Done<io::Result<Vec<Option<Vec<u8>>>>>) {
        fetch(gets, GAP, done, |get| {
            let this = Arc::clone(&self);
            async move { this.got(&get.key, get.part).await }
        });
    }
}

#[cfg(test)]
mod tests;
