//! [`Routed`]: the routes of a variable's chunks.

use std::sync::Arc;

use crate::copy::geometry::{ChunksToWrite, InputMappings};
use crate::copy::task::Route;

/// The routes of a variable's chunks, with its inputs.
pub struct Routed {
    pub inputs: Arc<InputMappings>,
    /// Most variables have one. Together they make each chunk once.
    pub ways: Vec<Way>,
}

impl Routed {
    /// Number of chunks that will be written.
    pub fn chunks(&self) -> u64 {
        let chunks = self.ways.iter().map(|way| way.to_write.len());
        chunks.fold(0, u64::saturating_add)
    }
}

/// A route, and the chunks that go by it.
pub struct Way {
    pub route: Route,
    /// The chunks that will be written (slabs of a contiguous output count as chunks).
    pub to_write: ChunksToWrite,
}
