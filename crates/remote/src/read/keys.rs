//! [`RemoteKeys`]: the keys below a prefix of a bucket, or below a URL of a plain HTTP server.
//!
//! Keys that tell whether there is a dataset are fetched at once when it is opened, and their values stay in memory. So
//! looking for one after another costs one round trip. No list has the keys that a writer needs for itself, whose names begin
//! with `.ncutils-partial`.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use futures_util::future::join_all;
use object_store::path::Path;
use object_store::{GetRange, ObjectMeta, ObjectStore, ObjectStoreExt};
use parking_lot::Mutex;
use tracing::debug;

use super::download::{Download, LARGEST_WHOLE, Received};
use super::listing::Listing;
use crate::requests::{RemoteStore, Session, Task, Version};
use crate::wire::{Failure, Fault, Meaning, Pages};
use ncutils_store::keys::joined_gets::join_gets;
use ncutils_store::keys::key::PARTIAL;
use ncutils_store::requests::gathered::Gathered;
use ncutils_store::{ByteRange, Done, FailedRequest, Get, KeyStore, Part, Requests};

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
        let most = Part::Range(ByteRange {
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

    /// The key in the bucket of a key of the dataset, or of a folder, which may be empty.
    fn whole(&self, key: &str) -> String {
        match (self.prefix.as_str(), key) {
            (prefix, "") => prefix.to_owned(),
            ("", key) => key.to_owned(),
            (prefix, key) => format!("{prefix}/{key}"),
        }
    }

    fn path(&self, key: &str) -> io::Result<Path> {
        Path::parse(self.whole(key)).map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "not a key"))
    }

    /// A value or a part of it; `None` if there is no such key.
    async fn value(&self, key: &str, part: Part) -> io::Result<Option<Received>> {
        let range = match part {
            Part::Whole => None,
            Part::Range(ByteRange { length: 0, .. }) | Part::Suffix(0) => Some(GetRange::Bounded(0..1)),
            Part::Range(range) => Some(GetRange::Bounded(range.offset..range.end().unwrap_or(u64::MAX))),
            Part::Suffix(length) => Some(GetRange::Suffix(length as u64)),
        };
        let (task, path) = (Task::new("read", key), self.path(key)?);
        let resumes = self.session.abilities().has_ranges;
        let error = match self.downloaded(&task, &path, range, resumes).await {
            Ok(received) => return Ok(Some(received)),
            Err(error) => error,
        };
        match meaning(&error) {
            Some(Meaning::NoObject) => self.absent(&task, &path),
            // The value may end before the range. A refusal alone does not prove that, and an empty value reads as fill.
            Some(Meaning::PastEnd) => match self.size_of(key).await? {
                None => Ok(None),
                Some(size) if part.within(size).is_empty() => Ok(Some(Received::default())),
                Some(_) => Err(error),
            },
            // A server without ranges.
            Some(Meaning::Whole(size)) if size.is_none_or(|size| size <= LARGEST_WHOLE) => {
                let mut received = self.downloaded(&task, &path, None, false).await?;
                let within = part.within(received.bytes.len() as u64);
                received.bytes.truncate(within.end as usize);
                received.bytes.drain(..within.start as usize);
                Ok(Some(received))
            }
            // Azure serves no suffixes.
            Some(Meaning::Unsupported) if matches!(part, Part::Suffix(_)) => {
                let Some(size) = self.size_of(key).await? else {
                    return Ok(None);
                };
                let Range { start: offset, end } = part.within(size);
                let length = usize::try_from(end - offset).map_err(|_| io::ErrorKind::OutOfMemory)?;
                Box::pin(self.value(key, Part::Range(ByteRange { offset, length }))).await
            }
            _ => Err(error),
        }
    }

    /// Downloads a value, or a range of it, and notes what it was known by.
    async fn downloaded(
        &self,
        task: &Task,
        path: &Path,
        range: Option<GetRange>,
        resumes: bool,
    ) -> io::Result<Received> {
        let (seen, is_range) = (self.session.seen(), range.is_some());
        let expected = seen.expected(path.as_ref()).filter(|_| is_range);
        let download =
            Download::new(path.clone(), range, expected, resumes).of_size(seen.listed(path.as_ref()));
        self.session
            .tried(task, |store| download.tried(store, task))
            .await?;
        let received = download.into_received();
        self.note(task, path, received.version.as_ref(), is_range)?;
        Ok(received)
    }

    /// Notes what a value was known by.
    ///
    /// # Errors
    /// If it was another one before.
    fn note(&self, task: &Task, path: &Path, version: Option<&Version>, is_range: bool) -> io::Result<()> {
        let seen = self.session.seen();
        match version.is_none_or(|version| seen.note(path.as_ref(), version, is_range)) {
            true => Ok(()),
            false => {
                Err(Failure::new(Meaning::Condition, format!("{task}: {}", Fault::Changed)).into_error())
            }
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
        let why = format!("{task}: no such object, though the server listed it");
        Err(Failure::new(Meaning::Final, why).into_error())
    }

    /// Like [`KeyStore::get`], for code that is asynchronous itself.
    async fn got(&self, key: &str, part: Part) -> io::Result<Option<Vec<u8>>> {
        if let Some(known) = self.known.lock().get(key) {
            return Ok(known.as_ref().map(|value| {
                let within = part.within(value.len() as u64);
                value[within.start as usize..within.end as usize].to_vec()
            }));
        }
        let found = self.value(key, part).await?;
        Ok(found.map(|received| match part {
            Part::Range(ByteRange { length: 0, .. }) | Part::Suffix(0) => Vec::new(),
            _ => received.bytes,
        }))
    }

    async fn size_of(&self, key: &str) -> io::Result<Option<u64>> {
        let (task, path) = (Task::new("read", key), self.path(key)?);
        let look = async |store: Arc<dyn RemoteStore>| store.head(&path).await;
        match self.session.tried(&task, look).await {
            Ok(meta) => {
                self.note(&task, &path, Some(&Version::of(&meta)), false)?;
                Ok(Some(meta.size))
            }
            Err(e) if meaning(&e) == Some(Meaning::NoObject) => self.absent(&task, &path),
            Err(e) => Err(e),
        }
    }

    /// Keys of the bucket that start with a folder, from behind `after` up to and with `last`.
    async fn listed(
        &self,
        folder: &Option<Path>,
        after: Option<&str>,
        last: Option<&str>,
        most: usize,
    ) -> io::Result<Vec<String>> {
        let listing = Listing {
            folder: folder.as_ref(),
            after,
            last,
            most,
        };
        let keep = |meta: ObjectMeta| {
            self.session.seen().note_listed(meta.location.as_ref(), meta.size);
            String::from(meta.location)
        };
        listing
            .objects(&self.session, &Task::new("list", "keys"), keep)
            .await
            .map_err(unlisted)
    }

    /// All keys of the bucket that start with a folder. Where they fill more than a page, ranges of them are listed at once.
    async fn all(&self, folder: Option<Path>) -> io::Result<Vec<String>> {
        let mut keys = self.listed(&folder, None, None, PAGE).await?;
        if keys.len() < PAGE {
            return Ok(keys);
        }
        let last = keys.last().cloned().unwrap_or_default();
        let bounds = match self.session.abilities().lists_from_anywhere {
            true => bounds(
                &keys[0],
                folder.as_ref().map_or(0, |folder| folder.as_ref().len() + 1),
                &last,
            ),
            false => Vec::new(),
        };
        let from = std::iter::once(last.as_str()).chain(bounds.iter().map(String::as_str));
        let to = bounds.iter().map(|bound| Some(bound.as_str())).chain([None]);
        let parts = from
            .zip(to)
            .map(|(from, to)| self.listed(&folder, Some(from), to, usize::MAX));
        for part in join_all(parts).await {
            keys.extend(part?);
        }
        debug!(keys = keys.len(), "listed keys");
        Ok(keys)
    }

    /// The key of the dataset for one of the bucket.
    fn below_prefix<'a>(&self, key: &'a str) -> Option<&'a str> {
        match self.prefix.as_str() {
            "" => Some(key),
            prefix => key.strip_prefix(prefix)?.strip_prefix('/'),
        }
    }

    /// The folder in the bucket; `None` for the whole bucket.
    fn folder(&self, folder: &str) -> io::Result<Option<Path>> {
        let folder = folder.trim_end_matches('/');
        match self.whole(folder).is_empty() {
            true => Ok(None),
            false => self.path(folder).map(Some),
        }
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

fn meaning(error: &io::Error) -> Option<Meaning> {
    Failure::inside(error).map(|failure| failure.meaning.clone())
}

/// A list that is refused is one that cannot be made: a reader then does without.
fn unlisted(error: io::Error) -> io::Error {
    match meaning(&error) {
        Some(Meaning::Refused | Meaning::Unsupported | Meaning::NoObject) => {
            debug!(%error, "keys cannot be listed");
            io::Error::new(io::ErrorKind::Unsupported, error.to_string())
        }
        _ => error,
    }
}

impl KeyStore for RemoteKeys {
    fn get(&self, key: &str, part: Part) -> io::Result<Option<Vec<u8>>> {
        self.session.wait(self.got(key, part))?
    }

    fn size(&self, key: &str) -> io::Result<Option<u64>> {
        if let Some(known) = self.known.lock().get(key) {
            return Ok(known.as_ref().map(|value| value.len() as u64));
        }
        self.session.wait(self.size_of(key))?
    }

    fn list(&self, prefix: &str) -> io::Result<Vec<String>> {
        let (folder, _) = prefix.rsplit_once('/').unwrap_or_default();
        let folder = self.folder(folder)?;
        let keys = self.session.wait(self.all(folder))??;
        let own = keys.iter().filter_map(|key| self.below_prefix(key));
        let mut own: Vec<String> = own
            .filter(|key| key.starts_with(prefix) && !key.starts_with(PARTIAL))
            .map(str::to_owned)
            .collect();
        own.sort_unstable();
        own.dedup();
        Ok(own)
    }

    fn list_children(&self, folder: &str) -> io::Result<Vec<String>> {
        let path = self.folder(folder)?;
        let task = Task::new("list", "keys");
        let list = |store: Arc<dyn RemoteStore>| {
            let path = path.clone();
            Pages::of(async move { store.list_with_delimiter(path.as_ref()).await })
        };
        let found = self.session.run(&task, list).map_err(unlisted)?;
        let below = |path: &Path| Some(self.below_prefix(path.as_ref())?.strip_prefix(folder)?.to_owned());
        let keys = found.objects.iter().filter_map(|meta| below(&meta.location));
        let folders = found
            .common_prefixes
            .iter()
            .filter_map(|path| Some(below(path)? + "/"));
        let mut names: Vec<String> = keys
            .chain(folders)
            .filter(|name| !name.is_empty() && name != "/")
            .filter(|name| !(folder.is_empty() && name.starts_with(PARTIAL)))
            .collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn requests(&self) -> Requests {
        Requests::slow(self.session.requests(), GAP)
    }

    fn fetch(self: Arc<Self>, gets: Vec<Get>, done: Done<io::Result<Vec<Option<Vec<u8>>>>>) {
        let count = gets.len();
        let joined = join_gets(gets, GAP);
        let Some(all) = Gathered::new(count, joined.len(), done) else {
            return;
        };
        debug!(values = count, requests = joined.len(), "fetching keys");
        for one in joined {
            let (this, to) = (Arc::clone(&self), Arc::clone(&all));
            let got = async move {
                let get = one.request();
                to.add(match this.got(&get.key, get.part).await {
                    Ok(found) => Ok(one.answers(found)),
                    Err(e) => Err(FailedRequest::error(one.first(), e)),
                })
            };
            if let Err(e) = Session::begin(got) {
                return all.arrive(Err(e));
            }
        }
    }
}

#[cfg(test)]
mod tests;
