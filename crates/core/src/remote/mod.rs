//! Remote stores: what a URL names, with which settings it is reached, and the requests.
//!
//! ```text
//! name ─ location ─► RemoteUrl ─┐
//!                               ├─► Settings: credentials, region, endpoint, TLS, proxy, login, each with its source
//! Environment: variables, files ┘       │
//!                                       ▼
//!                                    network: the requests
//! ```

mod environment;
#[cfg(feature = "remote")]
pub(crate) mod network;
mod secret;
pub mod settings;
mod url;

pub use environment::{ConfigurationFile, Environment, ProcessEnvironment};
pub use secret::{Login, Secret};
pub use settings::Settings;
pub use url::{Asked, Form, Operator, Provider, RemoteUrl, Server, Style, Typed};
