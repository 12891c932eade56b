//! Fractal heaps (specification section III.G), laid out in one step from the sizes of all their objects.
//!
//! ```text
//! sizes ─► place: offsets in the heap ─► blocks and huge objects get positions in the file ─┬─► id of each object
//!            └─ doubling table                                                               └─► encode: bytes
//! ```
//!
//! Managed objects fill direct blocks in the order of the heap's own address space, in which the blocks of successive
//! rows double in size. Direct blocks that are too small for the next object are skipped, and not allocated. Objects
//! above the managed maximum are huge: each has its own place in the file, and a version 2 B-tree indexes them. There
//! is no free-space manager; the library makes one when it first frees space.

mod doubling_table;
mod encode;
mod heap_layout;

pub(crate) use doubling_table::HeapParameters;
pub(crate) use heap_layout::HeapLayout;
