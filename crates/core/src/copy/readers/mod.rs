//! The readers of a copy: a main one, which is always open, and further ones, which are opened when they are needed.
//!
//! ```text
//! ReaderId ─► Readers ─┬─► the main reader
//!                      └─► ReaderPool: opened, or open already ─► PooledReader, given back when it is dropped
//! ```

mod given;
mod pool;

pub use given::{OpenReader, ReaderId, Readers};
pub use pool::{PooledReader, ReaderPool};
