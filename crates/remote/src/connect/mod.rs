//! From a URL and its settings to a session: a store of `object_store` for each provider, and its credentials.
//!
//! ```text
//! Settings ─► Connection ─┬─ s3: builder, keys (access_keys, container) ─┐
//!              ▲          ├─ gcs, azure: builders of object_store ───────┼─► Session
//!              │          └─ http_store: plain HTTP ─────────────────────┘
//!             SharedClient: what all sessions with one server share
//! ```

mod access_keys;
mod azure;
mod connection;
mod container;
mod gcs;
mod http_store;
mod no_retries;
mod s3;
mod secrets;
mod shared_client;

pub use connection::connect;
