//! The values of a variable: where in the text they stand, and how many there are.

use crate::model::DimId;

/// A data statement as the first pass finds it.
#[derive(Debug, Clone)]
pub struct DataList {
    lengths: Vec<(DimId, u64)>,
}

impl DataList {
    /// What the unlimited dimensions of its variable must at least be for it, in elements.
    pub fn lengths(&self) -> &[(DimId, u64)] {
        &self.lengths
    }
}
