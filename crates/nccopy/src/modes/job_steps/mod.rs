//! Steps of a job of many processes, each with the same copy, planned again.
//!
//! ```text
//! values: a copy that is planned ─► take ─┬─► plan    the file of the job
//!                                         ├─► part    the share of one process, which keeper looks after
//!                                         └─► finish  the output appears
//! ```

mod finish;
mod keeper;
mod part;
mod plan;
mod take_part;

pub(crate) use keeper::{Keeper, TELLS_EVERY};
pub(crate) use plan::{announce, begin, identity, planned_job, write};
pub(crate) use take_part::{join, notes_of};

use super::planned::Planned;
use crate::arguments::Arguments;
use crate::job_step::Step;

/// Does a step of a job with a copy that is planned.
///
/// # Errors
/// What fails. The output does not appear then.
pub(super) fn take(step: &Step, planned: Planned<'_>, arguments: &Arguments) -> anyhow::Result<()> {
    match step {
        Step::Plan(planning) => plan::plan(planning, &planned, arguments),
        Step::Part(making) => part::make(making, planned, arguments),
        Step::Finish(finishing) => finish::finish(finishing, planned, arguments),
    }
}
