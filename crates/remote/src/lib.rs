#![doc = include_str!("../README.md")]
//!
//! # Parts
//!
//! ```text
//! RemoteUrl, Settings
//!         │
//!         ▼
//! connect: stores of object_store for each provider ─► requests: Session, retries, limit of requests
//!         │                                                  ▲
//! transport, wire: TLS, proxy; every request, every answer   │
//!                                    read: objects, keys, downloads that go on where they broke
//!                                    write: uploads in parts, outputs of one object
//!                                    tree: how a tree of keys is published, and replaced
//! ```
//!
//! Folders know those above them in this list: `transport`, `wire`, `requests`, `connect`, `read`, `write`, `tree`.

mod connect;
mod read;
mod requests;
#[cfg(test)]
mod tests;
mod transport;
mod tree;
mod wire;
mod write;

pub use connect::connect;
pub use read::{OpenedObject, RemoteExternalFiles, RemoteKeys, RemoteObject, RemoteQueries, states};
pub use requests::{RemoteStore, Session};
pub use tree::{Claim, GrowingTree, KeysCheck, NotClaimed, Replaced, SharedKeys, TreeOutput};
pub use wire::{Failure, Meaning};
pub use write::{ObjectOutput, StagedObject};
