//! What a writer was promised, so that it can refuse to complete what did not come.

use std::sync::atomic::{AtomicU64, Ordering};

use super::VariablePlan;
use crate::error::{Error, Result};
use crate::model::VarId;

/// How much of a variable will be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Promised {
    /// Nothing: it reads as fill.
    Nothing,
    /// So many chunks, of a chunked variable.
    Chunks(u64),
    /// So many bytes of decoded storage, of a variable in one piece.
    Bytes(u64),
}

impl Promised {
    /// How many chunks will come.
    pub fn chunks(self) -> u64 {
        match self {
            Self::Chunks(n) => n,
            Self::Nothing | Self::Bytes(_) => 0,
        }
    }

    /// Whether nothing will come.
    pub fn is_nothing(self) -> bool {
        matches!(self, Self::Nothing | Self::Chunks(0) | Self::Bytes(0))
    }
}

/// Counts what has come of each variable of a dataset.
#[derive(Debug)]
pub struct Received {
    variables: Vec<(Promised, AtomicU64)>,
}

impl Received {
    /// Nothing has come of what these plans promise.
    pub fn new(plans: &[VariablePlan]) -> Self {
        Self {
            variables: plans
                .iter()
                .map(|plan| (plan.promised, AtomicU64::new(0)))
                .collect(),
        }
    }

    /// One chunk of a variable has come.
    pub fn add_chunk(&self, var: VarId) {
        if let Some((_, received)) = self.variables.get(var.0) {
            received.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Values of a variable have come: one chunk of a chunked one, else `bytes` of decoded storage.
    pub fn add(&self, var: VarId, bytes: u64) {
        if let Some((promised, received)) = self.variables.get(var.0) {
            let amount = match promised {
                Promised::Chunks(_) => 1,
                Promised::Bytes(_) | Promised::Nothing => bytes,
            };
            received.fetch_add(amount, Ordering::Relaxed);
        }
    }

    /// Whether all has come that was promised. `path` names a variable.
    ///
    /// # Errors
    /// [`Error::Internal`] that names the first variable of which more or less has come.
    pub fn check(&self, path: impl Fn(VarId) -> String) -> Result<()> {
        for (n, (promised, received)) in self.variables.iter().enumerate() {
            let received = received.load(Ordering::Relaxed);
            let (wanted, unit) = match *promised {
                Promised::Nothing => (0, "pieces"),
                Promised::Chunks(n) => (n, "chunks"),
                Promised::Bytes(n) => (n, "bytes"),
            };
            if received != wanted {
                return Err(Error::Internal(format!(
                    "{received} {unit} were written of {wanted} that were planned"
                ))
                .in_variable(&path(VarId(n))));
            }
        }
        Ok(())
    }
}
