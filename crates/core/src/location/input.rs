//! Reads from a [`Location`]: its input, its text, its dataset.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::sync::Arc;

use super::other_format::other_format;
use super::output::output_kind::is_zarr;
use super::referenced_places::ReferencedPlaces;
use super::remote_input::RemoteInput;
use super::{Location, Mode, STDIN, StoreKind, Target, remote, zip};
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::dap::{DapOptions, DapVersion};
use crate::format::zarr::ZarrOptions;
use crate::format::{self, ReadOptions, Reader};
use crate::model::{Kind, ZarrVersion};
use crate::remote_settings::{Form, RemoteUrl};
use crate::store::{
    DirectoryKeys, ExternalFiles, FamilySource, FileSource, Input, InputKind, LocalExternalFiles, Object,
    ObjectVersion, open_compressed_dataset, open_stream,
};

/// Maximum size, in bytes, of piped data that is kept in memory. The rest goes to a temporary file.
const SPOOLED_IN_MEMORY: u64 = 64 << 20;

/// A function that opens an input.
type Open = fn(Input, &Registry, &ReadOptions) -> Result<Box<dyn Reader>>;

/// How much of a compressed file must be there.
#[derive(Debug, Clone, Copy)]
enum Care {
    /// All.
    Whole,
    /// What comes before the damage.
    Damaged,
}

/// The error of a compressed file that is truncated or damaged, as `told`: whether a dataset is left in the content before.
fn truncated(told: String, content: Input) -> Error {
    let error = Error::Truncated(told);
    match format::open_damaged(content, &Registry::builtin(), &ReadOptions::DEFAULT) {
        Ok(_) => error,
        Err(_) => Error::NothingLeft(Box::new(error)),
    }
}

impl Location {
    /// The input to read from: a folder or a zip file as a store of keys, anything else as one object. A pipe is read
    /// to its end first, but for an archive, which is read as it comes.
    ///
    /// # Errors
    /// The location's name, and the reason that it cannot be opened; a fragment that names another store.
    pub fn input(&self) -> Result<Input> {
        self.input_of(Care::Whole)
    }

    /// Like [`Location::input`], of a file that may be damaged: of a compressed one, what comes before the damage is there, and
    /// [`Input::damage`] tells it.
    ///
    /// # Errors
    /// Those of [`Location::input`].
    pub fn damaged_input(&self) -> Result<Input> {
        self.input_of(Care::Damaged)
    }

    /// A line for each object that is here on a remote store, or that is one of `marks` below: what tells its version. Empty for
    /// local files.
    ///
    /// # Errors
    /// Those of the store.
    pub fn remote_state(&self, marks: &[&str]) -> Result<Vec<String>> {
        let Target::Remote(url) = &self.target else {
            return Ok(Vec::new());
        };
        let (session, _) = remote::connect(url, self.requests)?;
        remote::states(url, &session, marks).map_err(self.named())
    }

