//! Destinations on remote stores.
//!
//! ```text
//! kind, words ─┬─ one file, or keys in a zip ─► ObjectOutput: an older object is replaced by its commit
//!              │                              └► StagedObject: the same, read before it takes its name
//!              └─ a tree of keys ─────────────► TreeOutput: what is there is refused, or replaced if that is asked for
//! ```

use std::io;
use std::sync::Arc;

use super::output::zarr_folder::{check_leftovers, check_replaceable_keys};
use crate::error::{Alternative, Error, Result};
use crate::format::zarr::keys::below;
use crate::format::{Promised, VariablePlan};
use crate::remote::Session;
use crate::remote::{KeysCheck, NotClaimed, RemoteObject, Replaced, TreeOutput};
use crate::remote::{ObjectOutput, StagedObject};
use crate::remote_settings::{Provider, RemoteUrl};
use crate::store::{KeyOutput, Output, ReadBack};

/// The output takes this part of the memory (1 / 4).
const SHARE: u64 = 4;

/// Least memory of an output, in bytes: three parts of the least size.
const LEAST: u64 = 15 << 20;

/// Most memory of an output, in bytes: as much as is under way over a fast line.
const MOST: u64 = 256 << 20;

/// Bytes of an object that hold no data, as far as is known beforehand.
const METADATA: u64 = 1 << 20;

/// The part of a budget, in bytes, that an output on a remote store may hold.
pub(super) fn memory_of_output(budget: u64) -> u64 {
    (budget / SHARE).clamp(LEAST, MOST)
}

/// The size in bytes that one file with these variables has at most, roughly. `None` if nobody can know.
pub(super) fn expected_size(plans: &[VariablePlan]) -> Option<u64> {
    plans.iter().try_fold(METADATA, |sum: u64, plan| {
        let layout = &plan.layout;
        let elements = match plan.promised {
            Promised::Nothing => Some(0),
            Promised::Bytes(bytes) => return sum.checked_add(bytes),
            Promised::Chunks(chunks) => layout
                .chunk_shape()
                .iter()
                .try_fold(chunks, |n, length| n.checked_mul(*length)),
        };
        let bytes = elements?.checked_mul(layout.stored_size() as u64)?;
        // A codec makes noise a little longer.
        sum.checked_add(bytes)?.checked_add(bytes / 64)
    })
}

fn check_writable(url: &RemoteUrl) -> Result<()> {
    match (url.provider(), url.key.is_empty()) {
        (Provider::Http, _) => Err(Error::Usage(
            "plain HTTP servers can only be read; for an S3 server write mode=s3 into the fragment"
                .to_owned(),
        )),
        _ => Ok(()),
    }
}

fn check_object(url: &RemoteUrl) -> Result<()> {
    check_writable(url)?;
    if url.key.is_empty() {
        return Err(Error::Usage(
            "the URL names a bucket, and no object in it".to_owned(),
        ));
    }
    // As a local file cannot have the name of a folder.
    match url.typed.path.ends_with('/') {
        true => Err(Error::Usage(
            "the URL ends in /, as that of a folder does; name the object".to_owned(),
        )),
        false => Ok(()),
    }
}

/// The output of one object that is read before it takes its name.
///
/// # Errors
/// A URL that names no object, or cannot be written.
pub(super) fn staged_object(
    session: Arc<Session>,
    url: &RemoteUrl,
    memory: u64,
    expected: Option<u64>,
) -> Result<Arc<dyn ReadBack>> {
    check_object(url)?;
    let output = StagedObject::create(session, &url.key, memory, expected);
    Ok(Arc::new(output.map_err(|e| Error::io("cannot create", e))?))
}

/// The output of one object.
///
/// # Errors
/// A URL that names no object, or cannot be written.
pub(super) fn object(
    session: Arc<Session>,
    url: &RemoteUrl,
    memory: u64,
    expected: Option<u64>,
) -> Result<Arc<dyn Output>> {
    check_object(url)?;
    let output = ObjectOutput::create(session, &url.key, memory, expected);
    Ok(Arc::new(output.map_err(|e| Error::io("cannot create", e))?))
}

/// The output of a tree of keys of Zarr.
///
/// # Errors
/// A URL that cannot be written; what is there, unless it may be replaced and `replaces` asks for it.
pub(super) fn tree(
    session: Arc<Session>,
    url: &RemoteUrl,
    memory: u64,
    replaces: bool,
) -> Result<Arc<dyn KeyOutput>> {
    Ok(Arc::new(begun_tree(session, url, memory, replaces)?))
}

/// The output of a tree of references. `check` tells which keys are lost with references alone; `None` for what is never replaced.
///
/// # Errors
/// Those of [`tree`].
pub(super) fn tree_of_references(
    session: Arc<Session>,
    url: &RemoteUrl,
    memory: u64,
    check: Option<fn(&[String]) -> io::Result<()>>,
) -> Result<Arc<dyn KeyOutput>> {
    let check = check.map(|check| move |_: Replaced, keys: &[String]| check(keys));
    let check = check.as_ref().map(|check| check as KeysCheck<'_>);
    Ok(Arc::new(checked_tree(session, url, memory, check)?))
}

/// Like [`tree`].
///
/// # Errors
/// Those of [`tree`].
pub(super) fn begun_tree(
    session: Arc<Session>,
    url: &RemoteUrl,
    memory: u64,
    replaces: bool,
) -> Result<TreeOutput> {
    let (reading, prefix) = (Arc::clone(&session), url.key.trim_end_matches('/'));
    let open = |key: &str| {
        let opened = RemoteObject::open_key(&reading, &below(prefix, key));
        opened.ok().map(|opened| opened.object)
    };
    let check = |what: Replaced, keys: &[String]| match what {
        Replaced::Dataset => check_replaceable_keys(keys, &open),
        Replaced::Leftovers => check_leftovers(keys),
    };
    let check = replaces.then_some(&check as KeysCheck<'_>);
    checked_tree(session, url, memory, check)
}

fn checked_tree(
    session: Arc<Session>,
    url: &RemoteUrl,
    memory: u64,
    check: Option<KeysCheck<'_>>,
) -> Result<TreeOutput> {
    check_writable(url)?;
    match TreeOutput::create(session, &url.key, memory, check) {
        Ok(output) => Ok(output),
        Err(NotClaimed::Failed(e)) => Err(Error::io("cannot create", e)),
        Err(NotClaimed::Refused(why)) => Err(Error::Usage(why)),
        Err(NotClaimed::Taken(why)) => Err(Error::Alternative {
            why,
            alternative: Alternative::Replacing,
        }),
    }
}

#[cfg(test)]
mod tests;
