//! What a copy tells of its progress.

/// Told how far a copy is, from any thread.
pub trait Progress: Sync {
    /// The copy begins and will move `total` bytes (of the variables as they are in memory).
    fn start(&self, total: u64);

    /// `bytes` more are done.
    fn advance(&self, bytes: u64);
}