    fn input_of(&self, care: Care) -> Result<Input> {
        let (path, found) = match &self.target {
            Target::StandardInput => (Path::new(STDIN), None),
            Target::Path(path) => (path.as_path(), fs::metadata(path).ok()),
            Target::Remote(url) => return self.remote_input(url, care),
        };
        if found.as_ref().is_some_and(fs::Metadata::is_dir) {
            self.expect_store(Some(StoreKind::Directory))?;
            let keys = DirectoryKeys::of(path)
                .map_err(|e| Error::io("cannot open", e))
                .map_err(self.named())?
                .with_access(self.access.clone());
            let own = Arc::new(LocalExternalFiles::of(path, self.access.clone()));
            return Ok(self.with_referenced(Input::keys(&self.name, Arc::new(keys)), Some(own)));
        }
        let is_pipe = match &self.target {
            Target::StandardInput | Target::Remote(_) => true,
            Target::Path(_) => found.as_ref().is_some_and(|found| {
                let kind = found.file_type();
                kind.is_fifo() || kind.is_socket()
            }),
        };
        let object: Arc<dyn Object> = match is_pipe {
            true => open_stream(self.pipe(path), SPOOLED_IN_MEMORY).map_err(self.named())?,
            false => match found {
                None if matches!(self.target, Target::Path(_)) => self.family(path)?,
                Some(found) if found.is_file() => {
                    Arc::new(FileSource::open_found(path).map_err(self.named())?)
                }
                _ => Arc::new(FileSource::open_unnamed(path).map_err(self.named())?),
            },
        };
        if is_pipe {
            if format::is_read_as_it_comes(&*object) {
                self.expect_store(None)?;
                return Ok(Input::object(&self.name, object));
            }
            Input::from(object.clone()).read_to_end().map_err(self.named())?;
        }
        let asked = self.mode.as_ref().and_then(|mode| mode.store);
        let is_called_zip = path
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("zip"));
        let is_called_zip = is_called_zip || asked == Some(StoreKind::Zip);
        if zip::is_zip(&*object) || is_called_zip && zip::is_zip_behind_others(&*object) {
            self.expect_store(Some(StoreKind::Zip))?;
            return self.zip_input(object, care);
        }
        let mut input = self.object_input(object, care)?;
        if is_pipe {
            input = input.made();
        }
        let external_files = match is_pipe {
            true => LocalExternalFiles::of_pipe(self.access.clone()),
            false => Some(LocalExternalFiles::of(path, self.access.clone())),
        };
        let external_files = external_files.map(|found| Arc::new(found) as Arc<dyn ExternalFiles>);
        let input = self.with_referenced(input, external_files.clone());
        Ok(match external_files {
            Some(external_files) => input.with_external_files(external_files),
            None => input,
        })
    }

    /// The input with the places that its references may lead to, `own` among them.
    fn with_referenced(&self, input: Input, own: Option<Arc<dyn ExternalFiles>>) -> Input {
        let from = match &self.target {
            Target::Remote(url) => Some(&**url),
            _ => None,
        };
        input.with_referenced(ReferencedPlaces::new(own, from, &self.access, self.requests))
    }

    /// References that were just written here, with the places that they lead to: any local file, and the server of `source`, which they
    /// were made of.
    ///
    /// # Errors
    /// A source that other programs do not find.
    pub fn followed(&self, references: Input, source: &Self) -> Result<Input> {
        let references = match references.kind() {
            InputKind::Object(object) => self.object_input(object.clone(), Care::Whole)?,
            _ => references,
        };
        let mut access = self.access.clone();
        // Names may be relative, and the output has no name yet.
        if let Target::Path(path) = &self.target {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            access.allow(folder.unwrap_or(Path::new(".")))?;
        }
        access.allow(Path::new("/"))?;
        let name = source.plain_name()?;
        if let Some((scheme, rest)) = name.split_once("://") {
            let server = rest.split('/').next().unwrap_or_default();
            access.allow_url(&format!("{scheme}://{server}/"));
        }
        let own = LocalExternalFiles::of_pipe(access.clone());
        let own = own.map(|own| Arc::new(own) as Arc<dyn ExternalFiles>);
        Ok(references.with_referenced(ReferencedPlaces::new(own, None, &access, self.requests)))
    }

    /// The members of a family of files, of which `path` is the pattern of names. Any other path names no file.
    fn family(&self, path: &Path) -> Result<Arc<dyn Object>> {
        Ok(match FamilySource::open(path).map_err(self.named())? {
            Some(family) => Arc::new(family),
            None => Arc::new(FileSource::open_unnamed(path).map_err(self.named())?),
        })
    }

    /// The input of an object that is no zip file: of its content if it is compressed.
    fn object_input(&self, object: Arc<dyn Object>, care: Care) -> Result<Input> {
        self.unpacked(object, care, &format::has_magic)
    }

    /// The same of any file that `is_meant` for its beginning.
    fn unpacked(
        &self,
        object: Arc<dyn Object>,
        care: Care,
        is_meant: &dyn Fn(&dyn Object) -> bool,
    ) -> Result<Input> {
        self.expect_store(None)?;
        let may_be_damaged = matches!(care, Care::Damaged);
        let content = open_compressed_dataset(&object, SPOOLED_IN_MEMORY, may_be_damaged, is_meant);
        let content = content.map_err(self.named())?;
        let Some(content) = content else {
            return Ok(Input::object(&self.name, object));
        };
        let compressed = object.size().map_err(|e| Error::io("cannot read", e));
        let input = Input::object(&self.name, content.object)
            .with_compressed_size(compressed.map_err(self.named())?)
            .made();
        match (content.damage, care) {
            (Some(told), Care::Whole) => Err(self.named()(truncated(told, input))),
            (damage, _) => Ok(input.with_damage(damage).with_checksums(content.is_verified)),
        }
    }

    fn remote_input(&self, url: &RemoteUrl, care: Care) -> Result<Input> {
        let (session, warnings) = remote::connect(url, self.requests).map_err(self.named())?;
        self.opening_warnings.add(warnings);
        let found = remote::find(url, &session, self.access.requires_sources());
        let (object, external_files) = match found.map_err(self.named())? {
            RemoteInput::Keys(keys) => {
                return Ok(self.with_referenced(Input::keys(&self.name, keys), None));
            }
            RemoteInput::Queries(server) => return Ok(Input::queries(&self.name, server)),
            RemoteInput::Object {
                object,
                warning,
                external_files,
            } => {
                self.opening_warnings.add(warning);
                (object, external_files)
            }
        };
        if zip::is_zip(&*object) {
            self.expect_store(Some(StoreKind::Zip))?;
            return self.zip_input(object, care);
        }
        let input = self.object_input(object, care)?;
        let input = self.with_referenced(input, external_files.clone());
        Ok(match external_files {
            Some(external_files) => input.with_external_files(external_files),
            None => input,
        })
    }

    /// The input of the keys in a zip file.
    fn zip_input(&self, object: Arc<dyn Object>, care: Care) -> Result<Input> {
        let folder = self.mode.as_ref().and_then(|mode| mode.top_folder.as_deref());
        let opened = match care {
            Care::Whole => zip::open(object.clone(), folder)
                .map(|keys| (keys, None))
                .map_err(|error| zip::with_remains(error, object, folder)),
            Care::Damaged => zip::open_damaged(object, folder),
        };
        let (keys, damage) = opened.map_err(self.named())?;
        Ok(Input::keys(&self.name, keys).with_damage(damage))
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

    /// The bytes of a file of any kind, unpacked if they are compressed as one stream. At most about `memory` bytes of a
    /// pipe or device stay in memory.
    ///
    /// # Errors
    /// Those of [`Location::text`]; damage of what is compressed.
    pub fn content(&self, memory: u64) -> Result<Arc<dyn Object>> {
        match self.unpacked(self.text(memory)?, Care::Whole, &|_| true)?.kind() {
            InputKind::Object(object) => Ok(object.clone()),
            InputKind::Keys(_) | InputKind::Queries(_) => {
                Err(Error::Internal("one file is a store of keys".to_owned()))
            }
        }
    }

    fn bytes(&self, memory: u64) -> Result<Arc<dyn Object>> {
        let path = match &self.target {
            Target::Path(path) => Some(path.as_path()),
            Target::StandardInput => None,
            Target::Remote(url) => return self.remote_text(url, memory),
        };
        let object = open_stream(path, memory).map_err(self.named())?;
        Input::from(object.clone()).read_to_end().map_err(self.named())?;
        Ok(object)
    }

    /// The path of a pipe; `None` for standard input.
    fn pipe<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        (self.target != Target::StandardInput).then_some(path)
    }

    fn remote_text(&self, url: &RemoteUrl, memory: u64) -> Result<Arc<dyn Object>> {
        let (session, warnings) = remote::connect(url, self.requests).map_err(self.named())?;
        self.opening_warnings.add(warnings);
        let (object, warning) = remote::text(url, &session, memory).map_err(self.named())?;
        self.opening_warnings.add(warning);
        Ok(object)
    }

    /// Opens the dataset, in any format.
    ///
    /// # Errors
    /// The location's name, and the reason.
    pub fn open(&self) -> Result<Box<dyn Reader>> {
        self.open_with(&Registry::builtin())
    }

    /// Like [`Location::open`], with the codecs of `registry` in input of the built-in ones.
    ///
    /// # Errors
    /// The same as for [`Location::open`]; a fragment that asks for Zarr where the dataset has another format.
    pub fn open_with(&self, registry: &Registry) -> Result<Box<dyn Reader>> {
        self.open_input(self.input()?, registry)
    }

    /// Like [`Location::open_with`], of what [`Location::input`] gave.
    ///
    /// # Errors
    /// The same as for [`Location::open_with`].
    pub fn open_input(&self, input: Input, registry: &Registry) -> Result<Box<dyn Reader>> {
        self.open_by(format::open_with, input, registry)
    }

    /// Like [`Location::open_input`], of a dataset that may be damaged: see [`format::open_damaged`].
    ///
    /// # Errors
    /// If not even the structure of the dataset can be read.
    pub fn open_damaged(&self, input: Input, registry: &Registry) -> Result<Box<dyn Reader>> {
        self.open_by(format::open_damaged, input, registry)
    }

    /// Like [`Location::open_damaged`], with what no way from the root leads to any more: see [`format::open_salvaged`].
    ///
    /// # Errors
    /// If nothing of the dataset can be read.
    pub fn open_salvaged(&self, input: Input, registry: &Registry) -> Result<Box<dyn Reader>> {
        self.open_by(format::open_salvaged, input, registry)
    }

    /// How a server of OPeNDAP is read: as the fragment and the scheme say.
    fn dap_options(&self) -> DapOptions {
        let form = match &self.target {
            Target::Remote(url) => url.form,
            Target::Path(_) | Target::StandardInput => Form::Unsaid,
        };
        DapOptions {
            version: match form {
                Form::Dap2 => Some(DapVersion::Two),
                Form::Dap4 => Some(DapVersion::Four),
                _ => None,
            },
            string_length: self.mode.as_ref().and_then(|mode| mode.string_length),
        }
    }

    fn open_by(&self, open: Open, input: Input, registry: &Registry) -> Result<Box<dyn Reader>> {
        let object = match input.kind() {
            InputKind::Object(object) => Some(object.clone()),
            InputKind::Keys(_) | InputKind::Queries(_) => None,
        };
        let is_keys = matches!(input.kind(), InputKind::Keys(_));
        let has_places = input.has_places();
        let damage = input.damage().map(str::to_owned);
        let options = ReadOptions {
            zarr: self.mode.as_ref().map_or(ZarrOptions::READ, Mode::read_options),
            reference_paths: self.reference_paths,
            snapshot: self.mode.as_ref().and_then(|mode| mode.snapshot.clone()),
            dap: self.dap_options(),
        };
        let reader = match open(input, registry, &options) {
            Err(Error::UnknownFormat) if is_keys && damage.is_some() => Err(Error::Damaged(format!(
                "{}; the metadata of the root group is not in what is left, so nothing of it can be read",
                damage.unwrap_or_default()
            ))),
            Err(Error::UnknownFormat) if is_keys => Err(Error::Usage(
                "no Zarr dataset: no .zgroup, .zarray or zarr.json was found here or in the folders directly below"
                    .to_owned(),
            )),
            Err(Error::UnknownFormat) => Err(match object.as_deref().and_then(other_format) {
                Some(what) => Error::OtherFormat(what),
                None => Error::UnknownFormat,
            }),
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
        let version = object.as_deref().and_then(ObjectVersion::of);
        self.with_places(reader, has_places, version)
    }
}
