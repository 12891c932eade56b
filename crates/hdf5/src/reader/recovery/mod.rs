//! Finds the objects of a damaged file that no way from the root leads to any more.
//!
//! ```text
//! superblock, or base: where the file begins, if the superblock is lost
//!     └─► reach: what links still lead to ─► all is sound: done
//!             │ something is broken
//! bytes of the file ─► scan: signatures, and old_header: headers without one
//!                   │
//!                   ├─► orphans: headers that nothing leads to, without those inside data, and those that were deleted
//!                   ├─► names: links in lost symbol tables, heaps and header blocks
//!                   └─► recover ─► Recovery: links to add to groups, groups without a header, another root
//! chunk index that cannot be read ─► chunk_nodes:  leaves of the version 1 B-tree that the scan found
//!                                 └► record_nodes: nodes of the version 2 B-tree
//!                                 └► array_blocks: blocks of an array
//! index of attributes ─► attribute_nodes: nodes of it
//! ```
//!
//! [`File`](crate::File) asks the [`Recovery`] where it reads links, headers and chunk indexes. So what was found is a
//! part of the same hierarchy, and whoever reads a file reads it like the rest.
//!
//! **What is a header.** A version 2 header has a signature and a checksum. A version 1 header has neither: its messages
//! must fill it exactly, be of known types, and be as many as it says. A dataset needs a dataspace, a datatype and a
//! layout that fit together.
//!
//! **Which names.** A link is believed if it leads to a header. Links in the heap of a group whose header is there
//! belong to that group. If the header of a single group is lost, links of no known group belong to it. Objects without
//! a known group go below the group `recovered`, by their name if one is known, else as `dataset_0x1a2b`, by their
//! address.
//!
//! **Never wrong numbers.** libhdf5 does not wipe what it frees, so the scan also meets datasets that were deleted, and
//! old nodes of B-trees. A dataset without a link whose data overlaps other data is left out. A leaf of chunks belongs
//! to a dataset if a sibling of it does, or if nothing else can own it; else it is left out. Nodes of version 2 B-trees
//! name no siblings. Blocks of arrays name their header.

mod array_blocks;
mod attribute_nodes;
mod base;
mod chunk_nodes;
mod names;
mod old_header;
mod orphans;
mod raw_data;
mod reach;
mod record_nodes;
mod recover;
mod scan;

pub(super) use base::find as find_base;
pub use recover::Recovered;
pub(super) use recover::Recovery;
