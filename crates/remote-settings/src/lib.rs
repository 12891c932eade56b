#![doc = include_str!("../README.md")]
//!
//! # Parts
//!
//! ```text
//! name ─► url ─► RemoteUrl ─┐
//!                           ├─► settings ─► Settings: credentials, region, endpoint, TLS, proxy, login, each with its source
//! Environment: variables, files ┘
//! ```

mod environment;
mod secret;
pub mod settings;
mod timeout;
pub mod url;

pub use environment::{ConfigurationFile, Environment, ProcessEnvironment};
pub use secret::{Login, Secret};
pub use settings::Settings;
pub use timeout::{set_timeout, tell_silent_host, tell_waits, timeout};
pub use url::{Asked, Endpoint, Form, Provider, ProviderParts, RemoteUrl, Style, Typed};
