//! [`ReplacedFiles`]: the check that the outputs of several inputs replace no file that one of the inputs leads to.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::sources::find_source;
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::location::{Location, Target, remote_url};
use crate::store::{LocalExternalFiles, NamedAs, Sought};

/// What the outputs of a run with several inputs replace in a local folder.
pub struct ReplacedFiles {
    /// The folder, without symbolic links; `None` if it does not hold all of them.
    within: Option<String>,
    /// The outputs by device and inode.
    files: HashMap<(u64, u64), String>,
    /// Outputs that are folders, without symbolic links.
    folders: Vec<(PathBuf, String)>,
    /// For each folder of inputs, whether files there may lead to an output.
    near: Mutex<HashMap<PathBuf, bool>>,
}

impl ReplacedFiles {
    /// The outputs that exist in `folder` or below. Remote ones are left out.
    pub fn of(folder: &Location, outputs: impl Iterator<Item = Location>) -> Self {
        let whole = folder.path().and_then(|path| path.canonicalize().ok());
        let mut replaced = Self {
            within: whole.as_deref().and_then(Path::to_str).map(str::to_owned),
            files: HashMap::new(),
            folders: Vec::new(),
            near: Mutex::default(),
        };
        // Thousands of outputs are in one folder.
        let mut parents: HashMap<PathBuf, PathBuf> = HashMap::new();
        for output in outputs {
            let found = output.path().and_then(|path| {
                let there = fs::symlink_metadata(path).ok()?;
                if there.is_symlink() {
                    return Some((path.canonicalize().ok()?, fs::metadata(path).ok()?));
                }
                let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
                let (parent, name) = (parent.unwrap_or(Path::new(".")), path.file_name()?);
                if !parents.contains_key(parent) {
                    parents.insert(parent.to_owned(), parent.canonicalize().ok()?);
                }
                Some((parents.get(parent)?.join(name), there))
            });
            let Some((path, there)) = found else {
                continue;
            };
            let is_within = whole.as_ref().is_some_and(|whole| path.starts_with(whole));
            if !is_within || !there.is_dir() && there.nlink() > 1 {
                replaced.within = None;
            }
            match there.is_dir() {
                true => replaced.folders.push((path, output.to_string())),
                false => drop(
                    replaced
                        .files
                        .insert((there.dev(), there.ino()), output.to_string()),
                ),
            }
        }
        replaced
    }

    /// True if no output exists.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.folders.is_empty()
    }

    /// Checks that no output replaces a file that the dataset at `input` leads to. Of HDF5, files that netCDF does not show count
    /// only if it is copied `as_it_is`. An input that cannot be opened leads nowhere, and nor does one beside which no output lies.
    ///
    /// # Errors
    /// The file is an output, or lies in the folder of one; the names of files cannot be read.
    pub fn check_input(&self, input: &Location, registry: &Registry, as_it_is: bool) -> Result<()> {
        let Target::Path(path) = &input.target else {
            return Ok(());
        };
        let found = Mutex::new(None);
        let is_at = |identity: &OsStr| {
            let path = Path::new(identity);
            let of_folder = || self.folders.iter().find(|(folder, _)| path.starts_with(folder));
            let there = fs::metadata(path).ok();
            let file = there.and_then(|there| self.files.get(&(there.dev(), there.ino())));
            let output = file.or_else(|| of_folder().map(|(_, output)| output));
            if let (Some(output), Ok(mut found)) = (output, found.lock()) {
                *found = Some(output.clone());
            }
            output.is_some()
        };
        let sought = Sought {
            within: self.within.as_deref(),
            is_at: &is_at,
        };
        if self.is_empty() || !self.is_near(path, input, &sought) {
            return Ok(());
        }
        let name = match input.input() {
            Ok(opened) => find_source(input, opened, registry, as_it_is, &sought),
            Err(_) => Ok(None),
        };
        match (name.map_err(input.named())?, found.into_inner()) {
            (Some(name), Ok(Some(output))) => Err(Error::Usage(format!(
                "{}, to which {input} leads, is replaced by the output {output}; name another folder",
                remote_url::shown(&name).escape_debug()
            ))),
            _ => Ok(()),
        }
    }

    /// True if files that the dataset at `path` names may be outputs. Files of one folder lead to the same places.
    fn is_near(&self, path: &Path, input: &Location, sought: &Sought<'_>) -> bool {
        let is_file = || fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
        let folder = path.parent().filter(|_| is_file());
        let known = |folder: &Path| self.near.lock().ok()?.get(folder).copied();
        if let Some(is_near) = folder.and_then(known) {
            return is_near;
        }
        let places = LocalExternalFiles::of(path, input.access.clone());
        let may_lead = |named_as| sought.may_be_among(&places, named_as);
        let is_near = NamedAs::ALL.into_iter().any(may_lead);
        if let (Some(folder), Ok(mut near)) = (folder, self.near.lock()) {
            near.insert(folder.to_owned(), is_near);
        }
        is_near
    }
}
