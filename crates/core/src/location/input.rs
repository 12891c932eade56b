//! Reads from a [`Location`]: its place, its text, its dataset.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::sync::Arc;

use super::output::output_kind::is_zarr;
#[cfg(feature = "remote")]
use super::remote;
use super::{Location, Mode, STDIN, StoreKind, Target, zip};
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::zarr::ZarrOptions;
use crate::format::{self, Reader};
use crate::model::{Kind, ZarrVersion};
use crate::remote::RemoteUrl;
use crate::store::{
    DirectoryKeys, FileNeighbours, FileSource, Object, Place, PlaceKind, open_compressed,
    open_damaged_compressed, open_stream,
};

/// Maximum size, in bytes, of piped data that is kept in memory. The rest goes to a temporary file.
const SPOOLED_IN_MEMORY: u64 = 64 << 20;

/// A function that opens a place.
type Open = fn(Place, &Registry, &ZarrOptions) -> Result<Box<dyn Reader>>;

/// How much of a compressed file must be there.
#[derive(Debug, Clone, Copy)]
enum Care {
    /// All.
    Whole,
    /// What comes before the damage.
    Damaged,
}

/// The error of a compressed file that is truncated or damaged, as `told`: whether a dataset is left in the content before.
fn truncated(told: String, content: Place) -> Error {
    let error = Error::Truncated(told);
    match format::open_damaged(content, &Registry::builtin(), &ZarrOptions::READ) {
        Ok(_) => error,
        Err(_) => Error::NothingLeft(Box::new(error)),
    }
}

impl Location {
    /// The place to read from: a folder or a zip file as a store of keys, anything else as one object. A pipe is read
    /// to its end first, but for an archive, which is read as it comes.
    ///
    /// # Errors
    /// The location's name, and the reason that it cannot be opened; a fragment that names another store.
    pub fn place(&self) -> Result<Place> {
        self.place_of(Care::Whole)
    }

    /// Like [`Location::place`], of a file that may be damaged: of a compressed one, what comes before the damage is there, and
    /// [`Place::damage`] tells it.
    ///
    /// # Errors
    /// Those of [`Location::place`].
    pub fn damaged_place(&self) -> Result<Place> {
        self.place_of(Care::Damaged)
    }

    fn place_of(&self, care: Care) -> Result<Place> {
        let (path, found) = match &self.target {
            Target::StandardInput => (Path::new(STDIN), None),
            Target::Path(path) => (path.as_path(), fs::metadata(path).ok()),
            Target::Remote(url) => return self.remote_place(url, care),
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
            true => open_stream(self.pipe(path), SPOOLED_IN_MEMORY).map_err(self.named())?,
            false => Arc::new(FileSource::open_unnamed(path).map_err(self.named())?),
        };
        if is_pipe {
            if format::is_read_as_it_comes(&*object) {
                self.expect_store(None)?;
                return Ok(Place::object(&self.name, object));
            }
            Place::from(object.clone()).read_to_end().map_err(self.named())?;
        }
        if zip::is_zip(&*object) {
            self.expect_store(Some(StoreKind::Zip))?;
            return self.zip_place(object, care);
        }
        let place = self.object_place(object, care)?;
        let neighbours = match is_pipe {
            true => FileNeighbours::of_pipe(self.access.clone()),
            false => FileNeighbours::of(path, self.access.clone()),
        };
        Ok(match neighbours {
            Some(neighbours) => place.with_neighbours(Arc::new(neighbours)),
            None => place,
        })
    }

    /// The place of an object that is no zip file: of its content if it is compressed.
    fn object_place(&self, object: Arc<dyn Object>, care: Care) -> Result<Place> {
        self.expect_store(None)?;
        let open = match care {
            Care::Whole => open_compressed,
            Care::Damaged => open_damaged_compressed,
        };
        let content = open(&object, SPOOLED_IN_MEMORY).map_err(self.named())?;
        let Some(content) = content else {
            return Ok(Place::object(&self.name, object));
        };
        let place = Place::object(&self.name, content.object);
        match (content.damage, care) {
            (Some(told), Care::Whole) => Err(self.named()(truncated(told, place))),
            (damage, _) => Ok(place.with_damage(damage).with_checksums(content.is_verified)),
        }
    }

