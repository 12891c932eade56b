//! One dataset of many along a dimension: `nccopy --join`.
//!
//! ```text
//! names ─► inputs: each opened when needed, few at a time
//!             │
//!             ▼
//!           look: each input once ─┬─► order:  pieces of the inputs, one after another
//!             │                    └─► change: times of other units, packed numbers
//!             ▼
//!          Joined, gather: reads as one dataset ─► plans, subsets, comparisons
//!             │
//!             └─► JoinSource: what the copy engine reads ─► whole chunks of each input
//! ```
//!
//! The first input gives names, attributes, units and storage. A variable that has the dimension is made of pieces of all
//! inputs. Any other variable must be the same in all of them. If no input has the dimension, `outer_dimension` gives it to
//! each input with a length of 1.

mod change;
mod first;
mod gather;
mod inputs;
mod joined;
mod labels;
mod look;
mod order;
mod outer_dimension;
mod request;
mod source;
mod unpacked_variable;

pub use inputs::Inputs;
pub use joined::{Joined, Piece};
pub use request::{JoinRequest, Overlap};
pub use source::JoinSource;
