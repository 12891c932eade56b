//! Indexes: where the blocks of each stream are.
//!
//! ```text
//! block headers ─► StreamEntry ─► StreamIndex ─► EntryStore: memory, then a temporary file
//!                                      └───────► index_section: written, compared and read
//! ```

pub(super) mod entry;
pub(super) mod entry_store;
pub(super) mod index_section;
pub(super) mod stream_index;
