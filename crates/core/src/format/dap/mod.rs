//! Datasets of OPeNDAP servers, which are asked for a description and for the elements of regions.
//!
//! ```text
//! QueryServer ─► open: which version answers ─► dap2, dap4: description ─► schema
//!                                                  box of slices ─► pieces ─► questions, many at once ─► elements
//! ```
//!
//! `limits` says what is taken from a server, whatever it sends.

mod dap2;
mod dap4;
mod layout;
mod limits;
mod open;
mod pieces;
mod range;
mod reader;
mod server;
mod slice;
mod taken;

pub use open::{DapOptions, DapVersion, answers, open};
