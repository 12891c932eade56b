//! Remote stores: what a URL names, with which settings it is reached, and the requests.
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
//! Folders know those above them in this list: [`url`], [`settings`], `transport`, `wire`, `requests`, `connect`, `read`, `write`, `tree`.

#[cfg(feature = "remote")]
pub(crate) mod connect;
mod environment;
#[cfg(all(test, feature = "remote"))]
pub(crate) mod faulty_store;
#[cfg(feature = "remote")]
pub(crate) mod read;
#[cfg(feature = "remote")]
pub(crate) mod requests;
mod secret;
pub mod settings;
#[cfg(all(test, feature = "remote"))]
mod test_server;
#[cfg(feature = "remote")]
mod transport;
#[cfg(feature = "remote")]
pub(crate) mod tree;
pub mod url;
mod usage;
#[cfg(feature = "remote")]
pub(crate) mod wire;
#[cfg(feature = "remote")]
pub(crate) mod write;

pub use environment::{ConfigurationFile, Environment, ProcessEnvironment};
pub use secret::{Login, Secret};
pub use settings::Settings;
pub use url::{Asked, Form, Operator, Provider, RemoteUrl, Server, Style, Typed};
