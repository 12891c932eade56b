//! Finds what is at a URL: one object, a tree of keys, or a server of OPeNDAP.
//!
//! ```text
//! fragment says object ─► the object          fragment says tree ─► its marks, all at once
//! nothing is said ─► the object ─ not there, or no data ─► the marks of a tree ─ not there either ─► a server of OPeNDAP ─► the first error
//! fragment says OPeNDAP, or the path has a folder of such servers and one answers ─► a server of OPeNDAP
//! ```

use std::io;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::format::dap;
use crate::format::zarr::MARKS;
use crate::format::zarr::keys::PARTIAL;
use crate::location::remote_input::RemoteInput;
use crate::remote::{
    Failure, Meaning, RemoteExternalFiles, RemoteKeys, RemoteObject, RemoteQueries, Session,
};
use crate::remote_settings::{Form, ProcessEnvironment, Provider, RemoteUrl, Settings};
use crate::store::{
    ExternalFiles, KeyStore, Object, QueryServer, SpooledSource, object_stream, temporary_folder,
};

/// Folders below which servers answer by OPeNDAP, and have no files.
const OF_SERVERS: [&str; 2] = ["dodsC", "dods"];

/// The session for a URL, and what the user should know about its settings.
///
/// # Errors
/// Settings that are malformed or cannot be read.
pub(in crate::location) fn connect(url: &RemoteUrl, requests: usize) -> Result<(Arc<Session>, Vec<String>)> {
    let settings = Settings::of(url, &ProcessEnvironment)?;
    let warnings = settings.warnings.clone();
    Ok((crate::remote::connect(url, settings, requests)?, warnings))
}

/// What tells the version of the object at a URL, or a line for each of `marks` below it.
///
/// # Errors
/// Those of the store.
pub(in crate::location) fn states(
    url: &RemoteUrl,
    session: &Arc<Session>,
    marks: &[&str],
) -> Result<Vec<String>> {
    let looked = |keys: &[String]| {
        let found = crate::remote::states(session, keys);
        found.map_err(|e| Error::io("cannot read", e))
    };
    let prefix = url.key.trim_end_matches('/');
    if !prefix.is_empty() || url.provider() == Provider::Http {
        let own = looked(std::slice::from_ref(&url.key))?;
        if !own.is_empty() {
            return Ok(own);
        }
    }
    let below = marks.iter().map(|mark| match prefix.is_empty() {
        true => (*mark).to_owned(),
        false => format!("{prefix}/{mark}"),
    });
    looked(&below.collect::<Vec<_>>())
}

/// What is at a URL, in one round trip where the fragment tells the form, in two otherwise. With `requires_sources`, a missing
/// source of a virtual dataset is an error.
///
/// # Errors
/// No such object, no permission, or no answer. A tree that was never finished.
pub(in crate::location) fn find(
    url: &RemoteUrl,
    session: &Arc<Session>,
    requires_sources: bool,
) -> Result<RemoteInput> {
    let object = || object(url, session, requires_sources);
    let is_whole_bucket = url.key.is_empty() && url.provider() != Provider::Http;
    let server = || RemoteQueries::of(url, session).map(|server| Arc::new(server) as Arc<dyn QueryServer>);
    match url.form {
        Form::Object => object().map_err(cannot_read),
        Form::Dap2 | Form::Dap4 => match server() {
            Some(server) => Ok(RemoteInput::Queries(server)),
            None => Err(Error::Usage("OPeNDAP is asked by http:// or https://".to_owned())),
        },
        Form::Unsaid
            if url.key.split('/').any(|part| OF_SERVERS.contains(&part))
                && let Some(server) = server().filter(dap::answers) =>
        {
            Ok(RemoteInput::Queries(server))
        }
        Form::Tree => {
            let keys = tree(url, session)?;
            let is_nothing = || matches!(keys.list_children(""), Ok(names) if names.is_empty());
            match !keys.has_known() && is_nothing() {
                true => Err(match !url.key.is_empty() && object().is_ok() {
                    true => no_tree(url),
                    false => nothing_there(url),
                }),
                false => Ok(RemoteInput::Keys(keys)),
            }
        }
        Form::Unsaid if is_whole_bucket => Ok(RemoteInput::Keys(tree(url, session)?)),
        Form::Unsaid => {
            let error = match object() {
                // Some programs mark folders by empty objects.
                Ok(RemoteInput::Object { object, .. }) if object.size().ok().flatten() == Some(0) => None,
                Ok(found) => return Ok(found),
                Err(error) if may_be_tree(&error) => Some(error),
                Err(error) if may_be_server(&error) => {
                    return match server().filter(dap::answers) {
                        Some(server) => Ok(RemoteInput::Queries(server)),
                        None => Err(cannot_read(error)),
                    };
                }
                Err(error) => return Err(cannot_read(error)),
            };
            match tree(url, session) {
                Ok(keys) if keys.has_known() || has_any(&*keys) => Ok(RemoteInput::Keys(keys)),
                _ if let Some(server) = server().filter(dap::answers) => Ok(RemoteInput::Queries(server)),
                Ok(_) | Err(Error::Io { .. }) => match error {
                    Some(error) => Err(cannot_read(error)),
                    None => object().map_err(cannot_read),
                },
                // The user named the object, and no key of a tree.
                Err(tree_error) => Err(match error {
                    Some(error) if is_answered(&error) && matches!(tree_error, Error::Remote(_)) => {
                        cannot_read(error)
                    }
                    _ => tree_error,
                }),
            }
        }
    }
}

