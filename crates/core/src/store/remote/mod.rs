//! Remote stores: what a URL names, with which settings it is reached, and the requests.
//!
//! ```text
//! name ─ location ─► RemoteUrl ─┐
//!                               ├─► Settings: credentials, region, endpoint, TLS, proxy, login, each with its source
//! Environment: variables, files ┘       │
//!                                       ▼
//!                                    Session: retries, limit of requests ─► object_store ─► HTTP
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
#[cfg(feature = "remote")]
mod http_store;
#[cfg(feature = "remote")]
mod limiter;
#[cfg(feature = "remote")]
mod redirect;
#[cfg(feature = "remote")]
mod resolver;
#[cfg(feature = "remote")]
mod runtime;
mod secret;
#[cfg(feature = "remote")]
mod service;
#[cfg(feature = "remote")]
pub(crate) mod session;
pub mod settings;
mod url;

pub use environment::{ConfigurationFile, Environment, ProcessEnvironment};
pub use secret::{Login, Secret};
pub use url::{Asked, Form, Operator, Provider, RemoteUrl, Server, Style, Typed};
