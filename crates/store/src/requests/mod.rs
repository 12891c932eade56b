//! Many requests at once, for stores whose answers take long.
//!
//! ```text
//! Requests: how many at once, and which gap is read over
//! Get ─► fetch_queue: waits for room ─► fetch_pool: threads for stores whose calls block ─► callback
//! ```

pub mod fetch_pool;
pub mod fetch_queue;
pub mod gathered;
pub mod joined_ranges;
pub mod requests;
