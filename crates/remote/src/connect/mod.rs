//! From a URL and its settings to a session: a store of `object_store` for each provider, and its credentials.
//!
//! ```text
//! Settings ─► Connection ─┬─ access_keys, container: keys of S3 ─┐
//!              ▲          ├─ stores: S3, Google, Azure ──────────┼─► Session
//!              │          └─ http_store: plain HTTP ─────────────┘
//!             SharedClient: what all sessions with one server share
//! ```

mod access_keys;
mod connection;
mod container;
mod http_store;
mod secrets;
mod shared_client;
mod stores;

pub use connection::connect;
