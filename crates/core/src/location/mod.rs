//! [`Location`]: the place of a dataset as the user names it, a path or a URL, with netCDF's `#mode=` fragments.
//!
//! ```text
//! data.nc  file:///tmp/a%20b.nc              ─► a local file
//! odd#name.nc                                ─► a local file, unless the fragment is one of netCDF's
//! a named pipe, or - as input                ─► read to its end first, an archive as far as it is asked for
//! dir.zarr  file://dir.zarr#mode=nczarr,file ─► a folder of keys
//! a file that begins as zip files do         ─► the keys in it
//! a file that begins as .zst or .gz files do ─► the bytes in it
//! s3://…  gs://…  az://…  https://…          ─► one object, or a tree of keys, on a remote store
//! x.nc#mode=bytes                            ─► not supported for local files
//! [key=value]URL                             ─► URL#key=value
//! ```
//!
//! What is read is found by looking at it, with or without a fragment. What is written follows
//! [`Location::output_kind`].
//!
//! ```text
//! name ─► fragment, file_url, remote_url ─► Location ─┬─► input: what is read ─┬─► zip, remote
//!                                                     │                        └─► other_format: no dataset
//!                                                     └─► output: what is written ─► remote
//! references of an input ─► referenced_places: may they lead there? ─► remote
//! references that are made of an input ─► name_in_references: the name that they have for it
//! ```

mod file_url;
mod fragment;
mod input;
mod name_in_references;
#[cfg(not(feature = "remote"))]
mod no_remote;
mod opening_warnings;
mod other_format;
mod output;
mod referenced_places;
#[cfg(feature = "remote")]
mod remote;
mod remote_input;
pub mod remote_url;
mod zip;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

pub use fragment::{Mode, StoreKind};
pub use name_in_references::common_folder;
pub use output::checks::containment::OutputPlace;
pub use output::checks::replaced_files::ReplacedFiles;
pub use output::destination::CreateOptions;
pub use output::growth::GrowthLock;
pub use output::job::{JobPhase, JobPlace, JobStage, JobTarget, JobWay, RUN_NOTE};
pub use output::staged::Staged;
pub use referenced_places::check_allowed;

use crate::error::{Error, Result};
use crate::format::ReferenceNames;
use crate::remote_settings::{ProcessEnvironment, RemoteUrl, Settings};
use crate::store::DataAccess;
#[cfg(not(feature = "remote"))]
use no_remote as remote;
use opening_warnings::OpeningWarnings;

/// The most requests to a remote store at once, where nothing else is asked for.
pub const MOST_REQUESTS: usize = 64;

/// True if remote stores were built in.
pub const REMOTE_STORES: bool = cfg!(feature = "remote");

/// Path of standard input.
const STDIN: &str = "/dev/stdin";

/// The place of a dataset or a CDL text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    name: OsString,
    target: Target,
    /// What the name's fragment says; `None` without a fragment.
    mode: Option<Mode>,
    /// What looks like a fragment and is part of the path, for a warning.
    misspelt: Vec<String>,
    /// The most requests to a remote store at once.
    requests: usize,
    /// Warnings that were found when the location was opened.
    opening_warnings: OpeningWarnings,
    /// Which files the content of the file may refer to.
    access: DataAccess,
    /// True if references of HDF5 are read as paths.
    reference_paths: bool,
    /// How references name the dataset, if they are made of it.
    reference_names: Option<ReferenceNames>,
    /// True if the shards of an output are HDF5 files.
    shards_as_hdf5: bool,
}

/// What a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    /// A path, of a file or a folder.
    Path(PathBuf),
    StandardInput,
    /// An object or a tree of keys on a remote store.
    Remote(Box<RemoteUrl>),
}

