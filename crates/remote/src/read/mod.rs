//! Reading: one object range by range, a tree of keys, lists of keys.
//!
//! ```text
//! RemoteObject: ranges ─┬─► get, fetch: one version ─► Download: goes on where it broke ─► Session
//! RemoteKeys: values ───┤
//!             lists ────┴─► Listing: goes on behind the last key ────────────────────────► Session
//! ```

mod download;
mod get;
mod keys;
mod listing;
mod neighbours;
mod object;

pub(crate) use download::{Download, Received};
pub(crate) use get::head;
pub use keys::RemoteKeys;
pub(crate) use listing::Listing;
pub use neighbours::RemoteNeighbours;
pub use object::{OpenedObject, RemoteObject};
