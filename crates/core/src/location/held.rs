//! [`Held`]: an output that is read back before it takes its name.

use std::io;
use std::sync::Arc;

use super::output_kind::is_zarr;
use super::{CreateOptions, Location, StoreKind, zarr_folder, zip};
use crate::error::{Error, Result};
use crate::format::archive::{ArchiveWriter, PackOptions};
use crate::format::{self, VariablePlan, Writer};
use crate::model::{Kind, Schema};
use crate::store::{Destination, DirectoryOutput, HeldKeys, HeldOutput, KeyOutput, Output, Place, RawFiles};

/// An output that a writer has finished, and that has no name yet. Dropped, it leaves nothing.
pub struct Held {
    kind: Store,
}

enum Store {
    /// One object; as a zip file, the folder that its keys are below.
    Object(Arc<HeldOutput>, Option<Option<String>>),
    /// One object with files for raw data.
    WithRawFiles(Arc<HeldOutput>, Arc<RawFiles>),
    Keys(Arc<HeldKeys>),
}

impl Held {
    /// The output as a place to read from, once the writer has finished.
    ///
    /// # Errors
    /// A zip file that cannot be read.
    pub fn place(&self, location: &Location) -> Result<Place> {
        Ok(match &self.kind {
            Store::Object(object, None) => Place::object(location.name(), object.clone()),
            Store::WithRawFiles(object, raw) => {
                Place::object(location.name(), object.clone()).with_neighbours(raw.clone())
            }
            Store::Object(object, Some(folder)) => {
                let folder = folder.as_deref().unwrap_or_default();
                Place::keys(location.name(), zip::open(object.clone(), Some(folder))?)
            }
            Store::Keys(keys) => Place::keys(location.name(), keys.clone()),
        })
    }

    /// Makes the output appear under its name.
    ///
    /// # Errors
    /// If the store fails.
    pub fn release(&self) -> Result<()> {
        let done: io::Result<()> = match &self.kind {
            Store::Object(object, _) | Store::WithRawFiles(object, _) => object.release(),
            Store::Keys(keys) => keys.release(),
        };
        done.map_err(|e| Error::io("cannot write", e))
    }
}

impl Location {
    /// Creates a dataset like [`Location::create_with`] or [`Location::create_archive`]. It does not appear when the writer
    /// finishes, but when [`Held::release`] is called.
    ///
    /// # Errors
    /// Those of [`Location::create_with`]. Outputs on remote stores cannot be held back.
    pub fn create_held(
        &self,
        schema: &Schema,
        plans: &[VariablePlan],
        blocks: Option<PackOptions>,
        options: &CreateOptions,
    ) -> Result<(Box<dyn Writer>, Held)> {
        format::check(schema).map_err(self.named())?;
        let (destination, held) = self.hold_destination(schema, plans, options)?;
        let writer = match (blocks, &held.kind) {
            (Some(blocks), Store::Object(object, _)) => {
                let output: Arc<dyn Output> = object.clone();
                let writer = ArchiveWriter::create(output, schema, plans, blocks);
                Box::new(writer.map_err(self.named())?)
            }
            _ => format::create_with(destination, schema, plans, &self.write_options(schema.kind))
                .map_err(self.named())?,
        };
        Ok((writer, held))
    }

    /// The place for a dataset that a caller writes, like [`Location::create_held`].
    ///
    /// # Errors
    /// The output cannot be created. Outputs on remote stores cannot be held back.
    pub fn hold_destination(
        &self,
        schema: &Schema,
        plans: &[VariablePlan],
        options: &CreateOptions,
    ) -> Result<(Destination, Held)> {
        self.check_held()?;
        let raw = self.raw_files(schema, plans)?;
        self.hold(schema.kind, options, raw)
    }

    /// A file for bytes that a caller writes, like [`Location::output`]. It does not appear before [`Held::release`].
    ///
    /// # Errors
    /// Those of [`Location::hold_destination`].
    pub fn hold_output(&self) -> Result<(Arc<dyn Output>, Held)> {
        self.check_held()?;
        let object = Arc::new(HeldOutput::new(
            self.object_output(&CreateOptions::default(), None)?,
        ));
        let kind = Store::Object(object.clone(), None);
        Ok((object, Held { kind }))
    }

    fn check_held(&self) -> Result<()> {
        match self.is_remote() {
            true => Err(self.named()(Error::Unsupported(
                "comparing an output on a remote store before it appears".to_owned(),
            ))),
            false => Ok(()),
        }
    }

    fn hold(
        &self,
        kind: Kind,
        options: &CreateOptions,
        raw: Option<Arc<RawFiles>>,
    ) -> Result<(Destination, Held)> {
        let cannot = |e: io::Error| self.named()(Error::io("cannot create", e));
        if is_zarr(kind) && self.store() == StoreKind::Directory {
            let check = Arc::new(zarr_folder::check_replaceable);
            let output = DirectoryOutput::create_over(self.local_path()?, check).map_err(cannot)?;
            let keys = Arc::new(HeldKeys::new(Arc::new(output)));
            let output: Arc<dyn KeyOutput> = keys.clone();
            let kind = Store::Keys(keys);
            return Ok((Destination::keys(self.name(), output), Held { kind }));
        }
        let output = self.object_output(options, None)?;
        if let Some(raw) = raw {
            let object = Arc::new(HeldOutput::new(raw.beside(output)));
            let destination = Destination::object(self.name(), object.clone()).with_raw_files(raw.clone());
            let kind = Store::WithRawFiles(object, raw);
            return Ok((destination, Held { kind }));
        }
        let object = Arc::new(HeldOutput::new(output));
        let output: Arc<dyn Output> = object.clone();
        if !is_zarr(kind) {
            let kind = Store::Object(object, None);
            return Ok((Destination::object(self.name(), output), Held { kind }));
        }
        let folder = self.top_folder(kind);
        let keys = zip::create(output, folder.as_deref()).map_err(self.named())?;
        let kind = Store::Object(object, Some(folder));
        Ok((Destination::keys(self.name(), keys), Held { kind }))
    }
}
