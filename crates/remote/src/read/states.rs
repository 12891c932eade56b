//! States of objects, by which another process finds out whether they have changed.

use std::io;
use std::sync::Arc;

use futures_util::future::join_all;

use super::get::{head, path};
use crate::requests::{Session, Task, Version};

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
