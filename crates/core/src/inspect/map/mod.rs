//! A map of a dataset's bytes: sizes, the chunks of the largest variables, and what other storage would make of them.
//!
//! ```text
//! sizes ─► dataset_map ─┬─► tree: groups and variables by bytes
//!                       ├─► chunk_grid: how well each chunk is compressed
//!                       └─► alternatives: samples in other chunks and filters ◄─ reading: chunks that readers touch
//! ```

mod alternatives;
mod chunk_grid;
mod compression;
mod dataset_map;
mod reading;
mod tree;

pub use alternatives::{Alternative, Storing};
pub use chunk_grid::{Cell, ChunkMap};
pub use compression::Compression;
pub use dataset_map::{DatasetMap, VariableMap, map};
pub use reading::{Reading, Readings};
pub use tree::{GroupTree, Leaf};
