//! Outputs of references: kerchunk's JSON and Parquet.

use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use super::destination::CreateOptions;
use crate::error::{Error, Result};
use crate::location::Location;
use crate::model::Kind;
use crate::store::{JsonReferences, KeyOutput, Output};

/// The form in which references are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReferenceForm {
    /// One file of JSON, compressed as `.zst` files are or not.
    Json {
        /// True for a compressed file.
        compressed: bool,
    },
}

impl Location {
    /// The form of references that a name asks for by its ending; `None` for any other name.
    pub(crate) fn references_by_name(&self) -> Option<ReferenceForm> {
        if self.mode.is_some() {
            return None;
        }
        let name = self.file_name()?;
        let ends = |ending: &[u8]| name.as_bytes().ends_with(ending);
        if ends(b".json") {
            Some(ReferenceForm::Json { compressed: false })
        } else if ends(b".json.zst") {
            Some(ReferenceForm::Json { compressed: true })
        } else {
            None
        }
    }

    /// The form of references that are written here.
    pub(crate) fn reference_form(&self) -> ReferenceForm {
        let compressed = self
            .file_name()
            .is_some_and(|name| name.as_bytes().ends_with(b".zst"));
        let form = self.references_by_name();
        form.unwrap_or(ReferenceForm::Json { compressed })
    }

    /// True if the output is of references, as its name or the kind that is asked for tells.
    pub fn makes_references(&self, asked: Option<Kind>) -> bool {
        match asked {
            Some(kind) => kind.can().references,
            None => self.references_by_name().is_some(),
        }
    }

    /// The output of references.
    ///
    /// # Errors
    /// Those of [`Location::destination`].
    pub(crate) fn reference_output(&self, options: &CreateOptions) -> Result<Arc<dyn KeyOutput>> {
        match self.reference_form() {
            ReferenceForm::Json { .. } => self.references_in(self.object_output(options, None)?),
        }
    }

    /// References in one file.
    ///
    /// # Errors
    /// If there is no memory to compress.
    pub(crate) fn references_in(&self, output: Arc<dyn Output>) -> Result<Arc<dyn KeyOutput>> {
        let ReferenceForm::Json { compressed } = self.reference_form();
        let references = JsonReferences::create(output, compressed);
        let references = references.map_err(|e| self.named()(Error::io("cannot create", e)))?;
        Ok(Arc::new(references))
    }
}
