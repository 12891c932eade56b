//! The steps of each route, for one job: methods of the [`Worker`](super::worker::Worker).
//!
//! ```text
//! same_chunks   encoded chunk ─► decode ─► encode ─► chunk of the same shape; or as it is
//! rechunk       pieces of input ─► scatter ─► block of chunks ─► encode
//! ranges        bytes ─► bytes
//! records       records ─► planes, one a variable ─► chunks or bytes; or as they are
//! values        regions as values ─► chunks
//! ```

mod ranges;
mod rechunk;
mod records;
mod same_chunks;
mod values;
