//! The objects that references lead to, as the other files that a dataset refers to.

use super::reader::ZarrReader;
use crate::format::{OtherFiles, SourceFile};
use crate::store::{NamedAs, ReferencedObject};

impl OtherFiles for ZarrReader {
    fn source_files(&self) -> Vec<SourceFile> {
        let file = |name: String, found| SourceFile {
            named_by: String::new(),
            named_as: NamedAs::Reference,
            name,
            found,
        };
        match self.store.referenced_objects() {
            Ok(all) => {
                let all = all.into_iter();
                all.map(|ReferencedObject { name, found }| file(name, found))
                    .collect()
            }
            Err(why) => vec![file(String::new(), Err(format!("cannot be listed: {why}")))],
        }
    }
}
