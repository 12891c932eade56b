//! [`Prepared`]: what the writer must know, and what the engine will do.

use crate::copy::task::{RouteName, Variable};
use crate::format::VariablePlan;
use crate::model::VarId;

/// What [`prepare`] found out: what the writer must know, and what the engine will do.
#[derive(Debug)]
pub struct Prepared {
    /// For `format::create`, one for each variable of the output.
    pub plans: Vec<VariablePlan>,
    pub(in crate::copy) variables: Vec<Variable>,
    /// The variables of which nothing is written, with their paths.
    pub(in crate::copy) nothing: Vec<(VarId, String)>,
}

impl Prepared {
    /// The id, path, route and decoded bytes of each variable of the output, in no order.
    pub(in crate::copy) fn routes(&self) -> impl Iterator<Item = (VarId, &str, RouteName, u64)> {
        let written = self.variables.iter().map(|var| {
            (
                var.out,
                var.name.as_str(),
                RouteName::from(&var.route),
                var.progress,
            )
        });
        let nothing = self.nothing.iter();
        written.chain(nothing.map(|(id, name)| (*id, name.as_str(), RouteName::Nothing, 0)))
    }
}
