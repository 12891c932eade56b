//! Outputs of references: kerchunk's JSON and Parquet, Icechunk repositories.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use super::checks::parquet_folder;
use super::destination::CreateOptions;
use crate::error::{Error, Result};
use crate::location::Location;
use crate::location::{Target, remote};
use crate::model::Kind;
use crate::store::references::icechunk::Specification;
use crate::store::{
    DirectoryOutput, FolderCheck, JsonReferenceOutput, KeyOutput, Output, ParquetReferenceOutput,
    RepositoryOutput,
};

/// The form in which references are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReferenceForm {
    /// One file of JSON, compressed as `.zst` files are or not.
    Json {
        /// True for a compressed file.
        compressed: bool,
    },
    /// A folder of Parquet files.
    Parquet,
    /// An Icechunk repository.
    Repository(Specification),
}

impl ReferenceForm {
    /// References in a folder of keys.
    pub(super) fn in_folder(self, keys: Arc<dyn KeyOutput>) -> Arc<dyn KeyOutput> {
        match self {
            Self::Repository(specification) => Arc::new(RepositoryOutput::new(keys, specification)),
            _ => Arc::new(ParquetReferenceOutput::new(keys)),
        }
    }
}

/// Checks that nothing is in a folder: a repository has snapshots that nobody else has.
fn check_empty(root: &Path) -> io::Result<()> {
    match fs::read_dir(root)?.next() {
        None => Ok(()),
        Some(_) => Err(io::Error::new(
            io::ErrorKind::DirectoryNotEmpty,
            "the folder is not empty, and a repository is never replaced; name another output, or remove the folder",
        )),
    }
}

impl Location {
    /// The form of references that a name asks for by its ending; `None` for any other name.
    pub(crate) fn references_by_name(&self) -> Option<ReferenceForm> {
        if let Some(mode) = &self.mode {
            return mode.snapshot.as_ref().map(|_| self.repository_form());
        }
        let name = self.file_name()?;
        let ends = |ending: &[u8]| name.as_bytes().ends_with(ending);
        if ends(b".json") {
            Some(ReferenceForm::Json { compressed: false })
        } else if ends(b".json.zst") {
            Some(ReferenceForm::Json { compressed: true })
        } else if ends(b".parq") || ends(b".parquet") {
            Some(ReferenceForm::Parquet)
        } else {
            None
        }
    }

    /// A repository of the specification that the name asks for.
    fn repository_form(&self) -> ReferenceForm {
        let asked = self.mode.as_ref().and_then(|mode| mode.specification);
        ReferenceForm::Repository(asked.unwrap_or_default())
    }

    /// The form of references that are written here.
    pub(crate) fn reference_form(&self, kind: Kind) -> ReferenceForm {
        if kind == Kind::Icechunk {
            return self.repository_form();
        }
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

    /// True if the output of references is an Icechunk repository, whose references are whole URLs.
    pub fn makes_repository(&self, asked: Option<Kind>) -> bool {
        match asked {
            Some(kind) => kind == Kind::Icechunk,
            None => matches!(self.references_by_name(), Some(ReferenceForm::Repository(_))),
        }
    }

    /// The output of references.
    ///
    /// # Errors
    /// Those of [`Location::destination`].
    pub(crate) fn reference_output(&self, kind: Kind, options: &CreateOptions) -> Result<Arc<dyn KeyOutput>> {
        match self.reference_form(kind) {
            ReferenceForm::Json { compressed } => {
                self.references_in_file(self.object_output(options, None)?, compressed)
            }
            form => Ok(form.in_folder(self.reference_folder(form, options)?)),
        }
    }

    /// The folder of references as a store of keys.
    pub(super) fn reference_folder(
        &self,
        form: ReferenceForm,
        options: &CreateOptions,
    ) -> Result<Arc<dyn KeyOutput>> {
        if let Target::Remote(url) = &self.target {
            let (session, memory) = self.session(url, options).map_err(self.named())?;
            let check: Option<fn(&[String]) -> io::Result<()>> = match form {
                ReferenceForm::Parquet if options.replaces => Some(parquet_folder::check_replaceable_keys),
                _ => None,
            };
            return remote::tree_of_references(session, url, memory, check).map_err(self.named());
        }
        let check: FolderCheck = match form {
            ReferenceForm::Repository(_) => Arc::new(check_empty),
            _ => Arc::new(parquet_folder::check_replaceable),
        };
        let output = DirectoryOutput::create_over(self.local_path()?, check);
        let output = output.map_err(|e| self.named()(Error::io("cannot create", e)))?;
        Ok(Arc::new(output))
    }

    /// References in one file.
    ///
    /// # Errors
    /// If there is no memory to compress.
    pub(super) fn references_in_file(
        &self,
        output: Arc<dyn Output>,
        compressed: bool,
    ) -> Result<Arc<dyn KeyOutput>> {
        let references = JsonReferenceOutput::create(output, compressed);
        let references = references.map_err(|e| self.named()(Error::io("cannot create", e)))?;
        Ok(Arc::new(references))
    }
}