impl Location {
    /// Parses the user's argument. If a file has exactly this name, the argument means that file.
    ///
    /// # Errors
    /// An unsupported scheme or mode, or an invalid URL.
    pub fn parse(argument: impl AsRef<OsStr>) -> Result<Self> {
        let name = argument.as_ref();
        // Text that is not UTF-8 is not a URL, and what has neither of these is a path: no file is looked for, of thousands of names.
        let may_be_url = |text: &&str| text.contains([':', '#']) && fs::symlink_metadata(name).is_err();
        let Some(text) = name.to_str().filter(may_be_url) else {
            return Ok(Self::from_path(name));
        };
        let written = remote_url::with_fragment(text);
        let (target, mode) = meaning(&written).map_err(|e| e.in_file(remote_url::shown(text)))?;
        let (name, misspelt) = match &target {
            // The name that was typed may hold secrets.
            Target::Remote(url) => (OsString::from(&url.shown), None),
            _ => (remote_url::shown(text).into(), fragment::misspelt(&written)),
        };
        Ok(Self {
            misspelt: misspelt.into_iter().collect(),
            mode,
            ..Self::new(name, target)
        })
    }

    /// Like [`parse`](Self::parse), for input. No argument and `-` mean standard input, which messages call `stdin`.
    ///
    /// # Errors
    /// The same as for [`parse`](Self::parse).
    pub fn parse_input(argument: Option<&OsStr>) -> Result<Self> {
        match argument {
            Some(name) if name != "-" => Self::parse(name),
            _ => Ok(Self::new("stdin".into(), Target::StandardInput)),
        }
    }

    /// Like [`parse`](Self::parse), for output. `-` is an error: an output is not written from its start to its end.
    ///
    /// # Errors
    /// `-`, and those of [`parse`](Self::parse).
    pub fn parse_output(argument: &OsStr) -> Result<Self> {
        match argument == "-" {
            true => Err(Error::Usage(
                "an output cannot be written to standard output; name a file (./- for a file of the name -)"
                    .to_owned(),
            )),
            false => Self::parse(argument),
        }
    }

    /// The location of a path as it stands: neither a URL nor a fragment.
    pub fn from_path(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self::new(path.clone().into(), Target::Path(path))
    }

    fn new(name: OsString, target: Target) -> Self {
        Self {
            name,
            target,
            mode: None,
            misspelt: Vec::new(),
            requests: MOST_REQUESTS,
            opening_warnings: OpeningWarnings::default(),
            access: DataAccess::default(),
            reference_paths: false,
            reference_names: None,
            shards_as_hdf5: false,
        }
    }

    /// The same location, with files that its content may refer to besides those in its folder and below.
    #[must_use]
    pub fn with_access(mut self, access: DataAccess) -> Self {
        self.access = access;
        self
    }

    /// The same location, where the shards of a dataset of Zarr version 3 are written as HDF5 files.
    #[must_use]
    pub fn with_shards_as_hdf5(mut self, shards_as_hdf5: bool) -> Self {
        self.shards_as_hdf5 = shards_as_hdf5;
        self
    }

    /// The same location, whose references of HDF5 are read as the paths of the objects that they refer to.
    #[must_use]
    pub fn with_reference_paths(mut self, reference_paths: bool) -> Self {
        self.reference_paths = reference_paths;
        self
    }

    /// Sets the most requests to a remote store that are under way at once, [`MOST_REQUESTS`] at first. Local files take no
    /// notice.
    #[must_use]
    pub fn with_requests(mut self, most: usize) -> Self {
        self.requests = most.max(1);
        self
    }

    /// The most requests at once to the remote store of the location; `None` for a local one.
    pub fn remote_requests(&self) -> Option<usize> {
        matches!(self.target, Target::Remote(_)).then_some(self.requests)
    }

    /// How a remote store is reached, and where each setting is from, a line each and without secrets. Empty for local files.
    ///
    /// # Errors
    /// Settings that are malformed or cannot be read.
    pub fn explanation(&self) -> Result<Vec<String>> {
        let Target::Remote(url) = &self.target else {
            return Ok(Vec::new());
        };
        let settings = Settings::of(url, &ProcessEnvironment).map_err(self.named())?;
        let mut lines = vec![url.meaning()];
        lines.extend(settings.explanation());
        lines.push(format!("at most {} requests at once", self.requests));
        Ok(lines)
    }

