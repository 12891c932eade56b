//! The steps of each route, for one job: methods of the [`Worker`](super::worker::Worker).
//!
//! ```text
//! raw, refilter encoded chunk ─► decode ─► encode ─► chunk of the same shape; or as it is
//! blocks        pieces of input ─► scatter ─► block of chunks ─► encode
//! ranges        bytes ─► bytes
//! records       records ─► planes, one a variable ─► chunks or bytes; or as they are
//! values        regions as values ─► chunks
//! ```

mod blocks;
mod ranges;
mod raw_and_refilter;
mod records;
mod values;
