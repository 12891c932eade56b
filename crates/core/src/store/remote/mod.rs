//! Remote stores: what a URL names, with which settings it is reached, and the requests.
//!
//! ```text
//! name ─ location ─► RemoteUrl ─┐
//!                               ├─► Settings: credentials, region, endpoint, TLS, proxy, login, each with its source
//! Environment: variables, files ┘       │
//!                                       ▼
//!                                    Session: retries, limit of requests ─► object_store ─► HTTP
//!                                       ▲
//! Output, KeyOutput ─► ObjectOutput, TreeOutput ─► Upload: parts ─► Sending: memory, failures
//! ```

#[cfg(feature = "remote")]
mod access_keys;
#[cfg(feature = "remote")]
mod client;
#[cfg(feature = "remote")]
mod connect;
#[cfg(feature = "remote")]
mod date;
mod environment;
#[cfg(feature = "remote")]
pub(crate) mod failure;
#[cfg(feature = "remote")]
mod fault;
#[cfg(all(test, feature = "remote"))]
mod faulty_store;
#[cfg(feature = "remote")]
mod http_store;
#[cfg(feature = "remote")]
mod limiter;
#[cfg(feature = "remote")]
mod object_output;
#[cfg(feature = "remote")]
mod part_table;
#[cfg(feature = "remote")]
mod redirect;
#[cfg(feature = "remote")]
mod resolver;
#[cfg(feature = "remote")]
mod runtime;
mod secret;
#[cfg(feature = "remote")]
mod sending;
#[cfg(feature = "remote")]
mod service;
#[cfg(feature = "remote")]
pub(crate) mod session;
pub mod settings;
#[cfg(feature = "remote")]
mod tree_claim;
#[cfg(feature = "remote")]
mod tree_objects;
#[cfg(feature = "remote")]
mod tree_output;
#[cfg(feature = "remote")]
mod tree_switch;
#[cfg(feature = "remote")]
mod upload;
mod url;

pub use environment::{ConfigurationFile, Environment, ProcessEnvironment};
#[cfg(all(test, feature = "remote"))]
pub(crate) use faulty_store::contents;
#[cfg(feature = "remote")]
pub(crate) use object_output::ObjectOutput;
pub use secret::{Login, Secret};
#[cfg(feature = "remote")]
pub(crate) use tree_claim::NotClaimed;
#[cfg(feature = "remote")]
pub(crate) use tree_output::TreeOutput;
pub use url::{Asked, Form, Operator, Provider, RemoteUrl, Server, Style, Typed};
