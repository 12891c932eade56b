//! Groups: reads the links of old-style groups (symbol table) and new-style groups (messages, or dense storage in a
//! fractal heap).
//!
//! ```text
//! object header ─┬─ Symbol Table message ─► version 1 B-tree ─► symbol table nodes, names in a local heap ─┐
//!                ├─ Link messages ─────────────────────────────────────────────────────────────────────────┼─► Links
//!                └─ Link Info message ────► version 2 B-tree ─► Link messages in a fractal heap ───────────┘
//! ```

mod link;
mod links;
pub(crate) mod symbol_table;

pub use link::{Link, LinkTarget, Links};
pub(crate) use links::read;
