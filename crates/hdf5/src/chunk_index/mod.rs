//! Chunk indexes (specification section VII, and III.A.1 for version 1 B-trees): find the address of each stored chunk.
//!
//! ```text
//! Dataset ─► layout.index ─┬─ version 1 B-tree  ─┐
//!                          ├─ single chunk       │   scaled coordinates,        ┌───────────┐
//!                          ├─ implicit           ├─► address, size, mask  ─────►│ ChunkGrid │─► ChunkTable
//!                          ├─ fixed array        │   of every stored chunk      └───────────┘
//!                          ├─ extensible array   │                         drops what is outside
//!                          └─ version 2 B-tree  ─┘                         the present extent
//! ```
//!
//! An index is read once, into a [`ChunkTable`], in which chunks are looked up (`table.rs`). A short one is kept in memory, packed (`packed.rs`).
//! A long one stays in the file: its table holds the places of its parts (`runs.rs`), and reads a part again when one of its chunks is asked
//! for. So memory grows little with the number of chunks.
//!
//! `entry.rs` decodes what an index stores of a chunk, and `loose_chunks.rs` finds chunks in files that have lost their index.

mod btree_v1;
mod btree_v2;
mod entry;
mod extensible_array;
mod extensible_array_shape;
mod fixed_array;
mod grid;
mod layout;
mod loose_chunks;
mod packed;
mod read;
mod record;
mod runs;
mod table;

pub(crate) use layout::IndexCreation;
pub use layout::{ChunkIndex, ChunkedLayout};
pub(crate) use loose_chunks::{LooseChunks, loose_chunks};
pub(crate) use read::chunk_table;
pub use record::ChunkRecord;
pub use table::ChunkTable;
