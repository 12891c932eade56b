//! [`PluginFinder`]: finds plugins for a registry, and opens their libraries when they are needed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ncutils_core::filter::{Codec, CodecFinder, registered_name};
use ncutils_core::model::{CodecSpec, ZarrVersion};

use crate::SUPPORTED;
use crate::codec::PluginCodec;
use crate::directories::{Directories, NO_PLUGINS, PATH, PRELOAD, missing};
use crate::libraries::Libraries;
use crate::zarr_class::ZarrClass;

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

    fn find_by_name(&self, name: &str) -> Option<&Arc<dyn Codec>> {
        let named = |at: &usize| {
            let filter = self.libraries.filter(*at);
            filter.is_some_and(|filter| !filter.name.is_empty() && filter.name.eq_ignore_ascii_case(name))
        };
        let id = self
            .libraries
            .filter((0..self.libraries.files().len()).find(named)?)?
            .id;
        self.codec(self.libraries.by_id(id)?)
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for at in 0..self.libraries.files().len() {
            let name = self.libraries.filter(at).map(|filter| &filter.name);
            names.extend(
                name.filter(|name| !name.is_empty() && !names.contains(name))
                    .cloned(),
            );
        }
        names
    }

    fn preferred(&self) -> bool {
        self.preferred
    }

    fn searched(&self, spec: &CodecSpec) -> String {
        if !SUPPORTED {
            return "and this program is linked statically, so it cannot load plugins".to_owned();
        }
        let folders = match self.directories() {
            Directories::Off => return format!("and {PRELOAD}={NO_PLUGINS} turns plugins off"),
            Directories::Searched(folders) => folders,
        };
        let shown: Vec<_> = folders.iter().map(|folder| shown(folder)).collect();
        let mut text = format!(
            "and no plugin in {} has it (set {PATH} to the folder of a plugin)",
            shown.join(", ")
        );
        let name = spec.hdf5_id().and_then(registered_name).unwrap_or_default();
        let files = self.libraries.files().iter();
        let failed = files.filter_map(|file| Some((&*file.path, file.opened.get()?.as_ref().err()?)));
        let (own, others): (Vec<_>, Vec<_>) = failed.partition(|(path, _)| may_have(path, name));
        for (path, why) in own {
            let _ = write!(text, "; {}: {why}", path.display());
        }
        let _ = match others.len() {
            0 => Ok(()),
            1 => write!(
                text,
                "; one file could not be loaded; 'ncdump --filters' tells why"
            ),
            more => write!(
                text,
                "; {more} files could not be loaded; 'ncdump --filters' tells why"
            ),
        };
        text
    }
}

/// The path of a folder, and whether it is one.
fn shown(folder: &Path) -> String {
    match missing(folder) {
        Some(why) => format!("{} ({why})", folder.display()),
        None => folder.display().to_string(),
    }
}

/// True if the name of a file has that of a registered filter in it: `libh5sz3.so` for `SZ3`, not for `SZ`.
fn may_have(path: &Path, name: &str) -> bool {
    let file = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    let name: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
    let name = match name.to_lowercase().as_str() {
        "zstandard" => "zstd".to_owned(),
        other => other.to_owned(),
    };
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_digit());
    !name.is_empty()
        && file
            .match_indices(&name)
            .any(|(at, _)| ends(&file[at + name.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_taken_for_filters_by_their_names() {
        for (file, name, has) in [
            ("libh5sz3.so", "SZ3", true),
            ("libh5sz3.so", "SZ", false),
            ("libh5sz.so", "SZ", true),
            ("liblzf_filter.so", "SZ3", false),
            ("libH5Zblosc2.so", "Blosc2", true),
            ("libH5Zblosc2.so", "Blosc", false),
            ("libh5jpegxr.so", "JPEG-XR", true),
            ("libh5zstd.so", "Zstandard", true),
            ("libx.so", "", false),
        ] {
            assert_eq!(may_have(Path::new(file), name), has, "{file} {name}");
        }
    }
}
