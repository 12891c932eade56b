//! The structures of the file: front, blocks, sections of the back.
//!
//! ```text
//! │ front: Prelude, header, Streams │ block: Header, stored bytes │ … │ END │ sections: indexes, directory, SHA-256 │ Footer │
//! ```
//!
//! Each is encoded and decoded here, field by field, and its checksum compared.

pub(super) mod back;
pub(super) mod block;
pub(super) mod fields;
pub(super) mod filter;
pub(super) mod footer;
pub(super) mod front;
pub(super) mod read;
pub(super) mod section;
pub(super) mod streams;
