//! [`Location`]: the place of a dataset as the user names it, a path or a URL, with netCDF's `#mode=` fragments.
//!
//! ```text
//! data.nc  file:///tmp/a%20b.nc              ─► a local file
//! odd#name.nc                                ─► a local file, unless the fragment is one of netCDF's
//! a named pipe, or - as input                ─► read to its end first
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

mod containment;
mod file_url;
mod fragment;
mod notes;
mod output_kind;
#[cfg(feature = "remote")]
mod remote;
#[cfg(feature = "remote")]
mod remote_destination;
pub mod remote_url;
mod zarr_folder;
mod zip;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use fragment::{Mode, StoreKind};

use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::archive::{ArchiveWriter, PackOptions};
use crate::format::zarr::ZarrOptions;
use crate::format::{self, Reader, VariablePlan, Writer};
use crate::model::{Kind, Schema, ZarrVersion};
#[cfg(feature = "remote")]
use crate::store::remote::session::Session;
use crate::store::remote::{ProcessEnvironment, RemoteUrl, Settings};
use crate::store::{
    DataAccess, Destination, DirectoryKeys, DirectoryOutput, FileNeighbours, FileOutput, FileSource,
    KeyOutput, KeyStore, Object, Output, Place, PlaceKind, open_compressed, open_stream,
};
use notes::Notes;
use output_kind::is_zarr;

/// The most requests to a remote store at once, where nothing else is asked for.
pub const MOST_REQUESTS: usize = 64;

/// Maximum size, in bytes, of piped data that is kept in memory. The rest goes to a temporary file.
const SPOOLED_IN_MEMORY: u64 = 64 << 20;

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
    /// What was found out when the location was opened, for warnings.
    notes: Notes,
    /// Which files the content of the file may refer to.
    access: DataAccess,
}

/// The meaning of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    /// A path, of a file or a folder.
    Path(PathBuf),
    StandardInput,
    /// An object or a tree of keys on a remote store.
    Remote(Box<RemoteUrl>),
}

/// How a dataset is created.
#[derive(Debug, Clone, Copy, Default)]
pub struct CreateOptions {
    /// Bytes of memory that an output on a remote store may hold: a part of what [`Location::memory_of_output`] has taken
    /// off the budget. `None` for the least.
    pub memory: Option<u64>,
    /// True to replace a Zarr dataset on a remote store, and to clear what a killed run left there. Files and local
    /// folders are replaced in any case.
    pub replaces: bool,
}

impl Location {
    /// Parses the user's argument. If a file has exactly this name, the argument means that file.
    ///
    /// # Errors
    /// An unsupported scheme or mode, or an invalid URL.
    pub fn parse(argument: impl AsRef<OsStr>) -> Result<Self> {
        let name = argument.as_ref();
        // Text that is not UTF-8 is not a URL.
        let Some(text) = name.to_str().filter(|_| fs::symlink_metadata(name).is_err()) else {
            return Ok(Self::from_path(name));
        };
        let written = remote_url::with_fragment(text);
        let (target, mode) = meaning(&written).map_err(|e| e.in_file(remote_url::shown(text)))?;
        let (name, misspelt) = match &target {
            // The name that was typed may hold secrets.
            Target::Remote(url) => (OsString::from(&url.shown), None),
            _ => (name.to_owned(), fragment::misspelt(&written)),
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
            notes: Notes::default(),
            access: DataAccess::default(),
        }
    }

    /// The same location, with files that its content may refer to besides those in its folder and below.
    #[must_use]
    pub fn with_access(mut self, access: DataAccess) -> Self {
        self.access = access;
        self
    }

