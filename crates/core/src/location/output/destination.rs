//! Writes to a [`Location`]: files, folders, zips, remote objects and trees of keys.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::checks::size::expected_size;
use super::checks::zarr_folder;
use super::output_kind::is_zarr;
use crate::error::{Error, Result};
use crate::format::archive::{ArchiveWriter, PackOptions};
use crate::format::zarr::ZarrOptions;
use crate::format::{self, VariablePlan, Warning, Writer};
use crate::location::remote::{self, Session};
use crate::location::{Location, StoreKind, Target, zip};
use crate::model::{KeySeparator, Kind, Schema};
use crate::remote_settings::RemoteUrl;
use crate::remote_settings::settings::rc_value;
use crate::remote_settings::{Environment, ProcessEnvironment};
use crate::store::{Destination, DirectoryOutput, FileOutput, KeyOutput, Output, RawFiles};

/// An output on a remote store takes this part of the memory (1 / 4).
const REMOTE_SHARE: u64 = 4;

/// Least memory of an output on a remote store, in bytes: three parts of the least size.
const LEAST_REMOTE: u64 = 15 << 20;

/// Most memory of an output on a remote store, in bytes: as much as is under way over a fast line.
const MOST_REMOTE: u64 = 256 << 20;

/// True if netCDF-C's rc files ask for `/` between the coordinates of chunks. Who has a file that cannot be read gets no other
/// keys for it.
fn asks_for_folders(environment: &dyn Environment) -> bool {
    let separator = rc_value("ZARR.DIMENSION_SEPARATOR", environment);
    separator
        .ok()
        .flatten()
        .is_some_and(|separator| separator == KeySeparator::Slash.text())
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
    /// The part of a memory budget, in bytes, that an output here holds by itself. The copy must do with the rest. 0 for a
    /// local output.
    pub fn memory_of_output(&self, budget: u64) -> u64 {
        match &self.target {
            Target::Remote(_) => (budget / REMOTE_SHARE).clamp(LEAST_REMOTE, MOST_REMOTE),
            Target::Path(_) | Target::StandardInput => 0,
        }
    }

    /// The destination to write a dataset of a kind to. What exists there is replaced only when the new dataset is
    /// complete.
    ///
    /// # Errors
    /// The location's name, and the reason that it cannot be written: a folder in the place of a file, a file in the
    /// place of a folder, a folder that holds anything else than a Zarr dataset, or anything below a remote prefix.
    pub fn destination(&self, kind: Kind) -> Result<Destination> {
        self.destination_with(kind, &CreateOptions::default(), None, None)
    }

    /// The destination to write a dataset to that is stored as planned, with the files for raw data that it asks for.
    ///
    /// # Errors
    /// Those of [`Location::destination`] and [`Location::raw_files`].
    pub fn destination_of(
        &self,
        schema: &Schema,
        plans: &[VariablePlan],
        options: &CreateOptions,
    ) -> Result<Destination> {
        // On a remote store, what can be known to fail fails before anything is written.
        if self.is_remote() {
            self.check_create(schema, plans)?;
        }
        if !schema.kind.can().references {
            self.check_room(plans)?;
        }
        let raw = self.raw_files(schema, plans)?;
        self.destination_with(schema.kind, options, expected_size(plans), raw)
    }

    /// Like [`destination`](Self::destination). `expected` is the size in bytes of one file, roughly.
    fn destination_with(
        &self,
        kind: Kind,
        options: &CreateOptions,
        expected: Option<u64>,
        raw: Option<Arc<RawFiles>>,
    ) -> Result<Destination> {
        if kind.can().references {
            return Ok(Destination::keys(
                &self.name,
                self.reference_output(kind, options)?,
            ));
        }
        match is_zarr(kind) {
            true => Ok(Destination::keys(
                &self.name,
                self.key_output(kind, options, expected)?,
            )),
            false => {
                let output = self.object_output(options, expected)?;
                Ok(match raw {
                    None => Destination::object(&self.name, output),
                    Some(raw) => Destination::object(&self.name, raw.beside(output)).with_raw_files(raw),
                })
            }
        }
    }

    /// A session with a remote store, and the memory that its output may hold.
    pub(crate) fn session(&self, url: &RemoteUrl, options: &CreateOptions) -> Result<(Arc<Session>, u64)> {
        let (session, warnings) = remote::connect(url, self.requests)?;
        self.opening_warnings.add(warnings);
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
    pub(crate) fn object_output(
        &self,
        options: &CreateOptions,
        expected: Option<u64>,
    ) -> Result<Arc<dyn Output>> {
        if let Target::Remote(url) = &self.target {
            let (session, memory) = self.session(url, options).map_err(self.named())?;
            return remote::object(session, url, memory, expected).map_err(self.named());
        }
        let path = self.local_path()?;
        if path.is_dir() {
            let is_a_folder = io::Error::new(
                io::ErrorKind::IsADirectory,
                "a folder has this name, and is not replaced by a file",
            );
            return Err(self.named()(Error::io("cannot create", is_a_folder)));
        }
        self.check_not_open()?;
        let output = FileOutput::create_unnamed(path).map_err(self.named())?;
        Ok(Arc::new(output))
    }

    /// The path of an output.
    ///
    /// # Errors
    /// If the location is remote.
    pub(crate) fn local_path(&self) -> Result<&Path> {
        let refused = || Error::Internal(format!("{self} is no local file"));
        self.path().ok_or_else(refused)
    }

    pub(crate) fn key_output(
        &self,
        kind: Kind,
        options: &CreateOptions,
        expected: Option<u64>,
    ) -> Result<Arc<dyn KeyOutput>> {
        match self.store() {
            StoreKind::Directory if let Target::Remote(url) = &self.target => {
                let (session, memory) = self.session(url, options).map_err(self.named())?;
                remote::tree(session, url, memory, options.replaces).map_err(self.named())
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
    pub(crate) fn store(&self) -> StoreKind {
        let store = match self.zarr_mode() {
            Some(mode) => mode.store,
            None => self
                .store_by_name()
                .or_else(|| self.is_named_zip().then_some(StoreKind::Zip)),
        };
        store.unwrap_or(StoreKind::Directory)
    }

    /// The folder of all keys in a zip that is written; `None` for its root. netCDF-C takes the folder from a zip's
    /// first entry. Other readers of Zarr look at the root.
    pub(crate) fn top_folder(&self, kind: Kind) -> Option<String> {
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
        let destination = self.destination_of(schema, plans, options)?;
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

    /// What other programs will not read of a dataset that is created here, or read otherwise than it was.
    ///
    /// # Errors
    /// Those of [`Location::check_create`].
    pub fn create_warnings(&self, schema: &Schema, plans: &[VariablePlan]) -> Result<Vec<Warning>> {
        let options = self.write_options(schema.kind);
        let mut warnings = format::warnings(schema, plans, &options).map_err(self.named())?;
        warnings.extend(self.misleading_name(schema.kind).map(Warning::of_output));
        Ok(warnings)
    }

    pub(crate) fn write_options(&self, kind: Kind) -> ZarrOptions {
        let options = match &self.mode {
            Some(mode) => mode.write_options(kind),
            None => ZarrOptions::write(kind),
        };
        let in_folders = matches!(kind, Kind::Nczarr | Kind::Zarr2) && asks_for_folders(&ProcessEnvironment);
        ZarrOptions {
            separator: if in_folders {
                KeySeparator::Slash
            } else {
                options.separator
            },
            shards_as_hdf5: self.shards_as_hdf5 && kind == Kind::Zarr3,
            ..options
        }
    }

    /// Checks what [`Location::create`] checks of the dataset, and touches no file.
    ///
    /// # Errors
    /// Those of [`Location::create`] that have nothing to do with the place.
    pub fn check_create(&self, schema: &Schema, plans: &[VariablePlan]) -> Result<()> {
        let options = self.write_options(schema.kind);
        format::check_plans_with(schema, plans, &options).map_err(self.named())?;
        self.check_raw_files(schema, plans)
    }
}
