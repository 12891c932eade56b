//! Connections: TLS, proxy, cookies, and which addresses are reached.
//!
//! ```text
//! Settings ─► client ─┬─ TLS: certificates of the system, or named_certificates
//!                     ├─ cookies, proxy
//!                     └─ Resolver: name ─► addresses that may be reached
//! ```

mod client;
mod cookies;
mod named_certificates;
mod named_file;
mod resolver;
mod send;

pub(crate) use client::{client, innermost};
pub(crate) use cookies::cookies_of;
pub(crate) use resolver::{Limit, Resolver};
pub(crate) use send::send;
