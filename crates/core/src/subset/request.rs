//! [`SubsetRequest`]: which cells are asked for.

use super::index::IndexRequest;
use super::value::ValueRequest;

/// The dimensions to cut, and how. The default cuts none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SubsetRequest {
    /// By indices.
    pub indices: Vec<IndexRequest>,
    /// By values of coordinates.
    pub values: Vec<ValueRequest>,
}

impl SubsetRequest {
    /// True if the part is the whole dataset.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty() && self.values.is_empty()
    }
}
