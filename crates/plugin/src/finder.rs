//! [`PluginFinder`]: finds plugins for a registry, and opens their libraries when they are needed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ncutils_core::filter::{Codec, CodecFinder};
use ncutils_core::model::{CodecSpec, ZarrVersion};

use crate::SUPPORTED;
use crate::codec::PluginCodec;
use crate::directories::{Directories, NO_PLUGINS, PATH, PRELOAD};
use crate::filter_class::FilterClass;
use crate::library::Library;
use crate::zarr_class::ZarrClass;

/// Most libraries that a message names because they cannot be opened.
const MOST_NAMED: usize = 3;

/// A file that may be a plugin, opened at most once.
struct File {
    path: PathBuf,
    opened: OnceLock<Result<Library, String>>,
}

/// The files in the folders of plugins.
pub(crate) struct Libraries {
    directories: Directories,
    /// Listed when the first plugin is asked for.
    files: OnceLock<Vec<File>>,
}

impl Libraries {
    fn files(&self) -> &[File] {
        self.files.get_or_init(|| {
            let file = |path| File {
                path,
                opened: OnceLock::new(),
            };
            self.directories.files().into_iter().map(file).collect()
        })
    }

    fn opened(file: &File) -> &Result<Library, String> {
        file.opened.get_or_init(|| Library::open(&file.path))
    }

    fn library(&self, at: usize) -> Option<&Library> {
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
    fn by_id(&self, id: u32) -> Option<usize> {
        (0..self.files().len()).find(|at| self.filter(*at).is_some_and(|filter| filter.id == id))
    }

    /// Finds the first codec of NCZarr that fits. Opens files up to it.
    fn zarr(&self, mut fits: impl FnMut(&ZarrClass) -> bool) -> Option<&ZarrClass> {
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

/// Finds plugins for a registry.
///
/// The folders are listed when the first filter is missing, and libraries are opened one after the other until one has
/// it.
pub struct PluginFinder {
    libraries: Arc<Libraries>,
    /// The codec of each file that has a filter, made when it is needed.
    codecs: OnceLock<Vec<OnceLock<Option<Arc<dyn Codec>>>>>,
    preferred: bool,
}

/// A filter of a plugin, for a list of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The filter's HDF5 id.
    pub id: u32,
    /// The plugin's name for the filter; may be empty.
    pub name: String,
    /// The Zarr v2 id, if some plugin has a codec for the filter.
    pub zarr_name: Option<String>,
    /// The file of the plugin.
    pub path: PathBuf,
    /// True if it can encode.
    pub encodes: bool,
    /// True if it can decode.
    pub decodes: bool,
    /// True if its parameters depend on the type and shape of chunks.
    pub sets_local: bool,
}

/// A file in the folders of plugins that cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The file.
    pub path: PathBuf,
    /// The loader's message, or what is wrong with the plugin.
    pub why: String,
}

impl PluginFinder {
    /// Finds plugins in `directories`. If `preferred`, they take precedence over built-in codecs.
    pub fn new(directories: Directories, preferred: bool) -> Self {
        Self {
            libraries: Arc::new(Libraries {
                directories,
                files: OnceLock::new(),
            }),
            codecs: OnceLock::new(),
            preferred,
        }
    }

    /// Where plugins are looked for.
    pub fn directories(&self) -> &Directories {
        &self.libraries.directories
    }

    /// Opens all plugins, and lists their filters and the files that cannot be opened. Of several filters with one id,
    /// the first is used.
    pub fn list(&self) -> (Vec<Listed>, Vec<Failure>) {
        let (mut listed, mut failures) = (Vec::new(), Vec::new());
        for file in self.libraries.files() {
            match Libraries::opened(file) {
                Err(why) => failures.push(Failure {
                    path: file.path.clone(),
                    why: why.clone(),
                }),
                Ok(library) => listed.extend(library.filter.as_ref().map(|filter| {
                    Listed {
                        id: filter.id,
                        name: filter.name.clone(),
                        zarr_name: self
                            .libraries
                            .zarr_by_id(filter.id)
                            .map(|class| class.name.clone()),
                        path: file.path.clone(),
                        encodes: filter.encodes,
                        decodes: filter.decodes,
                        sets_local: filter.sets_local(),
                    }
                })),
            }
        }
        (listed, failures)
    }

    fn codec(&self, at: usize) -> Option<&Arc<dyn Codec>> {
        let places = self.codecs.get_or_init(|| {
            let files = self.libraries.files();
            files.iter().map(|_| OnceLock::new()).collect()
        });
        let make = || {
            let codec = PluginCodec::new(&self.libraries, at)?;
            Some(Arc::new(codec) as Arc<dyn Codec>)
        };
        places.get(at)?.get_or_init(make).as_ref()
    }
}

impl CodecFinder for PluginFinder {
    fn find(&self, spec: &CodecSpec) -> Option<&Arc<dyn Codec>> {
        let id = match spec {
            CodecSpec::Zarr { version, name, .. } => {
                let named = |class: &ZarrClass| match version {
                    ZarrVersion::V2 => class.name == *name,
                    ZarrVersion::V3 => class.name_v3 == *name,
                };
                self.libraries.zarr(named)?.hdf5_id
            }
            hdf5 => hdf5.hdf5_id()?,
        };
        self.codec(self.libraries.by_id(id)?)
    }

    fn preferred(&self) -> bool {
        self.preferred
    }

    fn searched(&self, _: &CodecSpec) -> String {
        if !SUPPORTED {
            return "and this program is linked statically, so it cannot load plugins".to_owned();
        }
        let folders = match self.directories() {
            Directories::Off => return format!("and {PRELOAD}={NO_PLUGINS} turns plugins off"),
            Directories::Searched(folders) => folders,
        };
        let shown: Vec<_> = folders
            .iter()
            .map(|folder| folder.display().to_string())
            .collect();
        let mut text = format!(
            "and no plugin in {} has it (set {PATH} to the folder of a plugin)",
            shown.join(", ")
        );
        let files = self.libraries.files().iter();
        let mut failed = files.filter_map(|file| Some((&file.path, file.opened.get()?.as_ref().err()?)));
        for (path, why) in failed.by_ref().take(MOST_NAMED) {
            let _ = write!(text, "; {}: {why}", path.display());
        }
        let more = failed.count();
        if more > 0 {
            let _ = write!(text, "; and {more} more libraries cannot be loaded");
        }
        text
    }
}
