//! The requests to remote stores, and what is read and written with them.
//!
//! ```text
//! Settings ─► Session: retries, limit of requests ─► object_store ─► HTTP
//!                │
//!                ├─► RemoteObject, RemoteKeys, RemoteNeighbours
//!                └─► ObjectOutput, StagedObject, TreeOutput ─► Upload: parts ─► Sending: memory, failures
//! ```

mod access_keys;
mod checksums;
mod client;
mod connect;
mod date;
mod documents;
mod download;
pub(crate) mod failure;
mod fault;
#[cfg(test)]
mod faulty_store;
mod http_store;
mod keys;
mod known_secrets;
mod limiter;
mod listing;
mod metadata_order;
mod named_certificates;
mod neighbours;
mod object;
mod object_output;
mod pages;
mod part_table;
mod range_answer;
mod redirect;
mod resolver;
mod runtime;
mod seen_versions;
mod sending;
mod service;
pub(crate) mod session;
mod signature;
mod staged_keys;
mod staged_object;
#[cfg(test)]
mod test_server;
mod tree_claim;
mod tree_objects;
mod tree_output;
mod tree_switch;
mod upload;

#[cfg(test)]
pub(crate) use faulty_store::contents;
pub(crate) use keys::RemoteKeys;
pub(crate) use neighbours::RemoteNeighbours;
pub(crate) use object::{OpenedObject, RemoteObject};
pub(crate) use object_output::ObjectOutput;
pub(crate) use staged_object::StagedObject;
pub(crate) use tree_claim::{NotClaimed, Replaced};
pub(crate) use tree_output::{KeysCheck, TreeOutput};
