//! Counts the bytes of an archive by the indexes of its streams.

use super::reader::ArchiveReader;
use crate::error::{Error, Result};
use crate::format::{Reader, Space, SpaceSurvey, VariableSpace};
use crate::model::VarId;
use crate::store::known_size;

impl SpaceSurvey for ArchiveReader {
    /// Each block counts with its header. The front, the back, and the blocks of what no variable has are metadata.
    fn space(&self) -> Result<Space> {
        let mut space = Space::default();
        for n in 0..self.schema().vars.len() {
            let named = |e: Error| e.in_variable(&self.schema().var_path(VarId(n)));
            let index = self.archive.index(n).map_err(named)?;
            let bytes = index.stored().map_err(named)?;
            space.variables.push(VariableSpace {
                chunks: Some(index.len() as u64),
                ..VariableSpace::one_piece(bytes)
            });
        }
        let total = known_size(&*self.archive.source)?;
        space.total = Some(total);
        space.metadata = Some(total.saturating_sub(space.data().unwrap_or(0)));
        (space.others, space.unused) = (Some(0), Some(0));
        Ok(space)
    }
}
