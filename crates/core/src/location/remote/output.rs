//! Destinations on remote stores.
//!
//! ```text
//! kind, words ─┬─ one file, or keys in a zip ─► ObjectOutput: an older object is replaced by its commit
//!              │                              └► StagedObject: the same, read before it takes its name
//!              └─ a tree of keys ─────────────► TreeOutput: what is there is refused, or replaced if that is asked for
//! ```

use std::io;
use std::sync::Arc;

use crate::error::{Alternative, Error, Result};
use crate::format::zarr::keys::below;
use crate::location::output::checks::zarr_folder::{check_leftovers, check_replaceable_keys};
use crate::remote::{
    GrowingTree, KeysCheck, NotClaimed, ObjectOutput, RemoteObject, Replaced, Session, StagedObject,
    TreeOutput,
};
use crate::remote_settings::{Provider, RemoteUrl};
use crate::store::{GrowingKeys, KeyOutput, Output, ReadBack};

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
pub(in crate::location) fn staged_object(
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
pub(in crate::location) fn object(
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
pub(in crate::location) fn tree(
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
pub(in crate::location) fn tree_of_references(
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
pub(in crate::location) fn begun_tree(
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
    let created = TreeOutput::create(session, &url.key, memory, check);
    created.map_err(|why| not_claimed("cannot create", why))
}

/// A tree of keys that is added to, and the note of a run that was killed; empty if there was none. `takes_over`: the run whose mark is
/// there is known to be dead.
///
/// # Errors
/// Another run adds to it; the store fails.
pub(in crate::location) fn growing_tree(
    session: Arc<Session>,
    url: &RemoteUrl,
    memory: u64,
    takes_over: bool,
) -> Result<(Arc<dyn GrowingKeys>, Vec<u8>)> {
    match GrowingTree::open(session, &url.key, memory, takes_over) {
        Ok((tree, note)) => Ok((Arc::new(tree), note)),
        Err(why) => Err(not_claimed("cannot add to it", why)),
    }
}

fn not_claimed(what: &'static str, why: NotClaimed) -> Error {
    match why {
        NotClaimed::Failed(e) => Error::io(what, e),
        NotClaimed::Refused(why) => Error::Usage(why),
        NotClaimed::Taken(why) => Error::Alternative {
            why,
            alternative: Alternative::Replacing,
        },
    }
}

#[cfg(test)]
mod tests;
