//! Reading: one object range by range, a tree of keys, lists of keys.
//!
//! ```text
//! RemoteObject: ranges ─┬─► get, fetch: one version ─► Download: goes on where it broke ─► Session
//! RemoteKeys: values ───┤
//! states ───────────────┤
//! RemoteQueries: answers, whole ─────────────────────────────────────────────────────────► Session
//!             lists ────┴─► Listing: goes on behind the last key ────────────────────────► Session
//! ```

mod body;
mod download;
mod external_files;
mod get;
mod keys;
mod listing;
mod object;
mod queries;

pub(crate) use download::{Download, Received};
pub use external_files::RemoteExternalFiles;
pub(crate) use get::head;
pub use get::states;
pub use keys::RemoteKeys;
pub(crate) use listing::Listing;
pub use object::{OpenedObject, RemoteObject};
pub use queries::RemoteQueries;
