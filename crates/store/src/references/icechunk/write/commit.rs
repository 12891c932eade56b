//! Makes a snapshot the last one of a branch.
//!
//! ```text
//! specification 1   config.yaml, if folders are new ─► refs/branch.NAME/ref.json
//! specification 2   overwritten/repo.…, a copy ─► repo
//! ```
//!
//! The last file is replaced only if it is as it was, so that of two programs that add at once one wins, and the other is told.

use std::io;

use super::super::containers::Containers;
use super::super::file_reader::{FileKind, Specification, damaged};
use super::super::flexbuffer::FlexValue;
use super::super::id::{FIRST_SNAPSHOT, ObjectId, id_of};
use super::super::keys;
use super::super::repository::{Added, Repository};
use super::file_writer::file;
use super::parent::Parent;
use super::settings_writer::{with_folders, yaml, yaml_with_folders};
use super::snapshot_writer::{FIRST_MESSAGE, MAIN};
use crate::{GrowingKeys, KeyOutput};

/// Attempts to replace `repo` when another program changed it without moving the branch.
const TRIED: usize = 20;

/// Milliseconds from 1970 to the year 3000, from which names of copies count back.
const YEAR_3000: u64 = 32_503_680_000_000;

/// Makes a repository of its first snapshots and `added`. Its virtual chunks lie in these folders.
///
/// # Errors
/// The store fails.
pub fn begin<'f>(
    output: &dyn KeyOutput,
    specification: Specification,
    added: &Added<'_>,
    folders: impl Iterator<Item = &'f String>,
) -> io::Result<()> {
    match specification {
        Specification::V1 => {
            output.put(keys::SETTINGS, yaml(folders).as_bytes())?;
            output.put_last(&keys::branch(MAIN), keys::ref_to(added.id).as_bytes())
        }
        Specification::V2 => {
            let first = Added {
                id: FIRST_SNAPSHOT,
                message: FIRST_MESSAGE,
                ..*added
            };
            let settings = with_folders(FlexValue::Map(Vec::new()), folders);
            let mut repository = Repository::new(&first, settings.write());
            let at = repository.time_of_update(added.flushed_at);
            repository.add(MAIN, added, at, None);
            output.put_last(keys::REPOSITORY, &file_of(&repository)?)
        }
    }
}

/// Moves the branch of `parent` to `added`, whose virtual chunks lie in these folders, too.
///
/// # Errors
/// Another program has moved the branch meanwhile; the store fails.
pub fn add<'f>(
    output: &dyn GrowingKeys,
    parent: &Parent,
    added: &Added<'_>,
    folders: impl Iterator<Item = &'f String>,
) -> io::Result<()> {
    let folders: Vec<&String> = folders.collect();
    match parent.specification {
        Specification::V1 => {
            let tip = parent.unmoved(output)?;
            add_folders(output, parent, &folders)?;
            let new = keys::ref_to(added.id);
            match output.replace(&keys::branch(&parent.branch), &tip.file, new.as_bytes())? {
                true => Ok(()),
                false => Err(parent.moved()),
            }
        }
        Specification::V2 => {
            for _ in 0..TRIED {
                let tip = parent.unmoved(output)?;
                let Some(mut repository) = tip.repository else {
                    break;
                };
                if let Some(settings) = with_new_folders(&repository, &folders)? {
                    repository.set_settings(settings);
                }
                let at = repository.time_of_update(added.flushed_at);
                let copy = name_of_copy(at, &tip.file);
                let key = keys::overwritten(&copy);
                output.put(&key, &tip.file)?;
                repository.add(&parent.branch, added, at, Some(&copy));
                // The answer may have been lost, and others may have added to what this program added.
                if output.replace(keys::REPOSITORY, &tip.file, &file_of(&repository)?)?
                    || parent.leads_to(output, added.id)?
                {
                    return Ok(());
                }
                // Nothing names the copy.
                output.remove(&key)?;
            }
            let told = "other programs change the repository all the time: run nccopy --append again";
            Err(io::Error::new(io::ErrorKind::ResourceBusy, told))
        }
    }
}

fn file_of(repository: &Repository) -> io::Result<Vec<u8>> {
    file(Specification::V2, FileKind::Repository, &repository.flatbuffer())
}

/// The name of a copy of `repo`. Newer copies sort first.
fn name_of_copy(at: u64, file: &[u8]) -> String {
    let id = ObjectId(id_of("repository", file));
    format!("repo.{}.{id}", YEAR_3000.saturating_sub(at / 1000))
}

/// The settings of specification 2 with these folders; `None` if they have them.
fn with_new_folders(repository: &Repository, folders: &[&String]) -> io::Result<Option<Vec<u8>>> {
    let settings = match repository.settings() {
        Some(bytes) => FlexValue::parse(bytes).map_err(|why| damaged(keys::REPOSITORY, &why))?,
        None => FlexValue::Map(Vec::new()),
    };
    let told = Containers::of(&settings);
    let mut new = folders
        .iter()
        .copied()
        .filter(|folder| !told.contains(folder))
        .peekable();
    match new.peek().is_some() {
        true => Ok(Some(with_folders(settings, new).write())),
        false => Ok(None),
    }
}

/// Adds containers for folders to the settings of specification 1 that have none.
fn add_folders(output: &dyn GrowingKeys, parent: &Parent, folders: &[&String]) -> io::Result<()> {
    let old = parent.settings()?;
    let text = String::from_utf8_lossy(old.as_deref().unwrap_or_default());
    let told = Containers::of_yaml(&text);
    let mut new = folders
        .iter()
        .copied()
        .filter(|folder| !told.contains(folder))
        .peekable();
    let Some(folder) = new.peek().map(|folder| (*folder).clone()) else {
        return Ok(());
    };
    let Some(old) = &old else {
        return output.put_last(keys::SETTINGS, yaml(new).as_bytes());
    };
    let settings = yaml_with_folders(&text, new).ok_or_else(|| {
        let why = format!(
            "its settings in {} have no container for the virtual chunks in {folder}; add one by icechunk",
            keys::SETTINGS
        );
        io::Error::new(io::ErrorKind::InvalidInput, why)
    })?;
    match output.replace(keys::SETTINGS, old, settings.as_bytes())? {
        true => Ok(()),
        false => Err(io::Error::new(
            io::ErrorKind::ResourceBusy,
            "another program has changed the settings of the repository meanwhile: run nccopy --append again",
        )),
    }
}

#[cfg(test)]
mod tests;
