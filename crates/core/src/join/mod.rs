//! One dataset of many: `nccopy --join` along a dimension, `--merge` with the variables of all.
//!
//! ```text
//! names ─► inputs: each opened when needed, few at a time
//!             │
//!             ▼
//!           look: each input once ─┬─► order:  pieces of the inputs, one after another
//!             │                    └─► change: times of other units, packed numbers
//!             ▼
//!          Joined, gather: inputs with the same variables
//!             │
//!             ▼
//!          Merged, union, shared: reads as one dataset ─► plans, subsets, comparisons
//!             │
//!             └─► JoinSource: what the copy engine reads ─► whole chunks of each input
//! ```
//!
//! The first input gives names, attributes, units and storage. A variable that has the dimension is made of pieces of all
//! inputs. Any other variable must be the same in all of them. Inputs with other variables are merged: each group of the same
//! variables is joined, and what groups share must be equal. If no input has the dimension, `outer_dimension` gives it to
//! each input with a length of 1.

mod change;
mod first;
mod gather;
mod inputs;
mod joined;
mod kept;
mod labels;
mod look;
mod merged;
mod order;
mod outer_dimension;
mod request;
mod shared;
mod source;
mod telling;
mod union;
mod unpacked_variable;

pub use inputs::Inputs;
pub use joined::{JoinPiece, Joined};
pub use kept::KeptJoin;
pub use merged::Merged;
pub use request::{JoinRequest, Overlap};
pub use source::JoinSource;

#[cfg(test)]
mod tests;
