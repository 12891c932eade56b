//! Object headers (specification section IV.A): the messages that describe an object.
//!
//! ```text
//! address ─► header: prefix, and blocks that continuation messages lead to ─► messages: type, flags, data
//!                                                                                 │
//!                    message_type: numbers of the types      shared: a message that is stored in another header, or in
//!                                                            a heap of the file's shared_message_table
//! ```
//!
//! [`messages`](crate::messages) decodes their data.

mod continuation;
mod header;
mod header_blocks;
pub(crate) mod message_type;
pub(crate) mod properties;
pub(crate) mod shared;
mod shared_message_table;

pub(crate) use header::ObjectHeader;
pub(crate) use header_blocks::HeaderBlocks;
pub use properties::{CreationOrder, ObjectProperties};
pub(crate) use shared::SharedMessages;
pub(crate) use shared_message_table::{MessageIndex, SharedMessageTable};
