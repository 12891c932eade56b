//! The objects that references lead to, as the other files that a dataset refers to.

use super::reader::ZarrReader;
use crate::error::{Error, Result};
use crate::format::{OtherFiles, SourceFile};
use crate::store::{NamedAs, ReferencedObject, Sought};

impl OtherFiles for ZarrReader {
    fn source_files(&self) -> Result<Vec<SourceFile>> {
        let file = |ReferencedObject { name, found }| SourceFile {
            named_by: String::new(),
            named_as: NamedAs::Reference,
            name,
            found,
        };
        let all = self.store.referenced_objects();
        let all = all.map_err(|e| Error::io("cannot list the objects of references", e))?;
        Ok(all.into_iter().map(file).collect())
    }

    fn find_source(&self, sought: &Sought<'_>) -> Result<Option<String>> {
        let found = self.store.find_referenced(sought);
        found.map_err(|e| Error::io("cannot list the objects of references", e))
    }
}
