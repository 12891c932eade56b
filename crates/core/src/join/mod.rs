//! One dataset of many along a dimension: `nccopy --join`.
//!
//! ```text
//! names ─► inputs: each opened when needed, few at a time
//!             │
//!             ▼                     ┌─ names:      items of an input, by the paths of the first input's
//!           look: each input once ◄─┼─ compare:    types, packing, units, lengths; values that all must share
//!             │                     ├─ unpacking:  packed numbers ─► what they stand for
//!             │                     ├─ times:      units and epochs ─► conversions without rounding
//!             │                     └─ order:      cells of the coordinate ─► pieces, in the order of the output
//!             ▼
//!          Joined: reads as one dataset ─► plans, subsets, comparisons
//!             │
//!             └─► JoinSource: what the copy engine reads ─► whole chunks of each input
//! ```
//!
//! The first input gives names, attributes, units and storage. A variable that has the dimension is made of pieces of all
//! inputs. Any other variable must be the same in all of them. If no input has the dimension, [`outer_dimension`] gives it to
//! each input with a length of 1.

mod cells;
mod compare;
mod first;
mod inputs;
mod joined;
mod judge;
mod labels;
mod look;
mod names;
mod order;
mod outer_dimension;
mod request;
mod source;
mod static_values;
mod times;
mod unpacked_variable;
mod unpacking;

pub use inputs::Inputs;
pub use joined::{Joined, Piece};
pub use request::{JoinRequest, Overlap};
pub use source::JoinSource;

#[cfg(test)]
mod tests;
