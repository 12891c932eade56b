//! [`Libraries`]: the files in the folders of plugins, each opened at most once.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::directories::Directories;
use crate::filter_class::FilterClass;
use crate::library::Library;
use crate::zarr_class::ZarrClass;

/// A file that may be a plugin, opened at most once.
pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) opened: OnceLock<Result<Library, String>>,
}

/// The files in the folders of plugins.
pub(crate) struct Libraries {
    pub(crate) directories: Directories,
    /// Listed when the first plugin is asked for.
    pub(crate) files: OnceLock<Vec<File>>,
}

impl Libraries {
    pub(crate) fn files(&self) -> &[File] {
        self.files.get_or_init(|| {
            let file = |path| File {
                path,
                opened: OnceLock::new(),
            };
            self.directories.files().into_iter().map(file).collect()
        })
    }

    pub(crate) fn opened(file: &File) -> &Result<Library, String> {
        file.opened.get_or_init(|| Library::open(&file.path))
    }

    pub(crate) fn library(&self, at: usize) -> Option<&Library> {
        Self::opened(self.files().get(at)?).as_ref().ok()
    }

    /// The filter of the file at `at`.
    pub fn filter(&self, at: usize) -> Option<&FilterClass> {
        self.library(at)?.filter.as_ref()
    }

    /// The path of the file at `at`.
    pub fn path(&self, at: usize) -> &Path {
        self.files().get(at).map_or(Path::new(""), |file| &file.path)
    }

    /// Position of the first file with a filter `id`. Opens files up to it.
    pub(crate) fn by_id(&self, id: u32) -> Option<usize> {
        (0..self.files().len()).find(|at| self.filter(*at).is_some_and(|filter| filter.id == id))
    }

    /// Finds the first codec of NCZarr that fits. Opens files up to it.
    pub(crate) fn zarr(&self, mut fits: impl FnMut(&ZarrClass) -> bool) -> Option<&ZarrClass> {
        let libraries = (0..self.files().len()).filter_map(|at| self.library(at));
        libraries
            .flat_map(|library| &library.codecs)
            .find(|class| fits(class))
    }

    /// The codec of NCZarr that is paired with filter `id`.
    pub fn zarr_by_id(&self, id: u32) -> Option<&ZarrClass> {
        self.zarr(|class| class.hdf5_id == id)
    }
}