    /// Sets the most requests to a remote store that are under way at once, [`MOST_REQUESTS`] at first. Local files take no
    /// notice.
    #[must_use]
    pub fn with_requests(mut self, most: usize) -> Self {
        self.requests = most.max(1);
        self
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

    /// What was found out when the location was opened, for warnings. Each is told once.
    pub fn take_notes(&self) -> Vec<String> {
        self.notes.take()
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

    /// The local path; `None` for a remote store.
    fn path(&self) -> Option<&Path> {
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

    /// The place to read from: a folder or a zip file as a store of keys, anything else as one object. A pipe is read
    /// to its end first.
    ///
    /// # Errors
    /// The location's name, and the reason that it cannot be opened; a fragment that names another store.
    pub fn place(&self) -> Result<Place> {
        let (path, found) = match &self.target {
            Target::StandardInput => (Path::new(STDIN), None),
            Target::Path(path) => (path.as_path(), fs::metadata(path).ok()),
            Target::Remote(url) => return self.remote_place(url),
        };
        if found.as_ref().is_some_and(fs::Metadata::is_dir) {
            self.expect_store(Some(StoreKind::Directory))?;
            let keys = DirectoryKeys::of(path)
                .map_err(|e| Error::io("cannot open", e))
                .map_err(self.named())?;
            return Ok(Place::keys(&self.name, Arc::new(keys)));
        }
        let is_pipe = match &self.target {
            Target::StandardInput | Target::Remote(_) => true,
            Target::Path(_) => found.is_some_and(|found| {
                let kind = found.file_type();
                kind.is_fifo() || kind.is_socket()
            }),
        };
        let object: Arc<dyn Object> = match is_pipe {
            true => self.bytes(SPOOLED_IN_MEMORY)?,
            false => Arc::new(FileSource::open_unnamed(path).map_err(self.named())?),
        };
        if zip::is_zip(&*object) {
            self.expect_store(Some(StoreKind::Zip))?;
            return Ok(Place::keys(&self.name, self.zip_keys(object)?));
        }
        self.expect_store(None)?;
        let content = open_compressed(&object, SPOOLED_IN_MEMORY).map_err(self.named())?;
        let object = content.unwrap_or(object);
        let place = Place::object(&self.name, object);
        if is_pipe {
            return Ok(place);
        }
        Ok(match FileNeighbours::of(path, self.access.clone()) {
            Some(neighbours) => place.with_neighbours(Arc::new(neighbours)),
            None => place,
        })
    }

    #[cfg(feature = "remote")]
    fn remote_place(&self, url: &RemoteUrl) -> Result<Place> {
        let (session, warnings) = remote::connect(url, self.requests).map_err(self.named())?;
        self.notes.add(warnings);
        let (opened, neighbours) = match remote::find(url, &session).map_err(self.named())? {
            remote::Found::Keys(keys) => return Ok(Place::keys(&self.name, keys)),
            remote::Found::Object(opened, neighbours) => (opened, neighbours),
        };
        self.notes.add(opened.warning);
        if zip::is_zip(&*opened.object) {
            self.expect_store(Some(StoreKind::Zip))?;
            return Ok(Place::keys(&self.name, self.zip_keys(opened.object)?));
        }
        self.expect_store(None)?;
        let place = Place::object(&self.name, opened.object);
        Ok(match neighbours {
            Some(neighbours) => place.with_neighbours(neighbours),
            None => place,
        })
    }

    #[cfg(not(feature = "remote"))]
    fn remote_place(&self, _: &RemoteUrl) -> Result<Place> {
        Err(self.without_remote())
    }

    #[cfg(not(feature = "remote"))]
    fn without_remote(&self) -> Error {
        self.named()(Error::Usage(
            "remote stores are not part of this build, which was made without the feature 'remote'"
                .to_owned(),
        ))
    }

    fn zip_keys(&self, object: Arc<dyn Object>) -> Result<Arc<dyn KeyStore>> {
        let folder = self.mode.as_ref().and_then(|mode| mode.top_folder.as_deref());
        zip::open(object, folder).map_err(self.named())
    }

    /// Checks that the fragment names no other store than `found`, which is `None` for a file that is no zip.
    fn expect_store(&self, found: Option<StoreKind>) -> Result<()> {
        let Some(asked) = self.mode.as_ref().and_then(|mode| mode.store) else {
            return Ok(());
        };
        if found == Some(asked) {
            return Ok(());
        }
        let what = found.map_or("a file that is no zip file", StoreKind::name);
        Err(self.named()(Error::Usage(format!(
            "mode={} stands for {}, but this is {what}; leave the word out",
            asked.word(),
            asked.name()
        ))))
    }

    /// The bytes of a text, from any kind of file. At most about `memory` bytes of a pipe or device stay in memory.
    ///
    /// # Errors
    /// The location's name, and the reason that it cannot be read.
    pub fn text(&self, memory: u64) -> Result<Arc<dyn Object>> {
        match self.zarr_mode() {
            None => self.bytes(memory),
            Some(_) => Err(self.named()(Error::Usage(
                "the fragment is for a Zarr dataset, but a text is read here".to_owned(),
            ))),
        }
    }

    fn bytes(&self, memory: u64) -> Result<Arc<dyn Object>> {
        let path = match &self.target {
            Target::Path(path) => Some(path.as_path()),
            Target::StandardInput => None,
            Target::Remote(url) => return self.remote_text(url, memory),
        };
        open_stream(path, memory).map_err(self.named())
    }

    #[cfg(feature = "remote")]
    fn remote_text(&self, url: &RemoteUrl, memory: u64) -> Result<Arc<dyn Object>> {
        let (session, warnings) = remote::connect(url, self.requests).map_err(self.named())?;
        self.notes.add(warnings);
        let (object, warning) = remote::text(url, &session, memory).map_err(self.named())?;
        self.notes.add(warning);
        Ok(object)
    }

    #[cfg(not(feature = "remote"))]
    fn remote_text(&self, _: &RemoteUrl, _: u64) -> Result<Arc<dyn Object>> {
        Err(self.without_remote())
    }

    /// Opens the dataset, in any format.
    ///
    /// # Errors
    /// The location's name, and the reason.
    pub fn open(&self) -> Result<Box<dyn Reader>> {
        self.open_with(&Registry::builtin())
    }

    /// Like [`Location::open`], with the codecs of `registry` in place of the built-in ones.
    ///
    /// # Errors
    /// The same as for [`Location::open`]; a fragment that asks for Zarr where the dataset has another format.
    pub fn open_with(&self, registry: &Registry) -> Result<Box<dyn Reader>> {
        self.open_place(self.place()?, registry)
    }

    /// Like [`Location::open_with`], of what [`Location::place`] gave.
    ///
    /// # Errors
    /// The same as for [`Location::open_with`].
    pub fn open_place(&self, place: Place, registry: &Registry) -> Result<Box<dyn Reader>> {
        let is_keys = matches!(place.kind(), PlaceKind::Keys(_));
        let options = self.mode.as_ref().map_or(ZarrOptions::READ, Mode::read_options);
        let reader = match format::open_with(place, registry, &options) {
            Err(Error::UnknownFormat) if is_keys => Err(Error::Usage(
                "no Zarr dataset: no .zgroup, .zarray or zarr.json was found here or in the folders directly below"
                    .to_owned(),
            )),
            opened => opened,
        };
        let reader = reader.map_err(self.named())?;
        let kind = reader.schema().kind;
        if self.zarr_mode().is_some() && !is_zarr(kind) {
            return Err(self.named()(Error::Usage(format!(
                "the fragment is for a Zarr dataset, but this one is of the kind '{}'; leave the fragment out",
                kind.name()
            ))));
        }
        let asks_for_v3 = self
            .mode
            .as_ref()
            .is_some_and(|mode| mode.version == Some(ZarrVersion::V3));
        if asks_for_v3 && kind != Kind::Zarr3 {
            return Err(self.named()(Error::Usage(format!(
                "the fragment is for Zarr version 3, but this dataset is of the kind '{}'; leave v3 out",
                kind.name()
            ))));
        }
        Ok(reader)
    }

    /// The part of a memory budget, in bytes, that an output here holds by itself. The copy must do with the rest. 0 for a
    /// local output.
    pub fn memory_of_output(&self, budget: u64) -> u64 {
        #[cfg(not(feature = "remote"))]
        let _ = budget;
        match &self.target {
            #[cfg(feature = "remote")]
            Target::Remote(_) => remote_destination::memory_of_output(budget),
            _ => 0,
        }
    }

    /// The destination to write a dataset of a kind to. What exists there is replaced only when the new dataset is
    /// complete.
    ///
    /// # Errors
    /// The location's name, and the reason that it cannot be written: a folder in the place of a file, a file in the
    /// place of a folder, a folder that holds anything else than a Zarr dataset, or anything below a remote prefix.
    pub fn destination(&self, kind: Kind) -> Result<Destination> {
        self.destination_with(kind, &CreateOptions::default(), None)
    }

    /// Like [`destination`](Self::destination). `expected` is the size in bytes of one file, roughly.
    fn destination_with(
        &self,
        kind: Kind,
        options: &CreateOptions,
        expected: Option<u64>,
    ) -> Result<Destination> {
        match is_zarr(kind) {
            true => Ok(Destination::keys(
                &self.name,
                self.key_output(kind, options, expected)?,
            )),
            false => Ok(Destination::object(
                &self.name,
                self.object_output(options, expected)?,
            )),
        }
    }

    /// A session with a remote store, and the memory that its output may hold.
    #[cfg(feature = "remote")]
    fn session(&self, url: &RemoteUrl, options: &CreateOptions) -> Result<(Arc<Session>, u64)> {
        let (session, warnings) = remote::connect(url, self.requests)?;
        self.notes.add(warnings);
        Ok((
            session,
            options.memory.unwrap_or_else(|| self.memory_of_output(0)),
        ))
    }

    /// The file to write bytes to.
    ///
    /// # Errors
    /// Those of [`Location::destination`].
    pub fn output(&self) -> Result<Arc<dyn Output>> {
        self.object_output(&CreateOptions::default(), None)
    }

    /// One object to write to. `expected` is its size in bytes, roughly.
    fn object_output(&self, options: &CreateOptions, expected: Option<u64>) -> Result<Arc<dyn Output>> {
        #[cfg(feature = "remote")]
        if let Target::Remote(url) = &self.target {
            let (session, memory) = self.session(url, options).map_err(self.named())?;
            return remote_destination::object(session, url, memory, expected).map_err(self.named());
        }
        let _ = (options, expected);
        let path = self.local_path()?;
        if path.is_dir() {
            let is_a_folder = io::Error::new(
                io::ErrorKind::IsADirectory,
                "a folder has this name, and is not replaced by a file",
            );
            return Err(self.named()(Error::io("cannot create", is_a_folder)));
        }
        let output = FileOutput::create_unnamed(path).map_err(self.named())?;
        Ok(Arc::new(output))
    }

    /// The path of an output.
    ///
    /// # Errors
    /// If the location is remote, and this build knows no remote stores.
    fn local_path(&self) -> Result<&Path> {
        let refused = || {
            self.named()(Error::Usage(
                "remote stores are not part of this build, which was made without the feature 'remote'"
                    .to_owned(),
            ))
        };
        self.path().ok_or_else(refused)
    }

    fn key_output(
        &self,
        kind: Kind,
        options: &CreateOptions,
        expected: Option<u64>,
    ) -> Result<Arc<dyn KeyOutput>> {
        match self.store() {
            #[cfg(feature = "remote")]
            StoreKind::Directory if let Target::Remote(url) = &self.target => {
                let (session, memory) = self.session(url, options).map_err(self.named())?;
                remote_destination::tree(session, url, memory, options.replaces).map_err(self.named())
            }
            StoreKind::Directory => {
                let check = Arc::new(zarr_folder::check_replaceable);
                let output = DirectoryOutput::create_over(self.local_path()?, check)
                    .map_err(|e| Error::io("cannot create", e))
                    .map_err(self.named())?;
                Ok(Arc::new(output))
            }
            StoreKind::Zip => {
                let output = self.object_output(options, expected)?;
                zip::create(output, self.top_folder(kind).as_deref()).map_err(self.named())
            }
        }
    }

    /// The store to write keys to: the fragment's, or the one of the name's ending. A fragment without such a word
    /// means a folder.
    fn store(&self) -> StoreKind {
        let store = match self.zarr_mode() {
            Some(mode) => mode.store,
            None => self.store_by_name(),
        };
        store.unwrap_or(StoreKind::Directory)
    }

    /// The folder of all keys in a zip that is written; `None` for its root. netCDF-C takes the folder from a zip's
    /// first entry. Other readers of Zarr look at the root.
    fn top_folder(&self, kind: Kind) -> Option<String> {
        let folder = match self.mode.as_ref().and_then(|mode| mode.top_folder.clone()) {
            Some(folder) => folder,
            None if kind == Kind::Nczarr => {
                let name = self.file_name()?;
                Path::new(&name).file_stem()?.to_string_lossy().into_owned()
            }
            None => return None,
        };
        Some(folder).filter(|folder| !folder.is_empty())
    }

    /// Creates a dataset here: see [`format::create`]. What exists is replaced only by [`Writer::finish`].
    ///
    /// # Errors
    /// The location's name, and the item that its kind cannot hold, or the reason that it cannot be written.
    pub fn create(&self, schema: &Schema, plans: &[VariablePlan]) -> Result<Box<dyn Writer>> {
        self.create_with(schema, plans, &CreateOptions::default())
    }

    /// Like [`create`](Self::create), with options.
    ///
    /// # Errors
    /// Those of [`create`](Self::create); what is on a remote store already, unless the options say that it is replaced.
    pub fn create_with(
        &self,
        schema: &Schema,
        plans: &[VariablePlan],
        options: &CreateOptions,
    ) -> Result<Box<dyn Writer>> {
        format::check(schema).map_err(self.named())?;
        // On a remote store, what can be known to fail fails before anything is written.
        if matches!(self.target, Target::Remote(_)) {
            self.check_create(schema, plans)?;
        }
        #[cfg(feature = "remote")]
        let expected = remote_destination::expected_size(plans);
        #[cfg(not(feature = "remote"))]
        let expected = None;
        let destination = self.destination_with(schema.kind, options, expected)?;
        let options = self.write_options(schema.kind);
        format::create_with(destination, schema, plans, &options).map_err(self.named())
    }

    /// Creates an archive here, with these blocks. What exists is replaced only by [`Writer::finish`].
    ///
    /// # Errors
    /// Those of [`Location::create`].
    pub fn create_archive(
        &self,
        schema: &Schema,
        plans: &[VariablePlan],
        blocks: PackOptions,
        options: &CreateOptions,
    ) -> Result<Box<dyn Writer>> {
        format::check(schema).map_err(self.named())?;
        let output = self.object_output(options, None)?;
        let writer = ArchiveWriter::create(output, schema, plans, blocks);
        Ok(Box::new(writer.map_err(self.named())?))
    }

    /// What other programs will not read of a dataset that is created here, or read otherwise than it was: one line
    /// each.
    ///
    /// # Errors
    /// Those of [`Location::check_create`].
    pub fn create_warnings(&self, schema: &Schema, plans: &[VariablePlan]) -> Result<Vec<String>> {
        let options = self.write_options(schema.kind);
        let mut warnings = format::warnings(schema, plans, &options).map_err(self.named())?;
        warnings.extend(self.no_zip(schema.kind));
        Ok(warnings)
    }

    fn write_options(&self, kind: Kind) -> ZarrOptions {
        match &self.mode {
            Some(mode) => mode.write_options(kind),
            None => ZarrOptions::write(kind),
        }
    }

    /// Checks what [`Location::create`] checks of the dataset, and touches no file.
    ///
    /// # Errors
    /// Those of [`Location::create`] that have nothing to do with the place.
    pub fn check_create(&self, schema: &Schema, plans: &[VariablePlan]) -> Result<()> {
        format::check_plans(schema, plans).map_err(self.named())
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
