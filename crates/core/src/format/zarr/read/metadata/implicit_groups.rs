//! Groups without metadata: folders that have no document of their own, and nodes below them.
//!
//! The specification of version 3 had them until 2024, and zarr-python 3.0 wrote them. No version lists them today, so what
//! lies in them is hidden from other programs.

use super::metadata_store::MetadataStore;
use crate::error::Result;
use crate::format::zarr::keys::{ARRAY, GROUP, NODE, below};
use crate::message::some_of;

/// Most folders without metadata that are listed. Folders of something else may lie in a dataset.
const MOST_LISTED: usize = 1_000;

/// Finds the groups without metadata of one hierarchy.
#[derive(Debug, Default)]
pub struct ImplicitGroups {
    /// Documents that make a folder a node.
    own: &'static [&'static str],
    /// Documents that make a folder a node of the other version.
    other: &'static [&'static str],
    found: Vec<String>,
    listed: usize,
    warnings: Vec<String>,
}

impl ImplicitGroups {
    /// Those of a hierarchy of version 2.
    pub fn of_version_2() -> Self {
        Self {
            own: &[ARRAY, GROUP],
            other: &[NODE],
            ..Self::default()
        }
    }

    /// Those of a hierarchy of version 3.
    pub fn of_version_3() -> Self {
        Self {
            own: &[NODE],
            other: &[ARRAY, GROUP],
            ..Self::default()
        }
    }

    /// Which of these folders have nodes somewhere below them. None has a document of its own.
    ///
    /// # Errors
    /// If a slow store fails. A folder of the local file system that cannot be listed is told.
    pub fn among(&mut self, store: &MetadataStore, folders: &[String]) -> Result<Vec<bool>> {
        let mut leads = vec![false; folders.len()];
        // The position of a folder of `folders`, and the path of one in it.
        let mut level: Vec<(usize, String)> = folders.iter().cloned().enumerate().collect();
        while !level.is_empty() {
            level.retain(|(at, path)| !leads[*at] && !is_hidden(path));
            let room = MOST_LISTED - self.listed;
            if let Some((_, path)) = level.get(room) {
                let path = path.escape_debug();
                self.warnings.push(format!(
                    "more than {MOST_LISTED} folders have no metadata: {path} and others are not searched for arrays"
                ));
                level.truncate(room);
            }
            self.listed += level.len();
            let paths: Vec<&str> = level.iter().map(|(_, path)| &**path).collect();
            let mut next = Vec::new();
            for ((at, path), names) in level.iter().zip(store.names_of(&paths)?) {
                let names = match names {
                    Ok(names) => names,
                    Err(error) if store.is_slow() => return Err(error),
                    Err(error) => {
                        self.warnings
                            .push(format!("folder {path} is not searched for arrays: {error}"));
                        continue;
                    }
                };
                let has = |marks: &[&str]| names.iter().any(|name| marks.contains(&&**name));
                // A folder whose own document is there, and was not read, is a damaged node.
                if has(self.own) {
                    leads[*at] = *path != folders[*at];
                } else if has(self.other) {
                    self.warnings.push(format!(
                        "folder {path} is left out: it is Zarr of another version than what lies around it"
                    ));
                } else {
                    let folders = names.iter().filter_map(|name| name.strip_suffix('/'));
                    next.extend(folders.map(|name| (*at, below(path, name))));
                }
            }
            level = next;
        }
        let found = folders.iter().zip(&leads).filter(|(_, leads)| **leads);
        self.found.extend(found.map(|(path, _)| path.clone()));
        Ok(leads)
    }

    /// What a user must know of them, a line each.
    pub fn into_warnings(self) -> Vec<String> {
        let mut warnings = self.warnings;
        if !self.found.is_empty() {
            let paths = self.found.iter().map(|path| format!("/{path}"));
            warnings.push(format!(
                "groups without {} are read, though other programs do not list them: {}",
                self.own.last().copied().unwrap_or_default(),
                some_of(paths, self.found.len())
            ));
        }
        warnings
    }
}

/// True for a folder whose name begins with a dot.
fn is_hidden(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.starts_with('.'))
}