    #[cfg(feature = "remote")]
    fn remote_place(&self, url: &RemoteUrl, care: Care) -> Result<Place> {
        let (session, warnings) = remote::connect(url, self.requests).map_err(self.named())?;
        self.notes.add(warnings);
        let found = remote::find(url, &session, self.requests, self.access.requires_sources());
        let (opened, neighbours) = match found.map_err(self.named())? {
            remote::RemoteInput::Keys(keys) => return Ok(Place::keys(&self.name, keys)),
            remote::RemoteInput::Object(opened, neighbours) => (opened, neighbours),
        };
        self.notes.add(opened.warning);
        if zip::is_zip(&*opened.object) {
            self.expect_store(Some(StoreKind::Zip))?;
            return self.zip_place(opened.object, care);
        }
        let place = self.object_place(opened.object, care)?;
        Ok(match neighbours {
            Some(neighbours) => place.with_neighbours(neighbours),
            None => place,
        })
    }

    #[cfg(not(feature = "remote"))]
    fn remote_place(&self, _: &RemoteUrl, _: Care) -> Result<Place> {
        Err(self.without_remote())
    }

    #[cfg(not(feature = "remote"))]
    fn without_remote(&self) -> Error {
        self.named()(Error::Usage(
            "remote stores are not part of this build, which was made without the feature 'remote'"
                .to_owned(),
        ))
    }

    /// The place of the keys in a zip file.
    fn zip_place(&self, object: Arc<dyn Object>, care: Care) -> Result<Place> {
        let folder = self.mode.as_ref().and_then(|mode| mode.top_folder.as_deref());
        let opened = match care {
            Care::Whole => zip::open(object.clone(), folder)
                .map(|keys| (keys, None))
                .map_err(|error| zip::with_remains(error, object, folder)),
            Care::Damaged => zip::open_damaged(object, folder),
        };
        let (keys, damage) = opened.map_err(self.named())?;
        Ok(Place::keys(&self.name, keys).with_damage(damage))
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
        match self.object_place(self.text(memory)?, Care::Whole)?.kind() {
            PlaceKind::Object(object) => Ok(object.clone()),
            PlaceKind::Keys(_) => Err(Error::Internal("one file is a store of keys".to_owned())),
        }
    }

    fn bytes(&self, memory: u64) -> Result<Arc<dyn Object>> {
        let path = match &self.target {
            Target::Path(path) => Some(path.as_path()),
            Target::StandardInput => None,
            Target::Remote(url) => return self.remote_text(url, memory),
        };
        let object = open_stream(path, memory).map_err(self.named())?;
        Place::from(object.clone()).read_to_end().map_err(self.named())?;
        Ok(object)
    }

    /// The path of a pipe; `None` for standard input.
    fn pipe<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        (self.target != Target::StandardInput).then_some(path)
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
        self.open_by(format::open_with, place, registry)
    }

    /// Like [`Location::open_place`], of a dataset that may be damaged: see [`format::open_damaged`].
    ///
    /// # Errors
    /// If not even the structure of the dataset can be read.
    pub fn open_damaged(&self, place: Place, registry: &Registry) -> Result<Box<dyn Reader>> {
        self.open_by(format::open_damaged, place, registry)
    }

    fn open_by(&self, open: Open, place: Place, registry: &Registry) -> Result<Box<dyn Reader>> {
        let is_keys = matches!(place.kind(), PlaceKind::Keys(_));
        let damage = place.damage().map(str::to_owned);
        let options = self.mode.as_ref().map_or(ZarrOptions::READ, Mode::read_options);
        let reader = match open(place, registry, &options) {
            Err(Error::UnknownFormat) if is_keys && damage.is_some() => Err(Error::Damaged(format!(
                "{}; the metadata of the root group is not in what is left, so nothing of it can be read",
                damage.unwrap_or_default()
            ))),
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
}