/// True if a tree may lie where an object cannot be read: there is none, it is a page about a folder, or the user may not
/// learn whether there is one.
fn may_be_tree(error: &io::Error) -> bool {
    Failure::inside(error).is_some_and(|failure| {
        matches!(
            failure.meaning,
            Meaning::NoObject | Meaning::Refused | Meaning::NoData
        )
    })
}

/// True if a server of OPeNDAP may refuse so what is no request of its protocol.
fn may_be_server(error: &io::Error) -> bool {
    let failure = Failure::inside(error);
    failure.is_some_and(|failure| matches!(failure.meaning, Meaning::Final | Meaning::Unsupported))
}

/// True if the server says something of the object other than that there is none.
fn is_answered(error: &io::Error) -> bool {
    Failure::inside(error)
        .is_some_and(|failure| matches!(failure.meaning, Meaning::Refused | Meaning::NoData))
}

/// True if there are keys, of a tree whose root has none.
fn has_any(keys: &dyn KeyStore) -> bool {
    keys.list_children("").is_ok_and(|names| !names.is_empty())
}

/// The error for an object in the place of a tree.
fn no_tree(url: &RemoteUrl) -> Error {
    Error::Remote(format!(
        "the fragment asks for a tree of keys, and {} is one object; leave the fragment out",
        url.key.escape_debug()
    ))
}

/// The error for a prefix that no key has.
fn nothing_there(url: &RemoteUrl) -> Error {
    let place = format!("the bucket {}", url.bucket.escape_debug());
    Error::Remote(match url.key.trim_end_matches('/') {
        "" => format!("nothing is there: {place} is empty"),
        key => format!(
            "nothing is there: {place} has no key {0} and none below {0}/",
            key.escape_debug()
        ),
    })
}

/// The key of the object at a URL. A plain server's URL is sent as it was typed.
fn key(url: &RemoteUrl) -> &str {
    match url.provider() {
        Provider::Http => "",
        _ => &url.key,
    }
}

fn object(url: &RemoteUrl, session: &Arc<Session>, requires_sources: bool) -> io::Result<RemoteInput> {
    let opened = RemoteObject::open_key(session, key(url))?;
    let connect = |folder: &RemoteUrl, requests| Ok(connect(folder, requests)?.0);
    let external_files = RemoteExternalFiles::of(url, session, connect, requires_sources);
    let external_files = external_files.map(|found| Arc::new(found) as Arc<dyn ExternalFiles>);
    Ok(RemoteInput::Object {
        object: opened.object,
        warning: opened.warning,
        external_files,
    })
}

fn tree(url: &RemoteUrl, session: &Arc<Session>) -> Result<Arc<RemoteKeys>> {
    let marks: Vec<&str> = MARKS.into_iter().chain([PARTIAL]).collect();
    let keys = RemoteKeys::open(session, key(url), &marks).map_err(cannot_read)?;
    if keys.size(PARTIAL).map_err(cannot_read)?.is_some() {
        return Err(Error::Damaged(format!(
            "the dataset is not complete: it has the key {PARTIAL}, which a writer puts first and deletes last"
        )));
    }
    Ok(keys)
}

fn cannot_read(error: io::Error) -> Error {
    // The failure says already what cannot be done.
    match Failure::inside(&error) {
        Some(failure) => Error::Remote(failure.to_string()),
        None => Error::io("cannot read", error),
    }
}

/// The bytes of a text, read to its end.
///
/// # Errors
/// Those of [`find`], and of reading.
pub(in crate::location) fn text(
    url: &RemoteUrl,
    session: &Arc<Session>,
    memory: u64,
) -> Result<(Arc<dyn Object>, Option<String>)> {
    let opened = RemoteObject::open_key(session, key(url)).map_err(cannot_read)?;
    let mut source = object_stream(opened.object)?;
    let spooled = SpooledSource::read(&mut source, memory, &temporary_folder())?;
    Ok((Arc::new(spooled), opened.warning))
}
