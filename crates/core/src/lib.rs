//! The netCDF library of ncutils: data model, formats, filters, and the copy engine.
//!
//! ```text
//! args ─► Location ─► format::open ─► Schema ──► copy::plan ──► Writer::create
//!                           │                        │                │
//!                           ├── encoded chunks ──► copy::run, threads ┴─► finish: atomic commit
//!                           ├── values ─► stream ─► print
//!                           └── chunks, values ─► integrity: check, digest, compare, salvage, verify
//! ```
//!
//! A dataset is a [`model::Schema`] and chunks of encoded bytes; every format is a way to store these two.
//! Arrows go one way: binaries → cdl, print, integrity → copy, stream → subset → format → store, filter, chunk → model.

pub mod cdl;
pub mod chunk;
pub mod copy;
mod diagnostic;
pub mod error;
pub mod filter;
pub mod format;
pub mod integrity;
pub mod location;
pub mod message;
pub mod model;
mod not_finite;
pub mod print;
pub mod remote;
pub mod store;
mod stream;
pub mod subset;
mod threads;
pub mod time;

pub use diagnostic::Diagnostic;
pub use error::{Error, Result};
