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
pub use keys::RemoteKeys;
pub(crate) use listing::Listing;
pub use neighbours::RemoteNeighbours;
pub(crate) use object::size;
pub use object::{OpenedObject, RemoteObject};
