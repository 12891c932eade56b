//! Conditions that all jobs of a run share.

use std::path::Path;

use crate::copy::readers::Readers;
use crate::format::VariablePlan;

/// Upper limit, in bytes, of how much one job moves, unless a single chunk is larger.
pub const BATCH: u64 = 1 << 20;

/// Upper limit, in bytes, of how much one job passes on unchanged from a store with slow requests. Its chunks are
/// neighbours in most files, which then come by one request.
const SLOW_BATCH: u64 = 6 << 20;

/// Conditions that all jobs of a run share.
pub struct Terms<'e> {
    /// Folder for temporary files.
    pub folder: Option<&'e Path>,
    pub readers: Readers<'e>,
    pub plans: &'e [VariablePlan],
    pub threads: usize,
    pub budget: u64,
}

impl Terms<'_> {
    /// About how many bytes one job moves: at most an eighth of a thread's share of the budget, and at most
    /// [`BATCH`].
    pub fn batch(&self) -> u64 {
        self.share().clamp(4096, BATCH)
    }

    /// About how many bytes one job moves that passes them on without decoding: more than [`batch`](Self::batch) where each
    /// request takes long.
    pub fn passed_on(&self) -> u64 {
        match self.readers.main().requests().ahead {
            true => self.share().clamp(4096, SLOW_BATCH),
            false => self.batch(),
        }
    }

    /// An eighth of a thread's share of the budget, in bytes.
    fn share(&self) -> u64 {
        self.budget / (8 * self.threads as u64)
    }
}
