#![doc = include_str!("../README.md")]
//!
//! # Parts
//!
//! ```text
//! name ─► url ─► RemoteUrl ─┐
//!                           ├─► settings ─► Settings: credentials, region, endpoint, TLS, proxy, login, each with its source
//! Environment: variables, files ┘    │
//!                                    ▼
//!            connect: stores of object_store for each provider ─► requests: Session, retries, limit of requests
//!                                    │                                  ▲
//!      transport, wire: TLS, proxy; every request, every answer         │
//!                                                  read: objects, keys, downloads that go on where they broke
//!                                                  write: uploads in parts, outputs of one object
//!                                                  tree: how a tree of keys is published, and replaced
//! ```
//!
//! Folders know those above them in this list: [`url`], [`settings`], `transport`, `wire`, `requests`,
//! `connect`, `read`, `write`, `tree`.

#[cfg(feature = "network")]
mod connect;
mod environment;
mod patience;
#[cfg(feature = "network")]
mod read;
#[cfg(feature = "network")]
mod requests;
mod secret;
pub mod settings;
#[cfg(all(test, feature = "network"))]
mod tests;
#[cfg(feature = "network")]
mod transport;
#[cfg(feature = "network")]
mod tree;
pub mod url;
mod usage;
#[cfg(feature = "network")]
mod wire;
#[cfg(feature = "network")]
mod write;

pub use environment::{ConfigurationFile, Environment, ProcessEnvironment};
pub use patience::{set_timeout, tell_waits};
pub use secret::{Login, Secret};
pub use settings::Settings;
pub use url::{Asked, Endpoint, Form, Provider, ProviderParts, RemoteUrl, Style, Typed};
#[cfg(feature = "network")]
pub use {
    connect::connect,
    read::{OpenedObject, RemoteExternalFiles, RemoteKeys, RemoteObject, RemoteQueries, states},
    requests::{RemoteStore, Session},
    tree::{GrowingTree, KeysCheck, NotClaimed, Replaced, Run, SharedKeys, TreeOutput},
    wire::{Failure, Meaning},
    write::{ObjectOutput, StagedObject},
};
