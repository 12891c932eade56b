//! The objects that references lead to, as the other files that a dataset refers to.

use super::reader::ZarrReader;
use crate::chunk::Region;
use crate::error::{Error, Result};
use crate::format::{Needs, Reader, SourceFile, VirtualSources};
use crate::model::{Unfinished, Values, VarId};
use crate::store::{NamedAs, ReferencedObject};

impl VirtualSources for ZarrReader {
    fn resolve(&self, _: VarId, _: Option<&Needs<'_>>) -> Result<()> {
        Ok(())
    }

    fn is_virtual(&self, _: VarId) -> bool {
        false
    }

    fn read_region_left(
        &self,
        var: VarId,
        region: &Region,
        _: &mut dyn FnMut(Region, Error),
    ) -> Result<Values> {
        self.read_region(var, region)
    }

    fn fill_unreadable(&self) {}

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

    fn unfinished_sources(&self) -> Vec<(String, Unfinished)> {
        Vec::new()
    }

    fn data_warnings(&self) -> Vec<String> {
        Vec::new()
    }
}
