//! What the threads of a run share.

use std::sync::{Mutex, PoisonError};

use super::buffer_pool::BufferPool;
use super::progress::Progress;
use super::sink::Sink;
use crate::copy::jobs::Terms;
use crate::copy::memory::MemoryBudget;
use crate::error::Error;

/// State shared by the threads of a run.
pub struct Context<'e> {
    pub terms: &'e Terms<'e>,
    pub sink: Sink<'e>,
    pub progress: Option<&'e dyn Progress>,
    /// True if encoded chunks pass without a test.
    pub untested: bool,
    pub memory: MemoryBudget,
    pub pool: BufferPool,
    /// Number and error of the failed job that comes first in the order.
    pub failure: Mutex<Option<(u64, Error)>>,
}

impl Context<'_> {
    /// Records the failure that comes first in the order, and admits no new job. All jobs before the failed one
    /// were admitted, and they complete. So the recorded failure does not depend on how threads run.
    pub fn fail(&self, number: u64, error: Error) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if failure.as_ref().is_none_or(|(first, _)| number < *first) {
            *failure = Some((number, error));
        }
        drop(failure);
        self.memory.stop();
    }

    /// Number of the failed job that comes first in the order.
    pub fn first_failure(&self) -> Option<u64> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.as_ref().map(|(number, _)| *number)
    }
}
