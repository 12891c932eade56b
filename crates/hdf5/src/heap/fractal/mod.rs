//! Reading fractal heaps (specification section III.G), which hold many small objects and a few large ones. Writing is in
//! `writer/heap/fractal`.
//!
//! A heap identifier tells which of three kinds its object is:
//!
//! - *managed*: at an offset in the heap's own address space, in a [direct block](blocks) found by
//!   [`DoublingTable`](super::fractal::doubling_table::DoublingTable)s;
//! - *huge*: anywhere in the file, at an address in the identifier, or in a version 2 B-tree under the identifier's
//!   key;
//! - *tiny*: in the identifier itself.
//!
//! A heap may have filters, for example in a group created with filters. Then each direct block and each huge object is
//! filtered as a whole.

mod blocks;
mod doubling_table;
mod header;
mod heap;

pub(crate) use heap::FractalHeap;
