//! [`DataAccess`]: which files the content of a local file may refer to, and where they are looked up.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::NamedAs;
use ncutils_model::error::{Error, Result};

/// Which files the content of a local file may refer to: external raw data, sources of virtual datasets, targets of
/// external links. Those in the input's folder and below are always allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DataAccess {
    /// Further folders whose files may be read, without symbolic links.
    folders: Vec<PathBuf>,
    prefixes: Prefixes,
    require_sources: bool,
    advice: &'static str,
    /// URLs below which references may lead.
    urls: Vec<String>,
    url_advice: &'static str,
}

/// The folders that the variables of HDF5 name. Each may begin with `${ORIGIN}`, which stands for the folder of the file
/// that contains the name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prefixes {
    /// `HDF5_EXTFILE_PREFIX`: the folder of external raw data.
    pub external_data: Option<OsString>,
    /// `HDF5_VDS_PREFIX`: folders of sources of virtual datasets.
    pub virtual_sources: Vec<OsString>,
    /// `HDF5_EXT_PREFIX`: folders of targets of external links.
    pub external_links: Vec<OsString>,
}

impl Prefixes {
    /// The values of the process's variables. Variables that are empty do not count.
    pub fn of_process() -> Self {
        let value = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        let list = |name: &str| -> Vec<OsString> {
            let all = value(name).unwrap_or_default();
            env::split_paths(&all)
                .map(PathBuf::into_os_string)
                .filter(|folder| !folder.is_empty())
                .collect()
        };
        Self {
            external_data: value("HDF5_EXTFILE_PREFIX"),
            virtual_sources: list("HDF5_VDS_PREFIX"),
            external_links: list("HDF5_EXT_PREFIX"),
        }
    }

    /// The folders in which a name is looked up before the folder of the file that contains it, in order. `origin` is
    /// that folder; `None` if it has none.
    pub(crate) fn folders(&self, named_as: NamedAs, origin: Option<&Path>) -> Vec<PathBuf> {
        let prefixes = match named_as {
            NamedAs::ExternalData => self.external_data.as_slice(),
            NamedAs::VirtualSource => &self.virtual_sources,
            NamedAs::ExternalLink => &self.external_links,
            NamedAs::Reference => &[],
        };
        let expanded = |prefix: &OsString| match Path::new(prefix).strip_prefix("${ORIGIN}") {
            Ok(rest) => origin.map(|origin| origin.join(rest)),
            Err(_) => Some(PathBuf::from(prefix)),
        };
        prefixes.iter().filter_map(expanded).collect()
    }
}

impl DataAccess {
    /// Access as the variables of the process say.
    pub fn of_process() -> Self {
        Self {
            prefixes: Prefixes::of_process(),
            ..Self::default()
        }
    }

    /// The same with other prefixes.
    #[must_use]
    pub fn with_prefixes(mut self, prefixes: Prefixes) -> Self {
        self.prefixes = prefixes;
        self
    }

    /// The same with a sentence for errors, which says how a user allows a folder.
    #[must_use]
    pub fn with_advice(mut self, advice: &'static str) -> Self {
        self.advice = advice;
        self
    }

    /// The same with a sentence for errors, which says how a user allows a URL.
    #[must_use]
    pub fn with_url_advice(mut self, advice: &'static str) -> Self {
        self.url_advice = advice;
        self
    }

    /// Lets references lead to a URL, and to what lies below it.
    pub fn allow_url(&mut self, url: &str) {
        self.urls.push(url.to_owned());
    }

    /// The URLs that the user allows.
    pub fn urls(&self) -> &[String] {
        &self.urls
    }

    /// How a user allows a URL; may be empty.
    pub fn url_advice(&self) -> &'static str {
        self.url_advice
    }

    /// The same, but missing sources of virtual datasets are errors.
    #[must_use]
    pub fn requiring_sources(mut self, require: bool) -> Self {
        self.require_sources = require;
        self
    }

    /// Allows the files in a folder and below it.
    ///
    /// # Errors
    /// The folder does not exist or is none.
    pub fn allow(&mut self, folder: &Path) -> Result<()> {
        let named = |e| Error::io("cannot open the folder of data", e).in_file(folder);
        let path = folder.canonicalize().map_err(named)?;
        if !fs::metadata(&path).map_err(named)?.is_dir() {
            return Err(named(io::ErrorKind::NotADirectory.into()));
        }
        self.folders.push(path);
        Ok(())
    }

    /// True if missing sources of virtual datasets are errors.
    pub fn requires_sources(&self) -> bool {
        self.require_sources
    }

    /// True if the user or a variable names any folder.
    pub(crate) fn names_folders(&self) -> bool {
        !self.folders.is_empty() || self.prefixes != Prefixes::default()
    }

    /// The folders that the user allows.
    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// How a user allows a folder; may be empty.
    pub(crate) fn advice(&self) -> &'static str {
        self.advice
    }

    pub(crate) fn prefixes(&self) -> &Prefixes {
        &self.prefixes
    }

    /// True if a file may be read. `path` has no symbolic links.
    pub(crate) fn allows(&self, path: &Path) -> bool {
        self.folders.iter().any(|folder| path.starts_with(folder))
    }
}
