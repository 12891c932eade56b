//! [`Staged`]: an output that is read back before it takes its name.

use std::io;
use std::sync::Arc;

use super::checks::size::expected_size;
use super::output_kind::is_zarr;
use super::reference_files::ReferenceForm;
use crate::error::{Error, Result};
use crate::format::archive::{ArchiveWriter, PackOptions};
use crate::format::{self, VariablePlan, Writer};
use crate::location::{CreateOptions, Location, StoreKind, Target, remote, zip};
use crate::model::{Kind, Schema};
use crate::store::{Destination, Input, KeyOutput, Output, RawFiles, ReadBack, StagedKeys, StagedOutput};

/// An output that a writer has finished, and that has no name yet. Dropped, it leaves nothing.
pub struct Staged {
    kind: Store,
}

enum Store {
    /// One object; as a zip file, the folder that its keys are below.
    Object(Arc<dyn ReadBack>, Option<Option<String>>),
    /// One object with files for raw data.
    WithRawFiles(Arc<dyn ReadBack>, Arc<RawFiles>),
    Keys(Arc<StagedKeys>),
}

impl Staged {
    /// The output as an input, once the writer has finished.
    ///
    /// # Errors
    /// A zip file that cannot be read; a store that fails.
    pub fn input(&self, location: &Location) -> Result<Input> {
        let cannot = |e| Error::io("cannot read what was written", e);
        let written = |object: &Arc<dyn ReadBack>| object.clone().written().map_err(cannot);
        Ok(match &self.kind {
            Store::Object(object, None) => Input::object(location.name(), written(object)?),
            Store::WithRawFiles(object, raw) => {
                Input::object(location.name(), written(object)?).with_external_files(raw.clone())
            }
            Store::Object(object, Some(folder)) => {
                let folder = folder.as_deref().unwrap_or_default();
                Input::keys(location.name(), zip::open(written(object)?, Some(folder))?)
            }
            Store::Keys(keys) => Input::keys(location.name(), keys.written().map_err(cannot)?),
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
    /// finishes, but when [`Staged::release`] is called.
    ///
    /// # Errors
    /// Those of [`Location::create_with`].
    pub fn create_staged(
        &self,
        schema: &Schema,
        plans: &[VariablePlan],
        blocks: Option<PackOptions>,
        options: &CreateOptions,
    ) -> Result<(Box<dyn Writer>, Staged)> {
        format::check(schema).map_err(self.named())?;
        let (destination, held) = self.stage_destination(schema, plans, options)?;
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

    /// The output for a dataset that a caller writes, like [`Location::create_staged`].
    ///
    /// # Errors
    /// The output cannot be created.
    pub fn stage_destination(
        &self,
        schema: &Schema,
        plans: &[VariablePlan],
        options: &CreateOptions,
    ) -> Result<(Destination, Staged)> {
        // On a remote store, what can be known to fail fails before anything is written.
        if self.is_remote() {
            self.check_create(schema, plans)?;
        }
        if !schema.kind.can().references {
            self.check_room(plans)?;
        }
        let raw = self.raw_files(schema, plans)?;
        self.stage(schema.kind, options, expected_size(plans), raw)
    }

    /// A file for bytes that a caller writes, like [`Location::output`]. It does not appear before [`Staged::release`].
    ///
    /// # Errors
    /// Those of [`Location::stage_destination`].
    pub fn stage_output(&self) -> Result<(Arc<dyn Output>, Staged)> {
        let object = self.staged_object(&CreateOptions::default(), None)?;
        let kind = Store::Object(object.clone(), None);
        Ok((object, Staged { kind }))
    }

    /// One object that is held back. `expected` is its size in bytes, roughly.
    fn staged_object(&self, options: &CreateOptions, expected: Option<u64>) -> Result<Arc<dyn ReadBack>> {
        if let Target::Remote(url) = &self.target {
            let (session, memory) = self.session(url, options).map_err(self.named())?;
            return remote::staged_object(session, url, memory, expected).map_err(self.named());
        }
        Ok(Arc::new(StagedOutput::new(
            self.object_output(options, expected)?,
        )))
    }

    fn stage(
        &self,
        kind: Kind,
        options: &CreateOptions,
        expected: Option<u64>,
        raw: Option<Arc<RawFiles>>,
    ) -> Result<(Destination, Staged)> {
        if is_zarr(kind) && self.store() == StoreKind::Directory {
            let keys = Arc::new(StagedKeys::new(self.key_output(kind, options, None)?));
            let output: Arc<dyn KeyOutput> = keys.clone();
            let kind = Store::Keys(keys);
            return Ok((Destination::keys(self.name(), output), Staged { kind }));
        }
        if let Some(raw) = raw {
            // Raw data lies beside local files only.
            let output = raw.beside(self.object_output(options, None)?);
            let object: Arc<dyn ReadBack> = Arc::new(StagedOutput::new(output));
            let destination = Destination::object(self.name(), object.clone()).with_raw_files(raw.clone());
            let kind = Store::WithRawFiles(object, raw);
            return Ok((destination, Staged { kind }));
        }
        let form = kind.can().references.then(|| self.reference_form(kind));
        if let Some(form @ (ReferenceForm::Parquet | ReferenceForm::Repository(_))) = form {
            let keys = Arc::new(StagedKeys::new(self.reference_folder(form, options)?));
            let output = form.in_folder(keys.clone());
            let kind = Store::Keys(keys);
            return Ok((Destination::keys(self.name(), output), Staged { kind }));
        }
        let object = self.staged_object(options, expected)?;
        let output: Arc<dyn Output> = object.clone();
        if let Some(ReferenceForm::Json { compressed }) = form {
            let keys = self.references_in_file(output, compressed)?;
            let kind = Store::Object(object, None);
            return Ok((Destination::keys(self.name(), keys), Staged { kind }));
        }
        if !is_zarr(kind) {
            let kind = Store::Object(object, None);
            return Ok((Destination::object(self.name(), output), Staged { kind }));
        }
        let folder = self.top_folder(kind);
        let keys = zip::create(output, folder.as_deref()).map_err(self.named())?;
        let kind = Store::Object(object, Some(folder));
        Ok((Destination::keys(self.name(), keys), Staged { kind }))
    }
}
