//! Reading: one object range by range, a tree of keys, lists of keys.
//!
//! ```text
//! RemoteObject: ranges ─┬─► Download: goes on where it broke, and brings one version ─► Session
//! RemoteKeys: values ───┤
//!             lists ────┴─► Listing: goes on behind the last key ─────────────────────► Session
//! ```

mod download;
mod keys;
mod listing;
mod neighbours;
mod object;

pub(crate) use download::is_web_page;
pub(crate) use keys::RemoteKeys;
pub(crate) use listing::Listing;
pub(crate) use neighbours::RemoteNeighbours;
pub(crate) use object::{OpenedObject, RemoteObject, size};
