//! What is kept for later, within limits.
//!
//! ```text
//! bounded_cache: values that cost memory ─► the one that was not used for longest is dropped
//! lease_pool: files and readers that must not all be open ─► one that nobody uses is closed, or the next user waits
//! ```

pub mod bounded_cache;
pub mod lease_pool;
