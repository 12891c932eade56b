//! Requests for values: [`get`] for one, [`fetch`] for many in the background, [`head`], and [`states`], by which
//! another process finds out whether objects have changed.
//!
//! An answer of another version than one that the session has seen before is an error.

use std::future::Future;
use std::io;
use std::sync::Arc;

use futures_util::future::join_all;
use object_store::path::Path;
use object_store::{GetRange, ObjectMeta, ObjectStoreExt};
use tracing::debug;

use super::download::{Download, Received};
use crate::requests::{RemoteStore, Session, Task, Version};
use crate::wire::Failure;
use ncutils_store::keys::joined_gets::join_gets;
use ncutils_store::requests::gathered::Gathered;
use ncutils_store::{Done, FailedRequest, Get};

/// The path of a key; empty for the URL of a plain server itself.
///
/// # Errors
/// `InvalidInput` for text that is no key.
pub(super) fn path(key: &str) -> io::Result<Path> {
    Path::parse(key).map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "not a key"))
}

/// Downloads an object, or a range of it, which must be `known`. `resumes` is false for a server that may have no ranges.
///
/// # Errors
/// Those of the session; [`Meaning::Condition`](crate::wire::Meaning::Condition) if the object has another version than before.
pub(super) async fn get(
    session: &Session,
    task: &Task,
    path: &Path,
    range: Option<GetRange>,
    known: Option<&Version>,
    resumes: bool,
) -> io::Result<Received> {
    let (seen, is_range) = (session.seen(), range.is_some());
    let before = || seen.expected(path.as_ref()).filter(|_| is_range);
    let expected = known.cloned().or_else(before);
    let download = Download::new(path.clone(), range, expected, seen.listed(path.as_ref()), resumes);
    session.tried(task, |store| download.tried(store, task)).await?;
    let received = download.into_received();
    if let Some(version) = &received.version {
        note(session, task, path, version, is_range)?;
    }
    Ok(received)
}

/// Notes the version of an object. `is_range` is true for an answer with a part of it.
///
/// # Errors
/// [`Meaning::Condition`](crate::wire::Meaning::Condition) if it was another one before.
pub(super) fn note(
    session: &Session,
    task: &Task,
    path: &Path,
    version: &Version,
    is_range: bool,
) -> io::Result<()> {
    match session.seen().note(path.as_ref(), version, is_range) {
        true => Ok(()),
        false => Err(Failure::changed().of_task(task)),
    }
}

/// What the store tells of an object by a request without a body; `None` if there is no such object.
///
/// # Errors
/// Those of the session.
pub(crate) async fn head(session: &Session, task: &Task, path: &Path) -> io::Result<Option<ObjectMeta>> {
    let look = async |store: Arc<dyn RemoteStore>| store.head(path).await;
    match session.tried(task, look).await {
        Err(e) if Failure::is_missing(&e) => Ok(None),
        found => found.map(Some),
    }
}

/// Fetches many values in the background, by `got`. Ranges of one value that are at most `gap` bytes apart are read as one.
pub(super) fn fetch<F>(
    gets: Vec<Get>,
    gap: u64,
    done: Done<io::Result<Vec<Option<Vec<u8>>>>>,
    got: impl Fn(Get) -> F,
) where
    F: Future<Output = io::Result<Option<Vec<u8>>>> + Send + 'static,
{
    let count = gets.len();
    let joined = join_gets(gets, gap);
    let Some(all) = Gathered::new(count, joined.len(), done) else {
        return;
    };
    debug!(values = count, requests = joined.len(), "fetching");
    for one in joined {
        let (answer, to) = (got(one.request().clone()), Arc::clone(&all));
        let gathered = async move {
            to.add(match answer.await {
                Ok(found) => Ok(one.answers(found)),
                Err(e) => Err(FailedRequest::error(one.first(), e)),
            })
        };
        if let Err(e) = Session::begin(gathered) {
            return all.arrive(Err(e));
        }
    }
}

/// A line for each of these keys that is an object: its ETag, date and size.
///
/// # Errors
/// Those of the session; text that is no key.
pub fn states(session: &Arc<Session>, keys: &[String]) -> io::Result<Vec<String>> {
    let task = Task::new("look at", "");
    let paths: Vec<_> = keys.iter().map(|key| path(key)).collect::<io::Result<_>>()?;
    let looks = paths.iter().map(|path| head(session, &task, path));
    let mut states = Vec::new();
    for (key, found) in keys.iter().zip(session.wait(join_all(looks))?) {
        if let Some(meta) = found? {
            states.push(format!("{key} {}", Version::of(&meta).line()));
        }
    }
    Ok(states)
}
