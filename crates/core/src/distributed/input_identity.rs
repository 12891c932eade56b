//! [`InputIdentity`]: what tells whether an input is still the one that a job was planned for.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, absolute};

use serde_json::{Value, json};

use super::name_value::{name_of, name_value};
use crate::error::{Error, Result};
use crate::format::zarr::MARKS;
use crate::location::Location;

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
            // The time of a folder tells nothing of the files in it. The metadata of a dataset does.
            Ok(found) if found.is_dir() => {
                for mark in MARKS {
                    if let Ok(found) = fs::metadata(path.join(mark)) {
                        state.push(format!("{mark} {}", state_of(&found)));
                    }
                }
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

fn state_of(found: &Metadata) -> String {
    format!(
        "size {} time {}.{:09} number {}",
        found.len(),
        found.mtime(),
        found.mtime_nsec(),
        found.ino()
    )
}
