//! Every request and answer: redirects, checksums, and what is wrong with an answer.
//!
//! ```text
//! request ─► checksums ─► Service ─► client ─► redirect? ─► status ─► range ─► document ─► object_store
//!                                      └───────────┴──────────┴────────┴─────────┴─► Fault ─► Failure: what it means
//! ```
//!
//! No message holds what [`KnownSecrets`] knows.

mod checksums;
mod documents;
mod failure;
mod headers;
mod known_secrets;
mod range_answer;
mod redirect;
mod service;

pub(crate) use checksums::Checksum;
pub(crate) use failure::clean;
pub use failure::{Failure, Meaning};
pub(crate) use headers::{date, text};
pub(crate) use known_secrets::KnownSecrets;
pub(crate) use range_answer::content_range;
pub(crate) use redirect::Redirects;
pub(crate) use service::Service;
