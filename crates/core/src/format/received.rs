//! Compares the data that a writer was promised with the data that it received, so that it refuses to
//! complete a partial file.

use std::sync::atomic::{AtomicU64, Ordering};

use super::promise::Promised;
use super::variable_plan::VariablePlan;
use crate::error::{Error, Result};
use crate::model::VarId;

/// Counts the data received for each variable of a dataset.
#[derive(Debug)]
pub struct Received {
    variables: Vec<(Promised, AtomicU64)>,
}

impl Received {
    /// No data received yet, for the variables of these plans.
    pub fn new(plans: &[VariablePlan]) -> Self {
        Self {
            variables: plans
                .iter()
                .map(|plan| (plan.promised, AtomicU64::new(0)))
                .collect(),
        }
    }

    /// Counts one chunk of a variable, written or left out.
    pub fn add_chunk(&self, var: VarId) {
        if let Some((_, received)) = self.variables.get(var.0) {
            received.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts values of a variable: as one chunk if it is chunked, else as `bytes` of decoded storage.
    pub fn add(&self, var: VarId, bytes: u64) {
        if let Some((promised, received)) = self.variables.get(var.0) {
            let amount = match promised {
                Promised::Chunks(_) => 1,
                Promised::Bytes(_) | Promised::Nothing => bytes,
            };
            received.fetch_add(amount, Ordering::Relaxed);
        }
    }

    /// Checks that everything promised was received. `path` names a variable.
    ///
    /// # Errors
    /// [`Error::Internal`], which names the first variable with too much or too little data.
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