    /// Warnings that were found when the location was opened. Each is told once.
    pub fn take_opening_warnings(&self) -> Vec<String> {
        self.opening_warnings.take()
    }

    /// The user's argument.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// What the name's fragment says; `None` without a fragment.
    pub fn mode(&self) -> Option<&Mode> {
        self.mode.as_ref()
    }

    /// Parts of the name that have no effect, or not the one that they seem to have, for warnings.
    pub fn warnings(&self) -> &[String] {
        self.mode.as_ref().map_or(&self.misspelt, |mode| &mode.warnings)
    }

    /// The last component of the path. For a path such as `.`, the name of the folder that it leads to. `None` for
    /// standard input and for the root.
    pub fn file_name(&self) -> Option<OsString> {
        match &self.target {
            Target::Path(path) => match path.file_name() {
                Some(name) => Some(name.to_owned()),
                None => path.canonicalize().ok()?.file_name().map(OsStr::to_owned),
            },
            Target::StandardInput => None,
            Target::Remote(url) => Some(url.file_name().into()),
        }
    }

    /// True for standard input.
    pub fn is_standard_input(&self) -> bool {
        self.target == Target::StandardInput
    }

    /// True for an object or a tree of a remote store.
    pub fn is_remote(&self) -> bool {
        matches!(self.target, Target::Remote(_))
    }

    /// The local path; `None` for a remote store.
    pub fn path(&self) -> Option<&Path> {
        match &self.target {
            Target::Path(path) => Some(path),
            Target::StandardInput => Some(Path::new(STDIN)),
            Target::Remote(_) => None,
        }
    }

    /// What the fragment says about Zarr; `None` if it says nothing about it.
    fn zarr_mode(&self) -> Option<&Mode> {
        self.mode.as_ref().filter(|mode| mode.is_zarr())
    }

    fn named(&self) -> impl Fn(Error) -> Error + '_ {
        |error| error.in_file(&self.name)
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.display().fmt(f)
    }
}

/// The target and the fragment that a name means.
fn meaning(text: &str) -> Result<(Target, Option<Mode>)> {
    let (rest, fragment) = match text.split_once('#') {
        Some((rest, _)) if file_url::scheme(rest).is_some_and(|scheme| !is_file(scheme)) => (rest, None),
        _ => match fragment::split(text)? {
            Some((rest, mode)) => (rest, Some(mode)),
            None => (text, None),
        },
    };
    let path = match file_url::scheme(rest) {
        None if let Some(path) = file_url::without_slashes(rest) => {
            let fragment = &text[rest.len()..];
            return Err(Error::Usage(format!(
                "a URL of a file has // after 'file:'; write '{path}{fragment}', or './{text}' if this is the file's name"
            )));
        }
        None if let Some((scheme, path)) = remote_url::with_one_slash(rest) => {
            let right = format!("{scheme}://{path}");
            let [right, text] = [&right, text].map(remote_url::shown);
            return Err(Error::Usage(format!(
                "a URL has // after '{scheme}:'; write '{right}', or './{text}' if this is the file's name"
            )));
        }
        None if let Some(url) = remote_url::behind_blanks(rest) => {
            let url = remote_url::shown(url);
            return Err(Error::Usage(format!(
                "a URL does not begin with a blank; write '{url}'"
            )));
        }
        None => PathBuf::from(rest),
        Some(scheme) if is_file(scheme) => file_url::path(rest, fragment.is_some())?,
        Some(_) => {
            let remote = remote_url::parse(text)?;
            return Ok((Target::Remote(Box::new(remote.url)), remote.mode));
        }
    };
    match path.as_os_str().is_empty() && fragment.is_some() {
        true => Err(Error::Usage("the name has a fragment and no path".to_owned())),
        false => Ok((Target::Path(path), fragment)),
    }
}

fn is_file(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("file")
}

#[cfg(test)]
mod tests;
