//! [`Prepared`]: what the writer must know, and what the engine will do.

use super::numbering::numbered;
use super::unreferenced::Unreferenced;
use crate::copy::task::{RouteName, Variable};
use crate::format::VariablePlan;
use crate::model::VarId;

/// What `prepare` found out: what the writer must know, and what the engine will do.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// For `format::create`, one for each variable of the output.
    pub plans: Vec<VariablePlan>,
    pub(in crate::copy) variables: Vec<Variable>,
    /// The variables of which nothing is written, with their paths.
    pub(in crate::copy) nothing: Vec<(VarId, String)>,
    /// The variables that would be stored among references as they are, although nobody asked for it.
    pub unreferenced: Vec<Unreferenced>,
}

impl Prepared {
    /// Number of pieces of the variable at `at` that have a sequence number.
    pub(in crate::copy) fn numbered(&self, at: usize) -> u64 {
        numbered(&self.variables[at], &self.plans)
    }

    /// The routes of all variables, in no order. A variable whose chunks go by several routes comes once for each, one after the
    /// other.
    pub(in crate::copy) fn routes(&self) -> impl Iterator<Item = RouteOf<'_>> {
        let written = self.variables.iter().map(|var| RouteOf {
            out: var.out,
            name: var.name.as_str(),
            route: RouteName::from(&var.route),
            chunks: var.to_write.len(),
            decoded: var.progress,
        });
        let nothing = self.nothing.iter().map(|(id, name)| RouteOf {
            out: *id,
            name,
            route: RouteName::Nothing,
            chunks: 0,
            decoded: 0,
        });
        written.chain(nothing)
    }
}

/// A route of a variable of the output.
#[derive(Debug, Clone, Copy)]
pub(in crate::copy) struct RouteOf<'p> {
    pub out: VarId,
    /// Path of the variable.
    pub name: &'p str,
    pub route: RouteName,
    /// Number of chunks that go by it.
    pub chunks: u64,
    /// Their decoded bytes.
    pub decoded: u64,
}
