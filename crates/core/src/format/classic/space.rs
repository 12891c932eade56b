//! Counts the bytes of a classic file by the arithmetic of its header.

use super::reader::ClassicReader;
use crate::error::Result;
use crate::format::{Space, SpaceSurvey, VariableSpace};

impl SpaceSurvey for ClassicReader {
    /// What lies between the header and the first variable, or behind the last, is unused. The padding of the last piece may be
    /// missing in the file.
    fn space(&self) -> Result<Space> {
        let slabs = |record: bool| if record { self.geometry.records } else { 1 };
        let padding = |sum: u64, place| {
            let each: u64 = self.geometry.padding(place);
            sum.saturating_add(each.saturating_mul(slabs(place.record)))
        };
        let mut space = Space {
            total: self.size,
            metadata: Some(self.header),
            others: Some(0),
            padding: self.places.iter().fold(0, padding),
            unused: None,
            variables: self
                .places
                .iter()
                .map(|place| VariableSpace::one_piece(self.geometry.total(place)))
                .collect(),
        };
        let used = self.header.saturating_add(space.data().unwrap_or(0));
        if let Some(total) = self.size {
            space.padding = space.padding.min(total.saturating_sub(used));
            space.unused = Some(total.saturating_sub(used.saturating_add(space.padding)));
        }
        Ok(space)
    }
}
