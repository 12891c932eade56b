//! Remote stores: what a URL names, and with which settings it is reached. No request is made here yet.
//!
//! ```text
//! name ─ location ─► RemoteUrl ─┐
//!                               ├─► Settings: credentials, region, endpoint, TLS, proxy, login, each with its source
//! Environment: variables, files ┘
//! ```

mod environment;
mod secret;
pub mod settings;
mod url;

pub use environment::{ConfigurationFile, Environment, ProcessEnvironment};
pub use secret::{Login, Secret};
pub use url::{Asked, Form, Operator, Provider, RemoteUrl, Server, Style, Typed};
