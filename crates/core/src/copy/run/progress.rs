//! Progress reports of a copy.

/// Receives the progress of a copy, from any thread.
pub trait Progress: Sync {
    /// The copy starts and will move `total` bytes, counted as decoded elements.
    fn start(&self, total: u64);

    /// The copy moved `bytes` more bytes.
    fn advance(&self, bytes: u64);
}
