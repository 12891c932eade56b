//! The netCDF library of ncutils: data model, formats, filters, and the copy engine.
//!
//! ```text
//! args ─► Location ─► format::open ─► Schema ──► copy::plan ──► Writer::create
//!                           │                        │                │
//!                           ├── encoded chunks ──► copy::run, threads ┴─► finish: atomic commit
//!                           ├── values ─► stream ─► print
//!                           ├── chunks, values ─► integrity: check, digest, compare, salvage, verify
//!                           ├── chunk indexes ─► inspect: sizes
//!                           └── parts of a copy ─► distributed: one dataset of many processes
//! ```
//!
//! A dataset is a [`model::Schema`] and chunks of encoded bytes; every format is a way to store these two.
//! Arrows go one way: cdl, print, integrity, inspect, distributed → view, copy, stream, location → join → subset → format, and from all of them to the crates
//! that are re-exported here. `docs/architecture.md` has the layers of the workspace.

pub mod cdl;
pub mod copy;
pub mod distributed;
pub mod format;
pub mod inspect;
pub mod integrity;
pub mod join;
pub mod location;
pub mod print;
mod stream;
pub mod subset;
pub mod view;

pub use ncutils_filter as filter;
pub use ncutils_model as model;
pub use ncutils_model::{Diagnostic, Error, Result, chunk, error, message, time};
#[cfg(feature = "remote")]
pub use ncutils_remote as remote;
pub use ncutils_remote_settings as remote_settings;
pub use ncutils_store as store;
pub use ncutils_store::threads;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
