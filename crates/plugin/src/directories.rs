//! [`Directories`]: where plugins are looked for.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The environment variable with the folders of plugins.
pub(crate) const PATH: &str = "HDF5_PLUGIN_PATH";

/// The environment variable that turns plugins off.
pub(crate) const PRELOAD: &str = "HDF5_PLUGIN_PRELOAD";

/// The value of [`PRELOAD`] that turns plugins off.
pub(crate) const NO_PLUGINS: &str = "::";

/// Folders that are searched after those of `HDF5_PLUGIN_PATH`: HDF5's own default, and where packages of Debian
/// install plugins.
const DEFAULTS: [&str; 2] = [
    "/usr/local/hdf5/lib/plugin",
    if cfg!(target_arch = "aarch64") {
        "/usr/lib/aarch64-linux-gnu/hdf5/serial/plugins"
    } else {
        "/usr/lib/x86_64-linux-gnu/hdf5/serial/plugins"
    },
];

/// The folders in which plugins are looked for, in order. The folder of the data is never one of them, unless the user
/// names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directories {
    /// Plugins are turned off.
    Off,
    /// These folders are searched.
    Searched(Vec<PathBuf>),
}

impl Directories {
    /// The folders that the environment names, and the defaults.
    ///
    /// `HDF5_PLUGIN_PATH` holds folders, separated by colons. `HDF5_PLUGIN_PRELOAD=::` turns plugins off.
    pub fn from_environment() -> Self {
        Self::new(env::var_os(PATH), env::var_os(PRELOAD))
    }

    fn new(path: Option<OsString>, preload: Option<OsString>) -> Self {
        if preload.is_some_and(|preload| preload == NO_PLUGINS) {
            return Self::Off;
        }
        let path = path.unwrap_or_default();
        let named = path.as_bytes().split(|byte| *byte == b':');
        // An empty name would be the current folder, where the data often is.
        let named = named.filter(|name| !name.is_empty()).map(OsStr::from_bytes);
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in named.chain(DEFAULTS.iter().map(OsStr::new)) {
            let folder = PathBuf::from(folder);
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        Self::Searched(folders)
    }

    /// The folders; empty if plugins are turned off.
    pub fn folders(&self) -> &[PathBuf] {
        match self {
            Self::Off => &[],
            Self::Searched(folders) => folders,
        }
    }

    /// The files that may be plugins, by folder and name. A folder that cannot be read has none.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for folder in self.folders() {
            let Ok(entries) = fs::read_dir(folder) else {
                continue;
            };
            let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
            let mut found: Vec<PathBuf> = paths.filter(|path| is_library(path)).collect();
            found.sort();
            files.append(&mut found);
        }
        files
    }
}

/// Why a folder has no plugins at all; `None` for a folder that can be read.
pub fn missing(folder: &Path) -> Option<&'static str> {
    match fs::read_dir(folder) {
        Ok(_) => None,
        Err(_) if folder.is_dir() => Some("cannot be read"),
        Err(_) if folder.exists() => Some("is no folder"),
        Err(_) => Some("does not exist"),
    }
}

/// True for the names that libhdf5 takes for plugins: `lib*.so*`.
fn is_library(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_bytes();
    name.starts_with(b"lib") && name.windows(3).any(|part| part == b".so")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_the_environment_come_first() {
        let found = Directories::new(Some("/a:b::/a".into()), None);
        assert_eq!(
            found.folders(),
            ["/a", "b", DEFAULTS[0], DEFAULTS[1]].map(Path::new)
        );
        let found = Directories::new(None, Some(":".into()));
        assert_eq!(found.folders(), DEFAULTS.map(Path::new));
        assert_eq!(
            Directories::new(Some("/a".into()), Some("::".into())),
            Directories::Off
        );
    }

    #[test]
    fn libraries_are_sorted_in_each_folder() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["libz.so.1", "liba.so", "a.so", "libc.a"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        let folders = vec![dir.path().join("none"), dir.path().to_owned()];
        let files = Directories::Searched(folders).files();
        assert_eq!(files, ["liba.so", "libz.so.1"].map(|name| dir.path().join(name)));
    }
}
