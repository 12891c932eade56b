//! [`InputIdentity`]: what tells whether an input is still the one that a job was planned for.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, absolute};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::name_value::{name_of, name_value};
use crate::error::{Error, Result};
use crate::format::zarr::MARKS;
use crate::location::Location;

/// Most folders of a tree that are looked at.
const MOST_FOLDERS: usize = 1000;

/// An input, and its state when the job was planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputIdentity {
    /// The name as the user typed it, of a local file from the root on.
    pub name: OsString,
    /// One line for each file that counts: size, time, number. For an object on a remote store its ETag, or date and size.
    state: Vec<String>,
}

impl InputIdentity {
    /// The state of an input now. `typed` is the name that the user typed.
    ///
    /// # Errors
    /// The input is not there, or this machine does not see it; a remote store fails.
    pub fn now(location: &Location, typed: &OsStr) -> Result<Self> {
        let Some(path) = location.path() else {
            return Ok(Self {
                name: typed.to_owned(),
                state: location.remote_state(&MARKS)?,
            });
        };
        let name = match absolute(path) {
            Ok(whole) if Path::new(typed) == path => whole.into(),
            _ => typed.to_owned(),
        };
        let mut state = Vec::new();
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => {
                state.extend(marks_of(path));
                state.push(folders_below(path));
            }
            Ok(found) => state.push(state_of(&found)),
            Err(e) => return Err(Error::io("cannot open", e).in_file(typed)),
        }
        Ok(Self { name, state })
    }

    /// An input that is not there.
    #[cfg(test)]
    pub(super) fn missing(name: &OsStr) -> Self {
        Self {
            name: name.to_owned(),
            state: Vec::new(),
        }
    }

    /// True if the input is still as it was.
    ///
    /// # Errors
    /// A remote store fails.
    pub fn is_same(&self, location: &Location) -> Result<bool> {
        Ok(Self::now(location, &self.name)?.state == self.state)
    }

    pub(super) fn value(&self) -> Value {
        json!({ "name": name_value(&self.name), "state": self.state })
    }

    pub(super) fn of(value: &Value) -> Option<Self> {
        let state = value.get("state")?.as_array()?.iter();
        Some(Self {
            name: name_of(value.get("name")?)?,
            state: state
                .map(|line| Some(line.as_str()?.to_owned()))
                .collect::<Option<_>>()?,
        })
    }
}

/// The state of the metadata in a folder.
fn marks_of(folder: &Path) -> impl Iterator<Item = String> {
    MARKS.iter().filter_map(|mark| {
        let found = fs::metadata(folder.join(mark)).ok()?;
        Some(format!("{mark} {}", state_of(&found)))
    })
}

/// The state of the first folders of a tree, level by level, and of the metadata in them. A folder tells when a key in it is added,
/// removed or replaced; not when a value is overwritten in place.
fn folders_below(root: &Path) -> String {
    let mut hashed = Sha256::new();
    let mut folders = VecDeque::from([root.to_owned()]);
    let mut count = 0;
    while let Some(folder) = folders.pop_front().filter(|_| count < MOST_FOLDERS) {
        count += 1;
        let own = fs::metadata(&folder).map_or_else(|_| String::new(), |found| state_of(&found));
        hashed.update(
            folder
                .strip_prefix(root)
                .unwrap_or(&folder)
                .as_os_str()
                .as_bytes(),
        );
        hashed.update(own);
        marks_of(&folder).for_each(|mark| hashed.update(mark));
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let below = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let mut below: Vec<_> = below.map(|entry| entry.path()).collect();
        below.sort_unstable();
        let room = MOST_FOLDERS.saturating_sub(count + folders.len());
        folders.extend(below.into_iter().take(room));
    }
    let digest = hashed.finalize();
    let digest = digest
        .iter()
        .fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    format!("{count} folders {digest}")
}

fn state_of(found: &Metadata) -> String {
    format!(
        "size {} time {}.{:09} number {}",
        found.len(),
        found.mtime(),
        found.mtime_nsec(),
        found.ino()
    )
}
