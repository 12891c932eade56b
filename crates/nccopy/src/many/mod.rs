//! Several inputs: each becomes a dataset of its name in a folder, or is replaced by its copy.
//!
//! ```text
//! operands, --files-from, --recursive ─► inputs ─► output_name ─► jobs: no two have one output
//!                                                                   │
//!   groups: those of one of many processes ◄───┤
//!   run, turns: small ones beside each other, a large one alone ◄───┘
//!                   │
//!                   ├─► current: is it done already?  (--update, --in-place) ─► skipped
//!                   ├─► in_place: links, lock
//!                   └─► modes: the copy ─► told: errors, JSON ─► tally: one line for all
//! ```

mod current;
mod groups;
mod in_place;
pub(crate) mod inputs;
pub(crate) mod job;
mod jobs;
mod output_name;
mod run;
mod size;
mod tally;
mod told;
mod turns;

pub use run::copy;
