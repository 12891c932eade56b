//! [`OverSources`]: a reader over others, which passes their virtual sources on.

use super::extensions::{Needs, VirtualSources};
use super::reader::Reader;
use crate::chunk::Region;
use crate::error::{Error, Result};
use crate::model::{Unclosed, Values, VarId};

/// A reader over others, which passes their virtual sources on.
pub trait OverSources: Reader {
    /// The reader that has a variable, and the variable there. `None` for a variable that is made here.
    fn below(&self, var: VarId) -> Option<(&dyn Reader, VarId)>;

    /// All readers below this one.
    fn all_below(&self) -> Vec<&dyn Reader>;

    /// See [`VirtualSources::resolve`].
    ///
    /// # Errors
    /// The same.
    fn resolve_below(&self, var: VarId, needs: Option<&Needs<'_>>) -> Result<()> {
        match (self.below(var), needs) {
            (None, _) => Ok(()),
            (Some((reader, var)), None) => reader.resolve_sources(var),
            (Some((reader, var)), Some(needs)) => reader.resolve_needed_sources(var, needs),
        }
    }
}

impl<T: OverSources> VirtualSources for T {
    fn resolve(&self, var: VarId, needs: Option<&Needs<'_>>) -> Result<()> {
        self.resolve_below(var, needs)
    }

    fn is_virtual(&self, var: VarId) -> bool {
        self.below(var)
            .is_some_and(|(reader, var)| reader.is_virtual(var))
    }

    fn misfit(&self, var: VarId, region: Option<&Region>) -> Result<Option<String>> {
        self.below(var)
            .map_or(Ok(None), |(reader, var)| reader.misfit(var, region))
    }

    fn read_region_left(
        &self,
        var: VarId,
        region: &Region,
        _: &mut dyn FnMut(Region, Error),
    ) -> Result<Values> {
        self.read_region(var, region)
    }

    fn fill_unreadable(&self) {
        for reader in self.all_below() {
            reader.fill_unreadable();
        }
    }

    fn unfinished_sources(&self) -> Vec<(String, Unclosed)> {
        let all = self.all_below().into_iter();
        all.flat_map(|reader| reader.unfinished_sources()).collect()
    }

    fn data_warnings(&self) -> Vec<String> {
        let all = self.all_below().into_iter();
        all.flat_map(|reader| reader.data_warnings()).collect()
    }
}
